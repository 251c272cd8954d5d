// One batch of a scan: frames in, frames out. `begin`, then `next()` for each pair, `reserve()` room for what it
// becomes, write, and `end()`. A pair that finds no room comes again in the next batch.
import { failWith } from "./failure";
import { inputPtr, outputCap, outputPtr } from "./memory";

const OP_DELETE: u32 = 1 << 30;

let at: usize = 0;
let stop: usize = 0;
let written: u32 = 4;

// The pair in hand.
export let keyPtr: usize = 0;
export let keyLen: u32 = 0;
export let valuePtr: usize = 0;
export let valueLen: u32 = 0;

export function begin(inLen: u32): void {
  at = inputPtr();
  stop = at + inLen;
  written = 4;
}

/** Takes the next pair in hand; false at the end of the batch. */
export function next(): bool {
  if (at >= stop) return false;
  keyLen = load<u32>(at);
  valueLen = load<u32>(at, 4);
  keyPtr = at + 8;
  valuePtr = keyPtr + keyLen;
  at = valuePtr + valueLen;
  return true;
}

/**
 * Is there room for `bytes` more of output? If not, the pair in hand is given back and the batch is over. A pair that
 * would not even fit alone ends the run.
 */
export function reserve(bytes: u32): bool {
  if (written + bytes <= outputCap()) return true;
  if (written == 4) failWith(-1, "a pair needs more output than a batch has room for");
  at = keyPtr - 8;
  return false;
}

/** Room that a put of these lengths takes. */
export function putBytes(keyLen: u32, valueLen: u32): u32 {
  return 8 + keyLen + valueLen;
}

/** Begins a put and answers where its key goes; the value follows the key. */
export function put(store: u32, keyLen: u32, valueLen: u32): usize {
  const frame = outputPtr() + written;
  setWord(frame, (store << 24) | keyLen);
  setWord(frame + 4, valueLen);
  written += 8 + keyLen + valueLen;
  return frame + 8;
}

/** Begins a delete and answers where its key goes. */
export function remove(store: u32, keyLen: u32): usize {
  const frame = outputPtr() + written;
  setWord(frame, OP_DELETE | (store << 24) | keyLen);
  written += 4 + keyLen;
  return frame + 4;
}

/** Ends the batch: what `handler_batch` answers. */
export function end(): i32 {
  setWord(outputPtr(), <u32>(at - inputPtr()));
  return written;
}

/** `store` is a parameter's name above, so the built-in has another one here. */
function setWord(ptr: usize, value: u32): void {
  store<u32>(ptr, value);
}
