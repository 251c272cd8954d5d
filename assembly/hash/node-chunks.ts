// Chunks of made nodes (host/state/commitment/chunk.ts), packed children first; links lead to disk from then on.
import { emit } from "./imports";
import {
  copy,
  copyHash,
  hashOf,
  heights,
  INNER_HEADER_BYTES,
  innerOf,
  isInner,
  keyOf,
  LEAF_HEADER_BYTES,
  LINK_BYTES,
  madeAt,
  RECORD_HEADER_BYTES,
  recordOf,
  refs,
  sizes,
  version,
} from "./made-nodes";

export const CHUNK_HEADER_BYTES: u32 = 12;
const SLOTS_PER_CHUNK: u32 = 256;
const CHUNK_FORMAT: u8 = 1;

// The chunk in the making.
let chunkBytesTarget: u32 = 0;
let chunk: usize = 0;
let chunkNumber: u64 = 0;
let chunkCount: u32 = 0;
let chunkLength: u32 = 0;
const offsets: usize = memory.data(2 * 256, 16);

/** Chunks are made at `at`, of about so many bytes, with numbers from `next` on. */
export function beginChunks(at: usize, next: f64, bytesTarget: u32): void {
  chunkNumber = <u64>next;
  chunkBytesTarget = bytesTarget;
  chunk = at;
}

/** Hands out what is left; returns the next chunk's number. */
export function endChunks(): f64 {
  if (chunkCount > 0) closeChunk();
  return <f64>chunkNumber;
}

/** Writes a node into the chunk, and points its link at it. */
export function pack(link: u32): void {
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
  store<u64>(chunk, version, 4);
  memory.copy(chunk + chunkLength, offsets, 2 * chunkCount);
  const length = chunkLength + 2 * chunkCount;
  const number = chunkNumber++;
  chunkCount = 0;
  emit(<f64>number, chunk, length);
}
