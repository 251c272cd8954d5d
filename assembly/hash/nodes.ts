// Finishes nodes that a commit made: hashes them level by level and packs them into chunks, children first. The arrays
// are those of host/state/commitment/made-nodes.ts, the chunks those of host/state/commitment/chunk.ts, the hashes IAVL+'s. What is
// done here is also written in TypeScript (node-hashes.ts, node-output.ts), for engines without SIMD: a test holds the
// two together.
import { collect, count, list, longest, setNodes } from "./made-nodes";
import { beginChunks, CHUNK_HEADER_BYTES, endChunks, pack } from "./node-chunks";
import { hashAll } from "./node-hashes";

const PAGE_BYTES: usize = 65_536;

/** Where the made nodes' arrays may begin. */
export function nodesPtr(): usize {
  return (__heap_base + 15) & ~15;
}

/**
 * Finishes the made nodes below `link`, except inner nodes that are marked in `kept`; their links then lead to disk.
 * `inners`: how many inner nodes there are; `free`: the first byte after the arena. Returns the next chunk's number.
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
  const chunk = setNodes(refsAt, sizesAt, hashesAt, keysAt, heightsAt, keptAt, arenaAt, free, inners, newVersion);
  beginChunks(chunk, nextChunk, chunkBytes);
  reserve(chunk);
  collect(link);
  reserve(chunk + max(chunkBytes, CHUNK_HEADER_BYTES + longest + 2));
  hashAll();
  for (let i: u32 = 0; i < count; i++) pack(load<u32>(list + 4 * i));
  return endChunks();
}

function reserve(end: usize): void {
  const pages = (end + PAGE_BYTES - 1) / PAGE_BYTES;
  const there = <usize>memory.size();
  if (pages > there && memory.grow(<i32>(pages - there)) < 0) unreachable();
}
