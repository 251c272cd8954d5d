// Protobuf wire format over linear memory. The reader is strict: shortest varints, no groups, no field numbers past
// 2^29 - 1, nothing past the end. After a failure it stays failed and yields zeros; ask `failed()` at the end.
import { put8, putBytes } from "./sink";

export const VARINT: u32 = 0;
export const BYTES: u32 = 2;

let at: usize = 0;
let end: usize = 0;
let bad: bool = false;

/** The span that `readBytes` found. */
export let spanPtr: usize = 0;
export let spanLen: u32 = 0;

export function open(ptr: usize, len: u32): void {
  at = ptr;
  end = ptr + len;
  bad = false;
}

export function more(): bool {
  return !bad && at < end;
}

export function failed(): bool {
  return bad;
}

export function fail(): void {
  bad = true;
}

/** Where the reader is, so that a caller can read a span inside and come back with `seek`. */
export function position(): usize {
  return at;
}

export function limit(): usize {
  return end;
}

export function seek(ptr: usize, stop: usize): void {
  at = ptr;
  end = stop;
}

export function readVarint(): u64 {
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    if (at >= end) break;
    const byte = <u64>load<u8>(at++);
    if (shift == 63 && byte > 1) break; // past 64 bits
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (byte == 0 && shift > 0) break; // a longer form than needed
      return value;
    }
  }
  bad = true;
  return 0;
}

/** Field number << 3 | wire type; 0 on failure. */
export function readTag(): u32 {
  const tag = readVarint();
  if (tag > u32.MAX_VALUE || tag < 8) bad = true;
  return bad ? 0 : <u32>tag;
}

export function readBytes(): void {
  const len = readVarint();
  if (bad || len > <u64>(end - at)) {
    bad = true;
    spanPtr = at;
    spanLen = 0;
    return;
  }
  spanPtr = at;
  spanLen = <u32>len;
  at += <usize>len;
}

export function putVarint(value: u64): void {
  while (value >= 0x80) {
    put8(<u32>(value & 0x7f) | 0x80);
    value >>= 7;
  }
  put8(<u32>value);
}

export function putTag(field: u32, type: u32): void {
  putVarint((field << 3) | type);
}

/** Tag, length and bytes of a length-delimited field. */
export function putField(field: u32, ptr: usize, len: u32): void {
  putTag(field, BYTES);
  putVarint(len);
  putBytes(ptr, len);
}

export function varintLength(value: u64): u32 {
  return <u32>(63 - clz(value | 1)) / 7 + 1;
}
