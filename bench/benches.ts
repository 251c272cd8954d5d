/** What is measured: each bench is a worker, run with each of its sizes. */

export interface Bench {
  readonly name: string;
  readonly what: string;
  readonly sizes: readonly number[];
  /** Sizes of `--quick`. */
  readonly quickSizes: readonly number[];
  /** What a size counts, for the rate. */
  readonly unit: string;
}

const BULK = { sizes: [10_000, 100_000, 1_000_000], quickSizes: [10_000, 100_000] };

export const BENCHES: readonly Bench[] = [
  {
    name: "bulk-write",
    what: "records (32-byte keys, 100-byte values) written to a new store and committed",
    unit: "keys/s",
    ...BULK,
  },
  {
    name: "rekey",
    what: "records moved to another store under new keys, the old ones deleted, committed",
    unit: "keys/s",
    ...BULK,
  },
  { name: "rename", what: "a store of such records renamed by the store loader, committed", unit: "keys/s", ...BULK },
  {
    name: "split-balances",
    what: "the whole upgrade of a chain: start, store loader, sandboxed handler, checks, commit",
    unit: "accounts/s",
    ...BULK,
  },
  {
    name: "idle-block",
    what: "PreBlocker of a block without a plan, and with one far ahead, branch included",
    unit: "blocks/s",
    sizes: [200_000],
    quickSizes: [20_000],
  },
];
