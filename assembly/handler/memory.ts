// The two buffers that the host reads and writes: `handler_in` and `handler_out` of the interface.

/** The host asks for this much once. */
const OUT_BYTES: u32 = 262_144;
const IN_BYTES: u32 = 65_536;

const out: usize = memory.data(OUT_BYTES, 16);
let input: usize = memory.data(IN_BYTES, 16);
let inputCap: u32 = IN_BYTES;

/** A larger frame than the host's usual batch gets a buffer of its own. */
export function inputBuffer(cap: u32): usize {
  if (cap > inputCap) {
    input = heap.alloc(cap);
    inputCap = cap;
  }
  return input;
}

export function outputBuffer(cap: u32): usize {
  return cap <= OUT_BYTES ? out : 0;
}

export function inputPtr(): usize {
  return input;
}

export function outputPtr(): usize {
  return out;
}

export function outputCap(): u32 {
  return OUT_BYTES;
}
