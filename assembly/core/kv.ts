// The only imports: the upgrade module's own store. A failure of the host inside one of them must trap, so an answer
// below -ABSENT is a mistake of the host and not a code to hand on.
import { ABSENT } from "./codes";

// @ts-ignore: TypeScript knows no decorators of functions
@external("kv", "get")
declare function kvGet(key: usize, keyLen: u32, out: usize, cap: u32): i32;

// @ts-ignore: TypeScript knows no decorators of functions
@external("kv", "set")
export declare function set(key: usize, keyLen: u32, value: usize, valueLen: u32): void;

// @ts-ignore: TypeScript knows no decorators of functions
@external("kv", "delete")
export declare function remove(key: usize, keyLen: u32): void;

// @ts-ignore: TypeScript knows no decorators of functions
@external("kv", "seek")
declare function kvSeek(start: usize, startLen: u32, end: usize, endLen: u32, out: usize, cap: u32): i32;

function checked(answer: i32): i32 {
  assert(answer >= -ABSENT, "the host's kv answered below -1; a failure must trap");
  return answer;
}

/** Length of the value, or -ABSENT. */
export function get(key: usize, keyLen: u32, out: usize, cap: u32): i32 {
  return checked(kvGet(key, keyLen, out, cap));
}

/** Length of the frame of the first pair with start <= key < end, or -ABSENT. */
export function seek(start: usize, startLen: u32, end: usize, endLen: u32, out: usize, cap: u32): i32 {
  return checked(kvSeek(start, startLen, end, endLen, out, cap));
}
