// The nodes that a commit made, as the host lays them out (host/state/commitment/made-nodes.ts): where they are, and which of
// them are to be finished.

export const HASH_BYTES: u32 = 32;
export const LEAF_HEADER_BYTES: u32 = 7;
export const LINK_BYTES: u32 = 13 + HASH_BYTES;
export const INNER_HEADER_BYTES: u32 = 3 + 2 * LINK_BYTES;
export const RECORD_HEADER_BYTES: u32 = 8;

// The made nodes: parallel arrays by link (2 × inner node + side) or by inner node, and the arena of their records.
export let refs: usize = 0;
export let sizes: usize = 0;
export let hashes: usize = 0;
export let keys: usize = 0;
export let heights: usize = 0;
export let kept: usize = 0;
export let arena: usize = 0;

/** Links to what is to be finished, children first; and the same by height. */
export let list: usize = 0;
export let ordered: usize = 0;
export let count: u32 = 0;
export let longest: u32 = 0;
/** How many of `list` have each height. */
export const levels: usize = memory.data(4 * 257, 16);

export let version: u64 = 0;

/** Where the arrays are; `free`: after all of them, where the lists go. Returns the first byte after those. */
export function setNodes(
  refsAt: usize,
  sizesAt: usize,
  hashesAt: usize,
  keysAt: usize,
  heightsAt: usize,
  keptAt: usize,
  arenaAt: usize,
  free: usize,
  inners: u32,
  newVersion: f64,
): usize {
  refs = refsAt;
  sizes = sizesAt;
  hashes = hashesAt;
  keys = keysAt;
  heights = heightsAt;
  kept = keptAt;
  arena = arenaAt;
  version = <u64>newVersion;
  list = (free + 15) & ~15;
  ordered = list + 8 * <usize>inners;
  return ordered + 8 * <usize>inners;
}

// A reference is an id on disk, or below zero: -(2 i + 1) is inner node i, -(2 a + 2) the leaf whose record begins at
// byte a of the arena.
export function madeAt(link: u32): u32 {
  const ref = load<f64>(refs + 8 * <usize>link);
  return ref < 0 ? <u32>-ref : 0;
}

export function isInner(made: u32): bool {
  return (made & 1) === 1;
}

export function innerOf(made: u32): u32 {
  return (made - 1) >> 1;
}

export function recordOf(made: u32): usize {
  return arena + ((made - 2) >> 1);
}

export function keyOf(inner: u32): usize {
  return arena + <usize>load<f64>(keys + 8 * <usize>inner);
}

export function hashOf(link: u32): usize {
  return hashes + <usize>HASH_BYTES * <usize>link;
}

/** Lists what is to be finished below a link. */
export function collect(top: u32): void {
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

export function copyHash(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
}

export function copy(to: usize, from: usize, length: u32): void {
  memory.copy(to, from, length);
}
