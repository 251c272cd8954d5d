/** Has the machine what the block needs: bytes of disk and of memory? */
import { readFileSync } from "node:fs";
import { freemem } from "node:os";
import { freeBytes } from "../../../base/files/disk-errors.js";
import type { Home } from "../../../node/home/home.js";
import { SPILL_RESERVE_BYTES } from "../../../state/store/disk/lmdb-spill.js";

export interface DiskNeed {
  readonly growth: number;
  readonly spill: number;
  readonly reserve: number;
  readonly needed: number;
  /** On the disk of the home's database; undefined: the system does not say. */
  readonly free: number | undefined;
}

export function diskNeed(
  home: Home,
  { growthBytes, spillBytes }: { readonly growthBytes: number; readonly spillBytes: number },
): DiskNeed {
  const free = freeBytes(home.databaseFile);
  // What a handler spills, the commit writes once more: both are on the disk for a while.
  const needed = growthBytes + spillBytes + SPILL_RESERVE_BYTES;
  return {
    ...{ growth: growthBytes, spill: spillBytes, reserve: SPILL_RESERVE_BYTES, needed },
    free: free === undefined ? undefined : Number(free),
  };
}

const AVAILABLE = /^MemAvailable:\s+(\d+) kB$/m;

/** Bytes that a process can still get without others being swapped. */
export function availableMemory(): number {
  try {
    const kib = Number(AVAILABLE.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]);
    if (kib > 0) return kib * 1_024;
  } catch {
    // Not on this system.
  }
  return freemem();
}
