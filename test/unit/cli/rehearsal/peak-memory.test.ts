/** The most memory that a piece of work takes. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { watchPeakMemory } from "../../../../host/cli/rehearsal/block/peak-memory.js";

const MIB = 1_048_576;
const FILLED = 64 * MIB;

function anonymousBytes(): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1_024;
}

test.skipIf(!existsSync("/proc/self/status"))(
  "watchPeakMemory() 64 MiB are filled → the peak has them, counted in whole pages",
  () => {
    const peak = watchPeakMemory();
    try {
      const before = anonymousBytes();
      const memory = Buffer.alloc(FILLED, 1);
      expect(peak.bytes).toBeGreaterThan(before + FILLED - MIB);
      expect(peak.bytes % 4_096).toBe(0);
      expect(memory[FILLED - 1]).toBe(1);
    } finally {
      peak.close();
    }
  },
);
