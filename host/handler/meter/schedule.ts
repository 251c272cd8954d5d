/**
 * The gas schedule `gas-1`: what everything costs that a handler does. It is part of consensus: a change of any number
 * is a new schedule with a new name. docs/gas.md is made from this file.
 */
import { instructionOf, OP } from "../opcodes.js";

/** Stands in every receipt. */
export const GAS_SCHEDULE = "gas-1";

/** Instructions by group; what no group names costs `other`. */
export const INSTRUCTION_PRICES = Object.freeze({
  /** block, else, end: no work of their own. */
  structure: 0,
  /** Each time a loop begins anew; pays for the check there. */
  loop: 3,
  /** if, br_if */
  condition: 2,
  brTable: 3,
  call: 6,
  callIndirect: 12,
  /** Loads and stores. */
  memoryAccess: 2,
  /** div and rem, 32 and 64 bits. */
  division: 8,
  /** memory.copy, memory.fill, memory.init, before their bytes. */
  bulk: 8,
  /** memory.grow, before its pages. */
  grow: 100,
  other: 1,
});

/** Bytes that one gas pays for in memory.copy, memory.fill and memory.init, as a power of two; a rest is free. */
export const BULK_BYTES_LOG2 = 3;
/** Per page of 64 KiB that memory.grow adds; a request past the maximum is answered -1 and adds none. */
export const GROW_PAGE_PRICE = 10_000;

/** What the host does for a guest, besides the price of the `call`. */
export const HOST_PRICES = Object.freeze({
  /** Per byte of the file, before anything runs. */
  fileByte: 1,
  /** Each call that the host makes: `_initialize`, `handler_in`, `handler_run` and the others. */
  hostCall: 100,
  store_get: 1_000,
  store_scan: 1_000,
  /** Each key that store_scan goes by since the handler deleted it. */
  scanPassed: 100,
  /** store_set and every put in frames. */
  put: 3_000,
  /** store_delete and every delete in frames. */
  delete: 3_000,
  store_write: 100,
  /** log and progress. */
  report: 300,
  /** Per byte of a log line. */
  logByte: 10,
  /** Per byte that crosses, either way: keys, values, frames with their headers, messages, texts. */
  byte: 1,
});

/**
 * A function without loops, not exported and not in the table, from which no call leads to one that can call itself:
 * when its instructions, and such functions that it calls, cost at most this together, it is paid for as a whole where it
 * is called, whatever of it runs.
 */
export const FLAT_PRICE_MAX = 400;

/** Abstract bytes of stack that calls may use together. */
export const STACK_BUDGET = 262_144;
/** Each call uses this… */
export const FRAME_BYTES = 144;
/** …and this for each value that it may keep (frame-size.ts). */
export const SLOT_BYTES = 8;

const PREFIXED = 0xfc00;

function groupOf(opcode: number, name: string): keyof typeof INSTRUCTION_PRICES {
  if (opcode === OP.block || opcode === OP.else || opcode === OP.end) return "structure";
  if (opcode === OP.loop) return "loop";
  if (opcode === OP.if || opcode === OP.brIf) return "condition";
  if (opcode === OP.brTable) return "brTable";
  if (opcode === OP.call) return "call";
  if (opcode === OP.callIndirect) return "callIndirect";
  if (name === "memory.grow") return "grow";
  if (/^memory\.(copy|fill|init)$/.test(name)) return "bulk";
  if (/^i(32|64)\.(load|store)/.test(name)) return "memoryAccess";
  if (/\.(div|rem)_[su]$/.test(name)) return "division";
  return "other";
}

const PRICES = new Uint16Array(512);
for (let index = 0; index < PRICES.length; index++) {
  const opcode = index < 256 ? index : PREFIXED + index - 256;
  PRICES[index] = INSTRUCTION_PRICES[groupOf(opcode, instructionOf(opcode)?.name ?? "")];
}

/** @param opcode of an allowed instruction; 0xfc00 + number for the prefixed ones */
export function instructionPrice(opcode: number): number {
  return PRICES[opcode < 256 ? opcode : opcode - PREFIXED + 256] as number;
}
