// Memory for one check: taken from the start of the heap upwards and dropped as a whole by the next `reset`. The memory grows when
// it must, up to the maximum that the module declares; past that the checker traps.

let top: usize = __heap_base;
let limit: usize = 0;

export function reset(): void {
  top = __heap_base;
}

/** Makes sure that the bytes below `end` exist. */
export function reach(end: usize): void {
  if (end <= limit) return;
  const size = (<usize>memory.size()) << 16;
  if (end > size && memory.grow(<i32>((end - size + 0xffff) >> 16)) < 0) unreachable();
  limit = (<usize>memory.size()) << 16;
}

export function alloc(bytes: usize): usize {
  const ptr = (top + 7) & ~7;
  top = ptr + bytes;
  reach(top);
  return ptr;
}

export function allocZeros(bytes: usize): usize {
  const ptr = alloc(bytes);
  memory.fill(ptr, 0, bytes);
  return ptr;
}

/** Where free memory begins: for a writer whose length is not known yet, which calls `setTop` at its end. */
export function getTop(): usize {
  return (top + 7) & ~7;
}

export function setTop(ptr: usize): void {
  top = ptr;
}
