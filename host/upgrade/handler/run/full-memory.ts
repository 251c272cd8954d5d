/**
 * A memory that is full, in words. Guests end themselves with `unreachable` when they get no more memory, as for much else;
 * that all of it is in use says why. The words are for people: code and gas are those of any other trap.
 */
import { PAGE_BYTES } from "../../wasm/limits.js";
import type { WasmHandler } from "../handler.js";

export interface MemoryUse {
  /** In use. */
  readonly bytes: number;
  /** The most that the handler may have. */
  readonly limit: number;
  /** That each pair of the scan took, where that is known. */
  readonly perPair: number | undefined;
}

const MIB = 1_048_576;

type Details = Readonly<Record<string, string>>;

/** @param details of the error that a run ended with (place.ts) */
export function memoryUse(handler: WasmHandler, details: Details): MemoryUse {
  const bytes = Number(details["memory"]);
  const pairs = Number(details["pairs"] ?? 0);
  const perPair = pairs > 0 ? Math.round((bytes - Number(details["memory_before"])) / pairs) : undefined;
  return { bytes, limit: memoryBounds(handler).max, perPair };
}

/** Bytes that a handler's memory has in the beginning, and at most. */
export function memoryBounds({ memory }: WasmHandler): { readonly min: number; readonly max: number } {
  return { min: memory.pages * PAGE_BYTES, max: memory.pagesMax * PAGE_BYTES };
}

/** It grew up to its limit. One that cannot grow is not full for that. */
export function isMemoryFull(handler: WasmHandler, details: Details): boolean {
  const { min, max } = memoryBounds(handler);
  return max > min && Number(details["memory"]) >= max;
}

/** `out of memory: 32 MiB, grows 8257 bytes a pair` */
export function memoryText({ bytes, limit, perPair }: MemoryUse): string {
  const used = bytes < limit ? `${mebibytes(bytes)} in use, of at most ${mebibytes(limit)}` : mebibytes(limit);
  return `out of memory: ${used}${perPair === undefined ? "" : `, grows ${perPair} bytes a pair`}`;
}

export const mebibytes = (bytes: number): string => `${Number((bytes / MIB).toFixed(1))} MiB`;

/** Undefined where the run ended for something else, or some memory was left. */
export function fullMemoryText(handler: WasmHandler, details: Details): string | undefined {
  if (details["trap"] !== "unreachable" || !isMemoryFull(handler, details)) return undefined;
  return memoryText(memoryUse(handler, details));
}
