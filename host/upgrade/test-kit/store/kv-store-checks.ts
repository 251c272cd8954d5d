/** The checks of KVStore for those who write one: any test runner can run them, and none is needed. */
import { KV_STORE_CASES, type StoreUnderTest } from "./kv-store-cases.js";

export type { StoreUnderTest } from "./kv-store-cases.js";

export interface KVStoreCheck {
  /** What is done, and what is due. */
  readonly name: string;
  /** @throws Error with what was due and what the store gave */
  run(): void;
}

/**
 * What every `KVStore` does, check by check: single keys, ranges, walks while writing, scans, framed writes, limits, and a long
 * history beside a sorted list. `make` gives a fresh, empty store for each.
 *
 * @example
 * import { MemoryKVStore } from "chain-upgrade";
 * const checks = kvStoreChecks(() => ({ store: new MemoryKVStore() }));
 * for (const { run } of checks) run(); // with a test runner: test(name, run)
 * console.log(checks[0]?.name); // → get() and has() of a key that was never set → undefined, false
 */
export function kvStoreChecks(make: () => StoreUnderTest): KVStoreCheck[] {
  return Object.entries(KV_STORE_CASES).map(([name, check]) => ({
    name,
    run: () => {
      const under = make();
      try {
        check(under.store, under);
      } finally {
        under.close?.();
      }
    },
  }));
}
