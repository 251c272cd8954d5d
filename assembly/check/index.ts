/**
 * check.wasm: the rules for handler files, the meter, and the codec of receipts, for hosts in any language. docs/abi.md is its page.
 * No imports, no clock, no floats; nothing stays from one call to the next but the result.
 */
import { alloc, reset } from "./arena";
import { checkFile } from "./check";
import { HANDLER_BYTES_MAX } from "./limits";
import { dropMetered, meteredLength, meteredPtr } from "./meter/meter";
import { decodeReceipt, encodeReceipt } from "./receipt";
import { resultLength, resultPtr, setResult } from "./result";

const MAJOR: i32 = 1;
const MINOR: i32 = 0;

/** Where the input was put, and how much room there is. */
let input: usize = 0;
let room: u32 = 0;

export function check_abi(): i32 {
  return (MAJOR << 16) | MINOR;
}

export function check_input(length: u32): usize {
  reset();
  setResult(0, 0);
  dropMetered();
  room = 0;
  input = 0;
  if (length > HANDLER_BYTES_MAX) return 0;
  // A byte more, so that nothing has a place of its own too.
  input = alloc(length + 1);
  room = length;
  return input;
}

/** An input is used once: what is made of it comes after it in memory. */
function take(length: u32): usize {
  if (input == 0 || length > room) unreachable();
  const ptr = input;
  input = 0;
  return ptr;
}

export function check_file(length: u32, flags: u32): u32 {
  if (length > HANDLER_BYTES_MAX) check_input(0);
  return checkFile(length > HANDLER_BYTES_MAX ? input : take(length), length, flags);
}

export function check_result(): usize {
  return resultPtr;
}

export function check_result_len(): u32 {
  return resultLength;
}

export function check_metered(): usize {
  return meteredPtr;
}

export function check_metered_len(): u32 {
  return meteredLength;
}

export function receipt_encode(length: u32): i32 {
  return encodeReceipt(take(length), length);
}

export function receipt_decode(length: u32): i32 {
  return decodeReceipt(take(length), length);
}
