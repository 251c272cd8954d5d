// ProtoReader walks the fields of a protobuf message in place. It is strict: shortest varints, no groups, nothing
// past the end; a message that is not well-formed ends the run. Make one for each depth of nesting, and open it again.
import { Bytes } from "./bytes";
import { fail } from "./report";

const VARINT: u32 = 0;
const FIXED_64: u32 = 1;
const BYTES: u32 = 2;
const FIXED_32: u32 = 5;

export class ProtoReader {
  /** Number of the current field. */
  field: u32 = 0;
  /** Its value, unless it has bytes. */
  number: u64 = 0;
  /** Its bytes, when it is a text, bytes or a message; empty otherwise. */
  readonly bytes: Bytes = new Bytes();
  /** The field as it is, tag and all: what to copy when it stays as it is. */
  readonly raw: Bytes = new Bytes();
  private at: usize = 0;
  private end: usize = 0;

  /** Begins with the first field of a message. */
  open(message: Bytes): ProtoReader {
    this.at = message.ptr;
    this.end = message.ptr + message.length;
    return this;
  }

  /** Makes the next field the current one; false at the end. */
  next(): bool {
    const start = this.at;
    if (start >= this.end) return false;
    const tag = this.varint();
    if (tag < 8 || tag > u32.MAX_VALUE) malformed();
    this.field = <u32>tag >> 3;
    this.number = 0;
    this.bytes.length = 0;
    const type = <u32>tag & 7;
    if (type == BYTES) {
      const length = this.varint();
      if (length > <u64>(this.end - this.at)) malformed();
      this.bytes.point(this.at, <u32>length);
      this.at += <usize>length;
    } else if (type == VARINT) this.number = this.varint();
    else this.fixed(type);
    this.raw.point(start, <u32>(this.at - start));
    return true;
  }

  private fixed(type: u32): void {
    const size: u32 = type == FIXED_64 ? 8 : 4;
    if ((type != FIXED_64 && type != FIXED_32) || <u32>(this.end - this.at) < size) malformed();
    this.number = type == FIXED_64 ? load<u64>(this.at) : <u64>load<u32>(this.at);
    this.at += size;
  }

  private varint(): u64 {
    let at = this.at;
    const end = this.end;
    let value: u64 = 0;
    for (let shift: u64 = 0; shift < 64; shift += 7) {
      if (at >= end) break;
      const byte = <u64>load<u8>(at++);
      if (shift == 63 && byte > 1) break; // past 64 bits
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) break; // a longer form than needed
        this.at = at;
        return value;
      }
    }
    malformed();
    return 0;
  }
}

function malformed(): void {
  fail(-4, "a protobuf message is malformed");
}
