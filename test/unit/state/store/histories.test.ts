import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { type Block, blocks, History } from "./history.js";
import { expectNoGarbage } from "./reachable.js";
import { DATABASES, type OpenOptions } from "./support.js";

const EMPTY: Block = { writes: [], tried: [], upgrade: undefined, restart: false, lost: false, keep: false };

const options = fc.record({
  versionsKept: fc.nat(3),
  cacheBytes: fc.constantFrom(0, 2_000, 100_000),
  stagedBytes: fc.constantFrom(0, 1_000, 1_000_000),
  branchBytes: fc.constantFrom(0, 200, 1_000_000),
  restartPairs: fc.constantFrom(1, 3, 1_000_000),
});

/** Runs a history over a database, and the same without pruning over another one. */
function run(database: Database, history: readonly Block[], options: { versionsKept: number } & OpenOptions): History {
  const pruned = new History(database, options);
  const whole = new History(new MemoryDatabase(), { versionsKept: Number.POSITIVE_INFINITY });
  for (const block of history) {
    expect(pruned.advance(block)).toBe(whole.advance(block));
    pruned.check();
  }
  whole.check();
  expect(whole.readable()).toHaveLength(history.length);
  return pruned;
}

describe("CommitMultiStore over random histories", () => {
  for (const [name, makeDatabase] of DATABASES) {
    const numRuns = name === "MemoryDatabase" ? 100 : 20;
    test(`every readable version reads what was written, and garbage goes, over ${name} (property)`, () => {
      fc.assert(
        fc.property(blocks, options, (history, options) => {
          const database = makeDatabase();
          const pruned = run(database, history, options);
          for (let i = 0; i < options.versionsKept + 4; i++) pruned.advance(EMPTY);
          pruned.check();
          expectNoGarbage(database);
          pruned.advance({ ...EMPTY, restart: true });
          pruned.check();
          expectNoGarbage(database);
          database.close();
        }),
        { numRuns },
      );
    });
  }

  test("other versionsKept after a restart → fewer at once, more as they come", () => {
    fc.assert(
      fc.property(fc.array(blocks, { minLength: 2, maxLength: 4 }), fc.infiniteStream(fc.nat(6)), (parts, numbers) => {
        const database = new MemoryDatabase();
        const hashes = new History(new MemoryDatabase(), { versionsKept: Number.POSITIVE_INFINITY });
        const first = new History(database, { versionsKept: 3 });
        for (const block of parts.flat()) expect(first.advance(block)).toBe(hashes.advance(block));
        for (const versionsKept of numbers.take(4)) {
          const next = first.reopened(versionsKept);
          for (let i = 0; i < 3; i++) expect(next.advance(EMPTY)).toBe(hashes.advance(EMPTY));
          const readable = next.readable().filter((version) => next.stores.has(BigInt(version)));
          expect(readable).toContain(next.last);
          for (const version of readable) next.checkVersion(version);
        }
        const last = first.reopened(0);
        for (let i = 0; i < 8; i++) last.advance(EMPTY);
        last.check();
        expectNoGarbage(database);
      }),
      { numRuns: 25 },
    );
  });
});
