// Finishes nodes that a commit made: hashes them level by level and packs them into chunks, children first. The arrays
// are those of host/commitment/made-nodes.ts, the chunks those of host/commitment/chunk.ts, the hashes IAVL+'s. What is
// done here is also written in TypeScript (node-hashes.ts, node-output.ts), for engines without SIMD: a test holds the
// two together.
import { digest, emit } from "./imports";
import { BYTES_MAX, hashMessages, inputPtr, MESSAGES_MAX, setMessage } from "./messages";

const HASH_BYTES: u32 = 32;
/** Longer messages go to `digest`. */
const QUEUED_BYTES_MAX: u32 = 1_024;

const SLOTS_PER_CHUNK: u32 = 256;
const CHUNK_FORMAT: u8 = 1;
const CHUNK_HEADER_BYTES: u32 = 12;
const LEAF_HEADER_BYTES: u32 = 7;
const LINK_BYTES: u32 = 13 + HASH_BYTES;
const INNER_HEADER_BYTES: u32 = 3 + 2 * LINK_BYTES;
const RECORD_HEADER_BYTES: u32 = 8;
const PAGE_BYTES: usize = 65_536;

// The made nodes: parallel arrays by link (2 × inner node + side) or by inner node, and the arena of their records.
let refs: usize = 0;
let sizes: usize = 0;
let hashes: usize = 0;
let keys: usize = 0;
let heights: usize = 0;
let kept: usize = 0;
let arena: usize = 0;

/** Links to what is to be finished, children first; and the same by height. */
let list: usize = 0;
let ordered: usize = 0;
let count: u32 = 0;
let longest: u32 = 0;
/** How many of `list` have each height. */
const levels: usize = memory.data(4 * 257, 16);

let version: u64 = 0;
/** Messages that wait, and the bytes of the input that they take. */
let messages: u32 = 0;
let used: u32 = 0;

// The chunk in the making.
let chunkBytesTarget: u32 = 0;
let chunk: usize = 0;
let chunkNumber: u64 = 0;
let chunkCount: u32 = 0;
let chunkLength: u32 = 0;
const offsets: usize = memory.data(2 * 256, 16);

/** Where the made nodes' arrays may begin. */
export function nodesPtr(): usize {
  return (__heap_base + 15) & ~15;
}

/**
 * Finishes the made nodes behind `link`, except inner nodes that are marked in `kept`; their links then lead to disk.
 * `inners`: how many inner nodes there are; `free`: the first byte behind the arena. Returns the next chunk's number.
 */
export function finishNodes(
  refsAt: usize,
  sizesAt: usize,
  hashesAt: usize,
  keysAt: usize,
  heightsAt: usize,
  keptAt: usize,
  arenaAt: usize,
  free: usize,
  inners: u32,
  link: u32,
  newVersion: f64,
  nextChunk: f64,
  chunkBytes: u32,
): f64 {
  refs = refsAt;
  sizes = sizesAt;
  hashes = hashesAt;
  keys = keysAt;
  heights = heightsAt;
  kept = keptAt;
  arena = arenaAt;
  version = <u64>newVersion;
  chunkNumber = <u64>nextChunk;
  chunkBytesTarget = chunkBytes;
  list = (free + 15) & ~15;
  ordered = list + 8 * <usize>inners;
  chunk = ordered + 8 * <usize>inners;
  reserve(chunk);
  collect(link);
  reserve(chunk + max(chunkBytesTarget, CHUNK_HEADER_BYTES + longest + 2));
  hashAll();
  for (let i: u32 = 0; i < count; i++) pack(load<u32>(list + 4 * i));
  if (chunkCount > 0) closeChunk();
  return <f64>chunkNumber;
}

function reserve(end: usize): void {
  const pages = (end + PAGE_BYTES - 1) / PAGE_BYTES;
  const there = <usize>memory.size();
  if (pages > there && memory.grow(<i32>(pages - there)) < 0) unreachable();
}

// A reference is an id on disk, or below zero: -(2 i + 1) is inner node i, -(2 a + 2) the leaf whose record begins at
// byte a of the arena.
function madeAt(link: u32): u32 {
  const ref = load<f64>(refs + 8 * <usize>link);
  return ref < 0 ? <u32>-ref : 0;
}

function isInner(made: u32): bool {
  return (made & 1) === 1;
}

function innerOf(made: u32): u32 {
  return (made - 1) >> 1;
}

function recordOf(made: u32): usize {
  return arena + ((made - 2) >> 1);
}

function keyOf(inner: u32): usize {
  return arena + <usize>load<f64>(keys + 8 * <usize>inner);
}

function hashOf(link: u32): usize {
  return hashes + <usize>HASH_BYTES * <usize>link;
}

function collect(top: u32): void {
  memory.fill(levels, 0, 4 * 257);
  count = 0;
  longest = 0;
  visit(top);
  let before: u32 = 0;
  for (let height: usize = 0; height < 256; height++) {
    const here = load<u32>(levels + 4 * height);
    store<u32>(levels + 4 * height, before);
    before += here;
  }
  for (let i: u32 = 0; i < count; i++) {
    const link = load<u32>(list + 4 * i);
    const level = levels + 4 * <usize>load<u8>(heights + link);
    const at = load<u32>(level);
    store<u32>(ordered + 4 * at, link);
    store<u32>(level, at + 1);
  }
}

function visit(link: u32): void {
  const made = madeAt(link);
  if (made === 0) return;
  let bytes: u32;
  if (isInner(made)) {
    const inner = innerOf(made);
    visit(2 * inner);
    visit(2 * inner + 1);
    if (load<u8>(kept + inner) !== 0) return;
    bytes = INNER_HEADER_BYTES + load<u32>(keyOf(inner));
  } else {
    const record = recordOf(made);
    bytes = LEAF_HEADER_BYTES + load<u32>(record) + load<u32>(record, 4);
  }
  longest = max(longest, bytes);
  store<u32>(list + 4 * count++, link);
  const level = levels + 4 * <usize>load<u8>(heights + link);
  store<u32>(level, load<u32>(level) + 1);
}

// Hashes

/** Level by level: nodes of one level do not ask for each other. After `collect` levels hold their own ends. */
function hashAll(): void {
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

/** The value's hash stands where the leaf's own will. */
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

function copyHash(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
}

function copy(to: usize, from: usize, length: u32): void {
  memory.copy(to, from, length);
}

// Chunks

/** Writes a node into the chunk, and points its link at it. */
function pack(link: u32): void {
  const made = madeAt(link);
  if (isInner(made)) packInner(link, innerOf(made));
  else packLeaf(recordOf(made));
  const id = chunkNumber * SLOTS_PER_CHUNK + chunkCount - 1;
  store<f64>(refs + 8 * <usize>link, <f64>id);
}

function packLeaf(record: usize): void {
  const keyLen = load<u32>(record);
  const valueLen = load<u32>(record, 4);
  const at = add(LEAF_HEADER_BYTES + keyLen + valueLen);
  store<u8>(at, 0);
  store<u16>(at, <u16>keyLen, 1);
  store<u32>(at, valueLen, 3);
  copy(at + LEAF_HEADER_BYTES, record + RECORD_HEADER_BYTES, keyLen + valueLen);
}

function packInner(link: u32, inner: u32): void {
  const key = keyOf(inner);
  const keyLen = load<u32>(key);
  const at = add(INNER_HEADER_BYTES + keyLen);
  store<u8>(at, load<u8>(heights + link));
  store<u16>(at, <u16>keyLen, 1);
  packLink(at + 3, 2 * inner);
  packLink(at + 3 + LINK_BYTES, 2 * inner + 1);
  copy(at + INNER_HEADER_BYTES, key + RECORD_HEADER_BYTES, keyLen);
}

function packLink(at: usize, link: u32): void {
  putU48(at, <u64>load<f64>(refs + 8 * <usize>link));
  putU48(at + 6, <u64>load<f64>(sizes + 8 * <usize>link));
  store<u8>(at, load<u8>(heights + link), 12);
  copyHash(at + 13, hashOf(link));
}

function putU48(at: usize, value: u64): void {
  store<u32>(at, <u32>value);
  store<u16>(at, <u16>(value >> 32), 4);
}

/** Makes room for a node: an empty chunk takes any. */
function add(bytes: u32): usize {
  if (chunkCount === SLOTS_PER_CHUNK) closeChunk();
  else if (chunkCount > 0 && chunkLength + bytes + 2 * (chunkCount + 1) > chunkBytesTarget) closeChunk();
  if (chunkCount === 0) chunkLength = CHUNK_HEADER_BYTES;
  const at = chunkLength;
  store<u16>(offsets + 2 * chunkCount++, <u16>at);
  chunkLength += bytes;
  return chunk + at;
}

function closeChunk(): void {
  store<u8>(chunk, CHUNK_FORMAT);
  store<u8>(chunk, 0, 1);
  store<u16>(chunk, <u16>chunkCount, 2);
  putU48(chunk + 4, version);
  store<u16>(chunk, 0, 10);
  memory.copy(chunk + chunkLength, offsets, 2 * chunkCount);
  const length = chunkLength + 2 * chunkCount;
  const number = chunkNumber++;
  chunkCount = 0;
  emit(<f64>number, chunk, length);
}
