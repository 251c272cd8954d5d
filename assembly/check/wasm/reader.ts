// Reads the primitives of the WebAssembly binary format, strictly. Twin of host/upgrade/wasm/byte-reader.ts: one reader whose bounds
// are set for each part of the file. After a failure it yields zeros and stays where it is.
import { isUtf8 } from "../../shared/bytes";
import { UPG_HANDLER_FORMAT, UPG_HANDLER_LIMIT } from "../codes";
import { WASM_NAME_BYTES_MAX } from "../limits";
import { bad, bytesOverLimit, number, put, refuse, text } from "../text/message";

export let at: usize = 0;
export let end: usize = 0;
/** What `name` read. */
export let namePtr: usize = 0;
export let nameLen: u32 = 0;

/** What a message says before and after the name of what was read. */
let before: string = "";
let after: string = "";

function whatText(what: string): void {
  text(before);
  text(what);
  text(after);
}

export function open(from: usize, to: usize): void {
  at = from;
  end = to;
}

export function malformed(where: usize): void {
  refuse(UPG_HANDLER_FORMAT, where);
}

export function byte(what: string): u32 {
  if (at < end && !bad) return <u32>load<u8>(at++);
  malformed(at);
  text("cut short: ");
  whatText(what);
  text(" is missing");
  return 0;
}

export function skip(length: u32, what: string): void {
  if (bad) return;
  if (length > <u32>(end - at)) {
    malformed(at);
    text("cut short: ");
    text(what);
    text(" needs ");
    number(length);
    text(" bytes");
  } else at += length;
}

function notLeb(start: usize, what: string, kind: string, bits: u32): u64 {
  malformed(start);
  whatText(what);
  text(kind);
  number(bits);
  text("-bit LEB128");
  return 0;
}

/** Unsigned LEB128 of at most `bits` bits. */
export function unsigned(bits: u32, what: string): u64 {
  const start = at;
  let value: u64 = 0;
  let shift: u32 = 0;
  for (;;) {
    const next = byte(what);
    if (bad) break;
    const room = bits - shift;
    if (room < 7 && next >= (<u32>1) << room) return notLeb(start, what, " is not an unsigned ", bits);
    value |= (<u64>next & 0x7f) << shift;
    if (next < 0x80) return value;
    shift += 7;
  }
  return 0;
}

export function signed(bits: u32, what: string): i64 {
  const start = at;
  let value: u64 = 0;
  let shift: u32 = 0;
  for (;;) {
    const next = byte(what);
    if (bad) break;
    const room = bits - shift;
    // In the last byte that may be here, the bits past the width must repeat the sign.
    if (room < 7) {
      const signBits = (0x7f << (room - 1)) & 0x7f;
      const top = next & signBits;
      if (next >= 0x80 || (top != 0 && top != signBits)) return <i64>notLeb(start, what, " is not a signed ", bits);
    }
    value |= (<u64>next & 0x7f) << shift;
    shift += 7;
    if (next < 0x80) return <i64>((next & 0x40) != 0 && shift < 64 ? value | (~(<u64>0) << shift) : value);
  }
  return 0;
}

export function u32Of(what: string): u32 {
  if (at < end && !bad) {
    const first = <u32>load<u8>(at);
    if (first < 0x80) {
      at++;
      return first;
    }
  }
  return <u32>unsigned(32, what);
}

/** `u32Of` with a longer name: `start`, `what` and `end` together. */
export function u32Named(start: string, what: string, end: string = ""): u32 {
  before = start;
  after = end;
  const value = u32Of(what);
  before = "";
  after = "";
  return value;
}

/** Bounds: a byte of flags, or numbers of so many bits. */
export function boundsFlags(what: string): u32 {
  before = "the limits of ";
  const flags = byte(what);
  before = "";
  return flags;
}

export function bound(bits: u32, what: string): u64 {
  before = "the size of ";
  const value = unsigned(bits, what);
  before = "";
  return value;
}

/** A length, and that many bytes of strict UTF-8, at most `WASM_NAME_BYTES_MAX`: `namePtr`, `nameLen`. */
export function name(what: string): void {
  nameLen = u32Named("length of ", what);
  namePtr = at;
  skip(nameLen, what);
  if (nameLen > WASM_NAME_BYTES_MAX) {
    refuse(UPG_HANDLER_LIMIT, namePtr);
    text(what);
    put(0x20);
    bytesOverLimit(nameLen, WASM_NAME_BYTES_MAX);
  } else if (!bad && !isUtf8(namePtr, nameLen)) {
    malformed(namePtr);
    text(what);
    text(" is not UTF-8");
  }
  if (bad) nameLen = 0;
}

/** The length of a list, before anything of it is read. */
export function count(what: string, most: u32, code: i32 = UPG_HANDLER_LIMIT): u32 {
  const where = at;
  const value = u32Named("number of ", what);
  if (value <= most) return value;
  refuse(code, where);
  number(value);
  put(0x20);
  text(what);
  text(", at most ");
  number(most);
  text(" are allowed");
  return 0;
}
