/** Two states are the same only when every store is, whatever its name. */
import { describe, expect, test } from "vitest";
import { diffStores, sameStores } from "../../../../host/upgrade/test-kit/diff.js";
import { MemoryStores } from "../../../../host/upgrade/test-kit/memory-stores.js";

function storesWith(name: string, value: number): MemoryStores {
  const stores = new MemoryStores();
  stores.open(name).set(Uint8Array.of(1), Uint8Array.of(value));
  return stores;
}

describe.each(["bank", "__proto__", "constructor"])("a store called %s", (name) => {
  test("sameStores() of two values of a key → false, of one → true", () => {
    expect(sameStores(storesWith(name, 1), storesWith(name, 2))).toBe(false);
    expect(sameStores(storesWith(name, 1), storesWith(name, 1))).toBe(true);
  });

  test("diffStores() → the change under its name", () => {
    const diff = diffStores(storesWith(name, 1), storesWith(name, 2));
    expect(Object.entries(diff)).toEqual([
      [name, [{ key: Uint8Array.of(1), before: Uint8Array.of(1), after: Uint8Array.of(2) }]],
    ]);
  });
});
