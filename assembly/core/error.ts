// The record of the last failure: { u32 code, u32 msg_len, u8 msg[] }. A failing function describes itself with
// `begin(code)`, then text, numbers and bytes, and returns `end()`, which is -code.
import { utf8Length } from "../shared/bytes";
import { UPG_BUG_CORE_TRAP } from "./codes";

const MESSAGE_BYTES_MAX: u32 = 1_016;
const record: usize = memory.data(1_024);

export function recordPtr(): usize {
  return record;
}

function put(byte: u32): void {
  const len = load<u32>(record, 4);
  if (len >= MESSAGE_BYTES_MAX) return;
  store<u8>(record + 8 + len, byte);
  store<u32>(record, len + 1, 4);
}

export function begin(code: i32): void {
  store<u32>(record, code);
  store<u32>(record, 0, 4);
}

export function text(literal: string): void {
  for (let i = 0, n = literal.length; i < n; i++) put(literal.charCodeAt(i));
}

export function unsigned(value: u64): void {
  if (value >= 10) unsigned(value / 10);
  put(48 + <u32>(value % 10));
}

export function signed(value: i64): void {
  if (value < 0) put(45);
  unsigned(value < 0 ? 0 - <u64>value : <u64>value);
}

/** Bytes that should be UTF-8: what is not comes out as U+FFFD, and a character is never cut in half. */
export function name(ptr: usize, len: u32): void {
  const end = ptr + len;
  while (ptr < end) {
    const n = utf8Length(ptr, <u32>(end - ptr));
    if (load<u32>(record, 4) + max(n, 3) > MESSAGE_BYTES_MAX) return;
    if (n == 0) {
      put(0xef), put(0xbf), put(0xbd);
      ptr += 1;
    }
    for (let i: u32 = 0; i < n; i++) put(load<u8>(ptr++));
  }
}

export function hex(ptr: usize, len: u32): void {
  for (let i: u32 = 0; i < len; i++) {
    const byte = <u32>load<u8>(ptr + i);
    for (let shift = 4; shift >= 0; shift -= 4) {
      const digit = (byte >> shift) & 15;
      put(digit < 10 ? 48 + digit : 87 + digit);
    }
  }
}

export function end(): i32 {
  return -(<i32>load<u32>(record));
}

/** A failure whose message needs no values. */
export function fail(code: i32, message: string): i32 {
  begin(code);
  text(message);
  return end();
}

/** `use abort=` sends asserts and runtime errors here: the message survives, then the instance is poisoned. */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  begin(UPG_BUG_CORE_TRAP);
  if (message) text(message);
  text(" at ");
  if (file) text(file);
  put(58);
  unsigned(line);
  put(58);
  unsigned(column);
  unreachable();
}
