// The memory that a host may point into: the scratch area and the arena. Any other pointer, or a length that leaves its
// area, is a mistake of the host by which it would read or overwrite what the core itself works with: it traps.
import { ARENA_BYTES, SCRATCH_BYTES } from "./limits";

const scratch: usize = memory.data(SCRATCH_BYTES, 16);
const arena: usize = memory.data(ARENA_BYTES, 16);
let arenaUsed: u32 = 0;

export function scratchPtr(): usize {
  return scratch;
}

/** Takes `n` bytes of the arena; 0: full. */
export function alloc(n: u32): usize {
  const left = <u32>ARENA_BYTES - arenaUsed;
  if (n > left) return 0;
  const ptr = arena + arenaUsed;
  arenaUsed += min((n + 15) & ~15, left);
  return ptr;
}

export function reset(): void {
  arenaUsed = 0;
}

function lies(ptr: usize, len: u32, area: usize, bytes: u32): bool {
  return ptr >= area && ptr - area <= bytes && len <= bytes - <u32>(ptr - area);
}

/** An input, or room for an output. A pointer to nothing may be any. */
export function check(ptr: usize, len: u32): void {
  const isThere = len == 0 || lies(ptr, len, scratch, SCRATCH_BYTES) || lies(ptr, len, arena, ARENA_BYTES);
  assert(isThere, "a pointer and its length leave the scratch area and the arena");
}

/** An input and the room for its output, which is written while the input is read. */
export function checkBoth(ptr: usize, len: u32, out: usize, cap: u32): void {
  check(ptr, len);
  check(out, cap);
  assert(len == 0 || cap == 0 || ptr + len <= out || out + cap <= ptr, "an output overlaps its input");
}
