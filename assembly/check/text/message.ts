// The message that is being composed. A failure ends the reading of a part of the file (a section, a body, the manifest): the
// first one keeps its message, and until it is caught every other message is dropped.
import { utf8Length } from "../../shared/bytes";

const BYTES_MAX: u32 = 16_384;
const buffer: usize = memory.data(BYTES_MAX);
let length: u32 = 0;
let muted: bool = false;

/** A failure has not been caught yet. Readers return zeros; loops must end. */
export let bad: bool = false;
export let badCode: i32 = 0;
export let badAt: usize = 0;

export function messagePtr(): usize {
  return buffer;
}

/** Bytes of the message, without a character that the end of the buffer cut. */
export function messageLength(): u32 {
  if (length < BYTES_MAX) return length;
  let last = BYTES_MAX - 1;
  while ((load<u8>(buffer + last) & 0xc0) == 0x80) last--;
  return utf8Length(buffer + last, BYTES_MAX - last) == 0 ? last : BYTES_MAX;
}

/** Nothing that is composed now will be used. */
export function isMuted(): bool {
  return muted;
}

/** Starts the message of a finding after which reading goes on. */
export function begin(): void {
  muted = bad;
  if (!muted) length = 0;
}

/** Starts the message of a failure. `at`: where, as a pointer into the file. */
export function refuse(code: i32, at: usize): void {
  muted = bad;
  if (muted) return;
  length = 0;
  bad = true;
  badCode = code;
  badAt = at;
}

export function forgive(): void {
  bad = false;
  muted = false;
}

export function put(byte: u32): void {
  if (muted || length >= BYTES_MAX) return;
  store<u8>(buffer + length, byte);
  length += 1;
}

export function putBytes(ptr: usize, len: u32): void {
  for (let i: u32 = 0; i < len; i++) put(load<u8>(ptr + i));
}

/** A character below U+10000, as UTF-8. */
export function character(code: u32): void {
  if (code < 0x80) put(code);
  else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 63));
  } else {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 63));
    put(0x80 | (code & 63));
  }
}

export function text(literal: string): void {
  if (muted) return;
  for (let i = 0, n = literal.length; i < n; i++) character(literal.charCodeAt(i));
}

export function number(value: u64): void {
  if (value >= 10) number(value / 10);
  put(48 + <u32>(value % 10));
}

export function hexDigit(digit: u32): void {
  put(digit < 10 ? 48 + digit : 87 + digit);
}

export function hex(value: u64): void {
  if (value >= 16) hex(value >> 4);
  hexDigit(<u32>(value & 15));
}

/** Says that something is longer than `most` bytes. */
export function bytesOverLimit(bytes: u32, most: u32): void {
  text("has ");
  number(bytes);
  text(" bytes, at most ");
  number(most);
  text(" are allowed");
}

/** What to do about code of an extension. */
export function withoutFeature(name: string): void {
  text("; build without the ");
  text(name);
  text(" feature");
}

/** The message holds "; ", so it says by itself what to do. */
export function holdsAdvice(ptr: usize, len: u32): bool {
  for (let i: u32 = 0; i + 1 < len; i++) {
    if (load<u8>(ptr + i) == 0x3b && load<u8>(ptr + i + 1) == 0x20) return true;
  }
  return false;
}
