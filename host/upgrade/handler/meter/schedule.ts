/**
 * The gas schedule `gas-2`: what everything costs that a handler does. It is part of consensus: a change of any number
 * is a new schedule with a new name. docs/gas.md is made from this file.
 *
 * Prices follow from time: `npm run bench -- gas` measures each row at its worst, and what a gas of it takes must not be
 * more than five times what a gas of split-balances takes, its commit included. Beside each price is what was
 * measured, in nanoseconds, at its worst, on two cores at 2.5 GHz with Node 20.
 */
import { instructionOf } from "../../wasm/opcodes.js";

export { GAS_SCHEDULE } from "./schedule-name.js";

interface InstructionRow {
  readonly gas: number;
  /** Of one, at its worst. */
  readonly nanoseconds: number;
  readonly names: string;
}

/** Every instruction that is allowed, by its name. */
const INSTRUCTIONS: readonly InstructionRow[] = [
  // No work of their own.
  { gas: 0, nanoseconds: 0, names: "block else end" },
  { gas: 1, nanoseconds: 1, names: "unreachable nop br return drop select local.get local.set local.tee" },
  { gas: 1, nanoseconds: 1, names: "global.get global.set memory.size data.drop i32.const i64.const" },
  { gas: 1, nanoseconds: 1, names: "i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u" },
  { gas: 1, nanoseconds: 1, names: "i32.ge_s i32.ge_u i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u" },
  { gas: 1, nanoseconds: 1, names: "i64.le_s i64.le_u i64.ge_s i64.ge_u i32.clz i32.ctz i32.popcnt i64.clz i64.ctz" },
  { gas: 1, nanoseconds: 1, names: "i64.popcnt i32.add i32.sub i32.mul i32.and i32.or i32.xor i32.shl i32.shr_s" },
  { gas: 1, nanoseconds: 1, names: "i32.shr_u i32.rotl i32.rotr i64.add i64.sub i64.mul i64.and i64.or i64.xor" },
  { gas: 1, nanoseconds: 1, names: "i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr i32.wrap_i64 i64.extend_i32_s" },
  { gas: 1, nanoseconds: 1, names: "i64.extend_i32_u i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s" },
  { gas: 1, nanoseconds: 1, names: "i64.extend32_s" },
  // A branch that nobody foresees.
  { gas: 3, nanoseconds: 4, names: "if br_if" },
  // Each time a loop begins again; the check of the gas is made there.
  { gas: 3, nanoseconds: 1, names: "loop" },
  { gas: 6, nanoseconds: 8, names: "br_table" },
  { gas: 6, nanoseconds: 3, names: "call" },
  { gas: 12, nanoseconds: 11, names: "call_indirect" },
  // Each waits for the one before it, over a memory of a mebibyte; larger memories: FAR_LOAD_PRICE.
  {
    gas: 30,
    nanoseconds: 8,
    names: "i32.load i64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u i64.load8_s",
  },
  { gas: 30, nanoseconds: 8, names: "i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u" },
  // Nothing waits for a store.
  { gas: 2, nanoseconds: 2, names: "i32.store i64.store i32.store8 i32.store16 i64.store8 i64.store16 i64.store32" },
  { gas: 8, nanoseconds: 4, names: "i32.div_s i32.div_u i32.rem_s i32.rem_u i64.div_s i64.div_u i64.rem_s i64.rem_u" },
  // Before their bytes. A fill of nothing takes longest; a copy or an init of a few bytes takes 4.
  { gas: 400, nanoseconds: 168, names: "memory.copy memory.fill memory.init" },
  // Before its pages.
  { gas: 600, nanoseconds: 220, names: "memory.grow" },
];

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

const PREFIXED = 0xfc00;
const [LOAD_FIRST, LOAD_LAST] = [0x28, 0x35];

const byName = new Map(INSTRUCTIONS.flatMap(({ gas, names }) => names.split(" ").map((name) => [name, gas] as const)));
const PRICES = new Uint16Array(512);
for (let index = 0; index < PRICES.length; index++) {
  const name = instructionOf(index < 256 ? index : PREFIXED + index - 256)?.name;
  PRICES[index] = byName.get(name ?? "") ?? 0;
}

/** @param opcode of an allowed instruction; 0xfc00 + number for the prefixed ones */
export function instructionPrice(opcode: number): number {
  return PRICES[opcode < 256 ? opcode : opcode - PREFIXED + 256] as number;
}

export function isLoad(opcode: number): boolean {
  return opcode >= LOAD_FIRST && opcode <= LOAD_LAST;
}
