// A handler's words: it can end the run, and it can report how far it is. Only `fail` has an effect on the result.
import { fail as hostFail, log as hostLog, progress as hostProgress } from "./imports";

const TEXT_BYTES_MAX: u32 = 1_024;
const text: usize = memory.data(1_024);
/** One UTF-16 unit becomes three bytes of UTF-8 at most. */
const UNITS_MAX: u32 = TEXT_BYTES_MAX / 3;

export enum Level {
  debug,
  info,
  warn,
  error,
}

function encode(message: string): u32 {
  const units = min<u32>(message.length, UNITS_MAX);
  return <u32>String.UTF8.encodeUnsafe(changetype<usize>(message), units, text);
}

/**
 * Ends the run: nothing that the handler wrote stays. Does not return. The code is the author's, above 0; the kit itself
 * fails with codes below. A message is cut at 341 characters.
 */
export function fail(code: i32, message: string): void {
  hostFail(code, text, encode(message));
  unreachable();
}

/** A line for the node's log. */
export function log(message: string, level: Level = Level.info): void {
  hostLog(<u32>level, text, encode(message));
}

/** How far long work is, in units of your choice. */
export function progress(done: i64, total: i64): void {
  hostProgress(done, total);
}

/** The longest number has 20 digits, which always have room after the text. */
const NUMBERED_UNITS_MAX: u32 = (TEXT_BYTES_MAX - 20) / 3;

/** A line for the node's log: a text and the number after it. It takes no memory, unlike `n.toString()`. */
export function logNumber(message: string, value: u64, level: Level = Level.info): void {
  const units = min<u32>(message.length, NUMBERED_UNITS_MAX);
  const at = text + String.UTF8.encodeUnsafe(changetype<usize>(message), units, text);
  let digits: u32 = 1;
  for (let rest = value; rest >= 10; rest /= 10) digits++;
  for (let i = digits; i > 0; value /= 10) store<u8>(at + --i, 48 + <u32>(value % 10));
  hostLog(<u32>level, text, <u32>(at - text) + digits);
}
