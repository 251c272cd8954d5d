// Writer: bytes in the making, a key, a value or a message. It is Bytes itself, so what it holds can be given to a store
// at once. Make it once, and `clear()` it for each use: its memory grows to the longest content and stays. Each method
// appends and returns the writer, so calls are chained: `key.clear().u8(2).bytes(owner)`.
import { varintLength } from "../shared/wire";
import { Amount } from "./amount";
import { Bytes } from "./bytes";

export class Writer extends Bytes {
  private room: u32;

  /** `room`: bytes that it has memory for before it grows. */
  constructor(room: u32 = 128) {
    super();
    this.room = room;
    this.ptr = heap.alloc(room);
  }

  /** Makes room for more bytes, which are then part of the content, and returns where they go. */
  reserve(bytes: u32): usize {
    const at = this.length;
    const end = at + bytes;
    if (end > this.room) this.grow(end);
    this.length = end;
    return this.ptr + at;
  }

  private grow(bytes: u32): void {
    this.room = max(bytes, this.room * 2);
    this.ptr = heap.realloc(this.ptr, this.room);
  }

  /** Bytes of the handler's memory. */
  raw(ptr: usize, length: u32): Writer {
    memory.copy(this.reserve(length), ptr, length);
    return this;
  }

  /** All of other bytes. */
  bytes(bytes: Bytes): Writer {
    return this.raw(bytes.ptr, bytes.length);
  }

  /** A part of other bytes. */
  slice(whole: Bytes, from: u32, to: u32 = whole.length): Writer {
    // Its line number is in the bytes of released handlers: the lines before it stay as many.
    if (from > to || to > whole.length) assert(false, "slice: reading behind the end of some bytes");
    return this.raw(whole.ptr + from, to - from);
  }

  /** Empties it; its memory stays. */
  clear(): Writer {
    this.length = 0;
    return this;
  }

  /** A text, in UTF-8. */
  text(text: string): Writer {
    const at = this.reserve(String.UTF8.byteLength(text));
    String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, at);
    return this;
  }

  /** One byte. */
  u8(value: u32): Writer {
    store<u8>(this.reserve(1), value);
    return this;
  }

  /** Two bytes, big-endian, as keys have integers, so that their order is that of the numbers. */
  be16(value: u32): Writer {
    store<u16>(this.reserve(2), bswap<u16>(<u16>value));
    return this;
  }

  /** Four bytes, big-endian. */
  be32(value: u32): Writer {
    store<u32>(this.reserve(4), bswap<u32>(value));
    return this;
  }

  /** Eight bytes, big-endian. */
  be64(value: u64): Writer {
    store<u64>(this.reserve(8), bswap<u64>(value));
    return this;
  }

  /** Four bytes, little-endian. */
  le32(value: u32): Writer {
    store<u32>(this.reserve(4), value);
    return this;
  }

  /** Eight bytes, little-endian. */
  le64(value: u64): Writer {
    store<u64>(this.reserve(8), value);
    return this;
  }

  /** Decimal text of a number of 64 bits. */
  decimal(value: u64): Writer {
    let digits: u32 = 1;
    for (let rest = value; rest >= 10; rest /= 10) digits++;
    const at = this.reserve(digits);
    for (let i = digits; i > 0; value /= 10) store<u8>(at + --i, 48 + <u32>(value % 10));
    return this;
  }

  /** Decimal text of an amount. */
  amount(amount: Amount): Writer {
    const digits = amount.format();
    return this.raw(digits.ptr, digits.length);
  }

  // Protobuf

  /** A number in the form of protobuf, 1 to 10 bytes. */
  varint(value: u64): Writer {
    let at = this.reserve(varintLength(value));
    for (; value >= 0x80; value >>= 7) store<u8>(at++, <u32>(value & 0x7f) | 0x80);
    store<u8>(at, <u32>value);
    return this;
  }

  /** A field with a number; 0 is left out, as the canonical form wants. */
  fieldNumber(field: u32, value: u64): Writer {
    return value == 0 ? this : this.varint(field << 3).varint(value);
  }

  /** A field with bytes; empty ones are left out. */
  fieldBytes(field: u32, bytes: Bytes): Writer {
    return bytes.length == 0 ? this : this.fieldMessage(field, bytes);
  }

  /** A field with a text; an empty one is left out. */
  fieldText(field: u32, text: string): Writer {
    const length = String.UTF8.byteLength(text);
    return length == 0
      ? this
      : this.varint((field << 3) | 2)
          .varint(length)
          .text(text);
  }

  /** A field with a message, or an element of a repeated field: written also when it is empty. */
  fieldMessage(field: u32, message: Bytes): Writer {
    return this.varint((field << 3) | 2)
      .varint(message.length)
      .bytes(message);
  }
}
