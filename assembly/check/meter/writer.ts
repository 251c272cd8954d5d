// Bytes of what is being made: they are appended at the top of the arena, so nothing else may be taken from it meanwhile. A part whose
// length comes before it is written a little further on, and moved to its place when its length is known.
import { getTop, reach, setTop } from "../arena";

/** Room for the longest LEB128 of 32 bits. */
const LENGTH_BYTES_MAX: usize = 5;
/** Memory is asked for in pieces. */
const PIECE_BYTES: usize = 65_536;

let at: usize = 0;
let limit: usize = 0;

export function startWriting(): usize {
  at = getTop();
  limit = at;
  return at;
}

/** Ends the writing; returns how many bytes there are from `start` on. */
export function endWriting(start: usize): u32 {
  setTop(at);
  return <u32>(at - start);
}

function reserve(bytes: usize): void {
  if (at + bytes <= limit) return;
  limit = at + bytes + PIECE_BYTES;
  reach(limit);
}

export function u8Of(byte: u32): void {
  reserve(1);
  store<u8>(at++, byte);
}

export function bytes2(a: u32, b: u32): void {
  u8Of(a);
  u8Of(b);
}

export function bytes3(a: u32, b: u32, c: u32): void {
  u8Of(a);
  u8Of(b);
  u8Of(c);
}

export function copy(from: usize, to: usize): void {
  reserve(to - from);
  memory.copy(at, from, to - from);
  at += to - from;
}

export function textOf(literal: string): void {
  for (let i = 0; i < literal.length; i++) u8Of(literal.charCodeAt(i));
}

export function i64Of(value: i64): void {
  reserve(8);
  store<i64>(at, value);
  at += 8;
}

export function i32Of(value: u32): void {
  reserve(4);
  store<u32>(at, value);
  at += 4;
}

/** Unsigned LEB128, shortest form. */
export function unsigned(value: u64): void {
  for (; value >= 0x80; value >>= 7) u8Of(<u32>(value & 0x7f) | 0x80);
  u8Of(<u32>value);
}

/** Signed LEB128, shortest form. */
export function signed(value: i64): void {
  for (;;) {
    const low = <u32>(value & 0x7f);
    value >>= 7;
    if (value == ((low & 0x40) != 0 ? -1 : 0)) {
      u8Of(low);
      return;
    }
    u8Of(low | 0x80);
  }
}

/** Begins a part that its length comes before; `endPart` takes what it returns. */
export function beginPart(): usize {
  reserve(LENGTH_BYTES_MAX);
  const start = at;
  at += LENGTH_BYTES_MAX;
  return start;
}

export function endPart(start: usize): void {
  const content = start + LENGTH_BYTES_MAX;
  const length = at - content;
  at = start;
  unsigned(length);
  memory.copy(at, content, length);
  at += length;
}
