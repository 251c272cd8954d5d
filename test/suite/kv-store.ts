/**
 * The conformance suite of KVStore: every store and every wrapper passes it. To run it on your own:
 *
 *     kvStoreSuite("my store", () => ({ store: new MyStore() }));
 *
 * Its checks are published (`kvStoreChecks` of chain-upgrade/test); here they are tests, and histories are made by fast-check.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../host/base/text/bytes.js";
import { framesOf, pairsOf } from "../../host/upgrade/test-kit/store/comparisons.js";
import { kvStoreChecks, type StoreUnderTest } from "../../host/upgrade/test-kit/store/kv-store-checks.js";

export { framesOf, pairsOf } from "../../host/upgrade/test-kit/store/comparisons.js";
export type { StoreUnderTest } from "../../host/upgrade/test-kit/store/kv-store-checks.js";

export function kvStoreSuite(name: string, make: () => StoreUnderTest): void {
  describe(`KVStore: ${name}`, () => {
    for (const check of kvStoreChecks(make)) test(check.name, check.run);

    test("any history → what a sorted list would hold (property)", () => {
      const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 4 });
      const op = fc.oneof(
        { weight: 4, arbitrary: fc.tuple(fc.constant("set" as const), key, fc.uint8Array({ maxLength: 6 })) },
        { weight: 2, arbitrary: fc.tuple(fc.constant("delete" as const), key, fc.constant(new Uint8Array())) },
      );
      const history = fc.array(op, { maxLength: 200 });
      fc.assert(
        fc.property(history, fc.option(key), fc.option(key), fc.boolean(), (ops, start, end, reverse) => {
          const fresh = make();
          try {
            const model = new Map<string, string>();
            for (const [kind, k, v] of ops) {
              if (kind === "set") fresh.store.set(k, v);
              else fresh.store.delete(k);
              if (kind === "set") model.set(toHex(k), toHex(v));
              else model.delete(toHex(k));
            }
            const from = start === null ? "" : toHex(start);
            const to = end === null ? "~" : toHex(end);
            const expected = [...model].filter(([k]) => k >= from && k < to).sort(([a], [b]) => (a < b ? -1 : 1));
            const texts = expected.map(([k, v]) => `${k}=${v}`);
            const range = { start: start ?? undefined, end: end ?? undefined };
            expect(pairsOf(fresh.store, { ...range, reverse })).toEqual(reverse ? texts.toReversed() : texts);
            expect(framesOf(fresh.store, range, 40)).toEqual(texts);
            for (const [k, v] of model) expect(toHex(fresh.store.get(fromHex(k)) ?? utf8("absent"))).toBe(v);
          } finally {
            fresh.close?.();
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}
