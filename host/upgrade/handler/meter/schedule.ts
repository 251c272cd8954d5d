/**
 * The gas schedule `gas-2`: what everything costs that a handler does. It is part of consensus: a change of any number
 * is a new schedule with a new name. docs/gas.md is made from this file and from instruction-prices.ts.
 *
 * Prices follow from time: `npm run bench -- gas` measures each row at its worst, and what a gas of it takes must not be
 * more than five times what a gas of split-balances takes, its commit included. Beside each price is what was
 * measured, in nanoseconds, at its worst, on two cores at 2.5 GHz with Node 20.
 */

/** Name of the gas schedule; in every receipt. */
export const GAS_SCHEDULE = "gas-2";

/** Bytes that one gas pays for in memory.copy, memory.fill and memory.init, as a power of two; a rest is free. */
export const BULK_BYTES_LOG2 = 3;
/** Per page of 64 KiB that memory.grow adds (32,000 ns, 52,000 ns on a busy machine, with its first touch); a request past the maximum returns -1 and adds none. */
export const GROW_PAGE_PRICE = 90_000;
/** A memory of at most so many pages is kept in a processor's own cache. */
export const NEAR_PAGES = 16;
/** Each load costs this more from when the memory is larger: 170 ns, when each waits for the one before it. */
export const FAR_LOAD_PRICE = 400;

/** What the host does for a guest, besides the price of the `call`. */
export const HOST_PRICES = Object.freeze({
  /** Per byte of the file, before anything runs. */
  fileByte: 1_000,
  /** Each call that the host makes: `_initialize`, `handler_in`, `handler_run` and the others. */
  hostCall: 2_000,
  /** 45,000 ns among a million keys, 60,000 ns on a busy machine; 1,000 ns among a thousand. */
  store_get: 200_000,
  /** 42,000 ns among a million keys, 68,000 ns on a busy machine, whatever was written before; 4,000 ns among a thousand. */
  store_scan: 200_000,
  /** Each pair that store_scan gives, and each of a manifest's scan: 670 ns. */
  scanPair: 2_000,
  /** Each key that store_scan goes by since the handler deleted it. */
  scanPassed: 1_000,
  /** Per byte of such a key: 2.6 ns when they have 64 KiB and are all alike but for their ends. */
  scanPassedByte: 8,
  /** store_set and every put in frames, its part of the commit too: 10,000 ns in scattered order, 2,500 ns when they are many and in order. */
  put: 12_000,
  /** store_delete and every delete in frames: 11,000 ns in scattered order. */
  delete: 12_000,
  /** The first WRITES_ALONE of a run cost this more: 30,000 ns, since each changes a path of the tree for itself alone. */
  writeAlone: 70_000,
  /** 165 ns */
  store_write: 600,
  /** 1,430 ns */
  log: 4_000,
  /** 50 ns */
  progress: 300,
  /** Per byte of a log line, up to LOG_BYTES_MAX: 26 ns. */
  logByte: 100,
  /** Per byte that crosses, either way: keys, values, frames with their headers, messages, texts. */
  byte: 1,
  /** Per byte of a key, or of a value that is written, beyond its first LONG_BYTES: 5 ns, compared, hashed and committed. */
  longByte: 12,
});

/** Keys and values that are not longer cost what their writes and reads do. */
const LONG_BYTES = 1_024;

/** What the length of a key, or of a value that is written, costs besides its bytes. */
export function longPrice(bytes: number): number {
  return Math.max(0, bytes - LONG_BYTES) * HOST_PRICES.longByte;
}

/** Writes of a run until others share their paths. */
export const WRITES_ALONE = 10_000;

/**
 * A function without loops, not exported and not in the table, from which no call leads to one that can call itself:
 * when its instructions, and such functions that it calls, cost at most this together, it is paid for as a whole where it
 * is called, whatever of it runs.
 */
export const FLAT_PRICE_MAX = 1_000;

/** Abstract bytes of stack that calls may use together. */
export const STACK_BUDGET = 262_144;
/** Each call uses this… */
export const FRAME_BYTES = 144;
/** …and this for each value that it may keep (frame-size.ts). */
export const SLOT_BYTES = 8;
