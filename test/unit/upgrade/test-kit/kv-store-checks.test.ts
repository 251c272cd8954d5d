/** The published checks of stores notice the stores that lie. */
import { expect, test } from "vitest";
import type { KeyRange, KeyValue, KVStore } from "../../../../host/base/types/types.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { kvStoreChecks } from "../../../../host/upgrade/test-kit/store/kv-store-checks.js";

type Lie = (honest: KVStore) => Partial<KVStore>;

/** The check that notices a store which does something else in places: the last of the list that does. */
function noticed(lie: Lie): string | undefined {
  const make = () => {
    const store = new MemoryKVStore();
    const honest: KVStore = {
      get: (key) => store.get(key),
      has: (key) => store.has(key),
      set: (key, value) => store.set(key, value),
      delete: (key) => store.delete(key),
      iterate: (range) => store.iterate(range),
      scan: (range) => store.scan(range),
      writeFrames: (frames) => store.writeFrames(frames),
    };
    return { store: { ...honest, ...lie(honest) } };
  };
  return kvStoreChecks(make).findLast(({ run }) => {
    try {
      run();
      return false;
    } catch {
      return true;
    }
  })?.name;
}

/** A walk that hands out its pairs in one buffer. */
const shared =
  (which: 0 | 1): Lie =>
  (honest) => ({
    *iterate(range?: KeyRange): IterableIterator<KeyValue> {
      const buffer = new Uint8Array(1_048_576);
      for (const pair of honest.iterate(range)) {
        const bytes = pair[which];
        buffer.set(bytes);
        const view = buffer.subarray(0, bytes.length);
        yield which === 0 ? [view, pair[1]] : [pair[0], view];
      }
    },
  });

const losing = (kind: "set" | "delete" | "writeFrames", n: number): Lie => {
  return (honest) => {
    let count = 0;
    const kept = honest[kind] as (...given: unknown[]) => void;
    return { [kind]: (...given: unknown[]) => (++count % n === 0 ? undefined : kept(...given)) };
  };
};

test("kvStoreChecks() of a store that is one → all pass", () => {
  expect(noticed(() => ({}))).toBeUndefined();
});

test("kvStoreChecks() of a store whose walks share a buffer of keys, or of values → noticed", () => {
  for (const which of [0, 1] as const) expect(noticed(shared(which))).toContain("iterate()");
});

test.each(["set", "delete", "writeFrames"] as const)(
  "kvStoreChecks() of a store that loses every n-th %s() → noticed for n up to 1,000",
  (kind) => {
    for (const n of [2, 10, 20, 50, 100, 333, 500, 999, 1_000]) {
      expect(noticed(losing(kind, n)), `every ${n}`).toContain("1,000");
    }
  },
);
