// SHA-256 of many messages at once: four lanes, each with a message of its own. A lane whose message is done takes the
// next one, so lengths may differ. FIPS 180-4; numbers in the comments are its equations.
import { compress, LANES, pointLane, readDigest, resetLane } from "./lanes";

/** What one call takes. */
export const BYTES_MAX: u32 = 131_072;
export const MESSAGES_MAX: u32 = 1_024;
const BLOCK: u32 = 64;

/** Room for messages, one after the other; a last word may be read after the end of them. */
const input: usize = memory.data(131_072 + 64, 16);
const lengths: usize = memory.data(4 * 1_024, 16);
const digests: usize = memory.data(32 * 1_024, 16);

/** Where each message is, and where its digest goes. */
const sources: usize = memory.data(4 * 1_024, 16);
const targets: usize = memory.data(4 * 1_024, 16);

// By lane: the last one or two blocks with their padding, and where the work is.
const tails: usize = memory.data(4 * 128, 16);
const states: usize = memory.data(4 * 16, 16);
const POSITION: usize = 0;
const WHOLE_LEFT: usize = 4;
const TAIL_LEFT: usize = 8;
const MESSAGE: usize = 12;
const IDLE: u32 = 0xffff_ffff;

/** Number of the next message to be taken. */
let next: u32 = 0;

export function inputPtr(): usize {
  return input;
}

export function lengthsPtr(): usize {
  return lengths;
}

export function digestsPtr(): usize {
  return digests;
}

/** Hashes `count` messages at `inputPtr()`, whose lengths are at `lengthsPtr()`; digests are one after the other. */
export function hash(count: u32): void {
  let at = input;
  for (let i: u32 = 0; i < count; i++) {
    const length = load<u32>(lengths + 4 * i);
    setMessage(i, at, length, digests + 32 * i);
    at += length;
  }
  hashMessages(count);
}

/** Message `i` of a call: up to 64 bytes after it are read, and mean nothing. */
export function setMessage(i: u32, at: usize, length: u32, target: usize): void {
  store<u32>(sources + 4 * i, <u32>at);
  store<u32>(lengths + 4 * i, length);
  store<u32>(targets + 4 * i, <u32>target);
}

/** Hashes the first `count` messages that were set. */
export function hashMessages(count: u32): void {
  next = 0;
  let busy: u32 = 0;
  for (let lane: u32 = 0; lane < LANES; lane++) if (take(lane, count)) busy++;
  while (busy > 0) {
    compress();
    for (let lane: u32 = 0; lane < LANES; lane++) if (!advance(lane, count)) busy--;
  }
}

/** Gives a lane the next message; false when there is none, and the lane works on anything from then on. */
function take(lane: u32, count: u32): bool {
  const state = states + 16 * lane;
  if (next >= count) {
    store<u32>(state, IDLE, MESSAGE);
    pointLane(lane, input);
    return false;
  }
  const at = <usize>load<u32>(sources + 4 * next);
  const length = load<u32>(lengths + 4 * next);
  const whole = length / BLOCK;
  const tailLeft = pad(tails + 2 * BLOCK * lane, at + whole * BLOCK, length);
  store<u32>(state, <u32>at, POSITION);
  store<u32>(state, whole, WHOLE_LEFT);
  store<u32>(state, tailLeft, TAIL_LEFT);
  store<u32>(state, next, MESSAGE);
  resetLane(lane);
  pointLane(lane, whole > 0 ? at : tails + 2 * BLOCK * lane);
  next++;
  return true;
}

/** A block of the lane's message is done. False when the lane has just fallen idle. */
function advance(lane: u32, count: u32): bool {
  const state = states + 16 * lane;
  const message = load<u32>(state, MESSAGE);
  if (message == IDLE) return true;
  const whole = load<u32>(state, WHOLE_LEFT);
  const tail = tails + 2 * BLOCK * lane;
  if (whole > 0) {
    const position = load<u32>(state, POSITION) + BLOCK;
    store<u32>(state, position, POSITION);
    store<u32>(state, whole - 1, WHOLE_LEFT);
    pointLane(lane, whole > 1 ? <usize>position : tail);
    return true;
  }
  const tailLeft = load<u32>(state, TAIL_LEFT) - 1;
  if (tailLeft > 0) {
    store<u32>(state, tailLeft, TAIL_LEFT);
    pointLane(lane, tail + BLOCK);
    return true;
  }
  readDigest(lane, <usize>load<u32>(targets + 4 * message));
  return take(lane, count);
}

/** Writes the rest of a message after its whole blocks, and the padding; returns the number of blocks. */
function pad(to: usize, from: usize, length: u32): u32 {
  const rest = length % BLOCK;
  const blocks: u32 = rest < BLOCK - 8 ? 1 : 2;
  const end = to + blocks * BLOCK;
  const words = rest & ~7;
  for (let i: u32 = 0; i < words; i += 8) store<u64>(to + i, load<u64>(from + i));
  const shift = <u64>(rest - words) * 8;
  const partial = load<u64>(from + words) & (((<u64>1) << shift) - 1);
  store<u64>(to + words, partial | ((<u64>0x80) << shift));
  for (let word = to + words + 8; word < end; word += 8) store<u64>(word, 0);
  store<u64>(end - 8, bswap(<u64>length * 8));
  return blocks;
}
