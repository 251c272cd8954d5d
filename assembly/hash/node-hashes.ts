// Hashes of made nodes, as IAVL+ has them (host/state/commitment/node-hashes.ts is the same without SIMD).
import { digest } from "./imports";
import {
  copy,
  copyHash,
  count,
  HASH_BYTES,
  hashOf,
  innerOf,
  levels,
  madeAt,
  ordered,
  RECORD_HEADER_BYTES,
  recordOf,
  sizes,
  version,
} from "./made-nodes";
import { BYTES_MAX, hashMessages, inputPtr, MESSAGES_MAX, setMessage } from "./messages";

/** Longer messages go to `digest`. */
const QUEUED_BYTES_MAX: u32 = 1_024;

/** Messages that wait, and the bytes of the input that they take. */
let messages: u32 = 0;
let used: u32 = 0;

/** Level by level: nodes of one level do not ask for each other. After `collect` levels hold their own ends. */
export function hashAll(): void {
  const leaves = load<u32>(levels);
  for (let i: u32 = 0; i < leaves; i++) askValue(load<u32>(ordered + 4 * i));
  settle();
  for (let i: u32 = 0; i < leaves; i++) askLeaf(load<u32>(ordered + 4 * i));
  settle();
  let at = leaves;
  for (let height: u32 = 1; at < count; height++) {
    const end = load<u32>(levels + 4 * height);
    for (; at < end; at++) askInner(load<u32>(ordered + 4 * at), height);
    settle();
  }
}

function settle(): void {
  if (messages > 0) hashMessages(messages);
  messages = 0;
  used = 0;
}

/** Where a message of this length goes. */
function room(length: u32): usize {
  if (messages === MESSAGES_MAX || used + length > BYTES_MAX) settle();
  return inputPtr() + used;
}

function ask(at: usize, length: u32, target: usize): void {
  setMessage(messages++, at, length, target);
}

function askValue(link: u32): void {
  const record = recordOf(madeAt(link));
  const length = load<u32>(record, 4);
  const at = record + RECORD_HEADER_BYTES + load<u32>(record);
  if (length > QUEUED_BYTES_MAX) {
    digest(at, length, hashOf(link));
    return;
  }
  if (messages === MESSAGES_MAX) settle();
  ask(at, length, hashOf(link));
}

/** The value's hash is where the leaf's own will. */
function askLeaf(link: u32): void {
  const record = recordOf(madeAt(link));
  const keyLen = load<u32>(record);
  const target = hashOf(link);
  store<f64>(sizes + 8 * <usize>link, 1);
  let begin = room(40 + keyLen + HASH_BYTES);
  if (keyLen + 64 > QUEUED_BYTES_MAX) {
    settle();
    begin = inputPtr();
  }
  let at = putVarint(putVarint(putVarint(begin, 0), 1), version);
  at = putUvarint(at, keyLen);
  copy(at, record + RECORD_HEADER_BYTES, keyLen);
  at += keyLen;
  store<u8>(at, HASH_BYTES);
  copyHash(at + 1, target);
  const length = <u32>(at + 1 + HASH_BYTES - begin);
  if (keyLen + 64 > QUEUED_BYTES_MAX) {
    digest(begin, length, target);
    return;
  }
  ask(begin, length, target);
  used += length;
}

function askInner(link: u32, height: u32): void {
  const left = 2 * innerOf(madeAt(link));
  const size = load<f64>(sizes + 8 * <usize>left) + load<f64>(sizes + 8 * <usize>left, 8);
  store<f64>(sizes + 8 * <usize>link, size);
  const begin = room(40 + 2 * HASH_BYTES);
  let at = putVarint(putVarint(putVarint(begin, height), <u64>size), version);
  store<u8>(at, HASH_BYTES);
  copyHash(at + 1, hashOf(left));
  at += 1 + HASH_BYTES;
  store<u8>(at, HASH_BYTES);
  copyHash(at + 1, hashOf(left + 1));
  const length = <u32>(at + 1 + HASH_BYTES - begin);
  ask(begin, length, hashOf(link));
  used += length;
}

/** Zigzag of a number that is not negative. */
function putVarint(at: usize, value: u64): usize {
  return putUvarint(at, value << 1);
}

function putUvarint(at: usize, value: u64): usize {
  for (; value >= 0x80; value >>= 7) store<u8>(at++, <u8>value | 0x80);
  store<u8>(at, <u8>value);
  return at + 1;
}
