/** What is measured: each bench is a worker, run with each of its sizes. */

/** The same work done in several ways; the others are compared to `against`. */
export interface Race {
  readonly ways: readonly string[];
  readonly against: string;
}

export interface Bench {
  readonly name: string;
  readonly what: string;
  readonly sizes: readonly number[];
  /** Sizes of `--quick`. */
  readonly quickSizes: readonly number[];
  /** What a size counts, for the rate. */
  readonly unit: string;
  /** The worker measures several things by turns; the size is how often. */
  readonly isComparison?: boolean;
  /** The worker only asks the program that is built in its folder: with --against this checkout's worker asks both. */
  readonly isOfProgram?: boolean;
  /** Of Node, for a comparison's worker. */
  readonly flags?: readonly string[];
  /** Rows that take more than so many times what they are compared to fail the run. */
  readonly ratioMax?: number;
  /** The worker does its work in the way that it is asked to. */
  readonly race?: Race;
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
    name: "bulk",
    what: "pairs through the work of split-balances, in JavaScript and as a metered guest; the commit apart",
    unit: "keys/s",
    sizes: [1_000_000],
    quickSizes: [100_000],
    race: { ways: ["natural-js", "best-js", "sandboxed"], against: "best-js" },
  },
  {
    name: "split-balances",
    what: "the whole upgrade of a chain: start, store loader, sandboxed handler, checks, commit",
    unit: "accounts/s",
    ...BULK,
  },
  {
    name: "spilled-reads",
    what: "scans and gets in a branch that has spilled nothing, 10 and 100 times 16 MiB; the size is in rounds",
    unit: "ns",
    sizes: [2],
    quickSizes: [1],
    isComparison: true,
  },
  {
    name: "snapshot",
    what: "a snapshot of 1,000,000 records taken and restored, beside LMDB's own copy of their file; the size is in rounds",
    unit: "ms",
    sizes: [3],
    quickSizes: [0],
    isComparison: true,
  },
  {
    name: "idle-block",
    what: "PreBlocker of a block without a plan, and with one far ahead, branch included",
    unit: "blocks/s",
    sizes: [200_000],
    quickSizes: [20_000],
  },
  {
    name: "meter",
    what: "work of a guest, as it was compiled and with its gas counted, by turns in one process",
    unit: "µs",
    sizes: [150],
    quickSizes: [20],
    isComparison: true,
    // The best code from the start: when the engine gets round to it depends on what else the machine does.
    flags: ["--no-liftoff"],
  },
  {
    name: "start-up",
    what: "CPU time of commands of chaind from start to end, beside an empty script; the size is in rounds",
    unit: "ms",
    sizes: [20],
    quickSizes: [5],
    isComparison: true,
  },
  {
    name: "light",
    what: "trust over a jump between headers of 150 validators, signatures by WebCrypto and by JavaScript; the size is in rounds",
    unit: "ms",
    sizes: [30],
    quickSizes: [5],
    isComparison: true,
  },
  {
    name: "embed-go",
    what: "the guest's part of split-balances in V8 and, by turns, in wazero as embed/go runs it; the size is in rounds",
    unit: "µs",
    sizes: [150],
    quickSizes: [20],
    isComparison: true,
    ratioMax: 3,
    flags: ["--no-liftoff"],
  },
  {
    name: "gas",
    what: "a gas of each thing that a handler can do, beside one of split-balances; the size is keys of a large store",
    unit: "ps/gas",
    sizes: [1_000_000],
    quickSizes: [100_000],
    isComparison: true,
    ratioMax: 5,
  },
  {
    name: "rest-grpc",
    what: "requests to a node's servers over 50 connections while it makes blocks; the size is in seconds a server",
    unit: "requests/s",
    sizes: [15],
    quickSizes: [3],
    isComparison: true,
    isOfProgram: true,
  },
  {
    name: "genesis-start",
    what: "starts with a genesis document of so many accounts: the first, and later ones beside those of a small document",
    unit: "ms",
    sizes: [5_000_000],
    quickSizes: [100_000],
    isComparison: true,
  },
  {
    name: "rehearse",
    what: "blocks of a running node of so many accounts, alone and while its upgrade is rehearsed",
    unit: "ms",
    sizes: [1_000_000],
    quickSizes: [20_000],
    isComparison: true,
  },
  {
    name: "re-execute",
    what: "an upgrade of 3,000 and of 200,000 accounts run again on its witness, as a browser does it, against the node's block; the size is in rounds",
    unit: "ms",
    sizes: [5],
    quickSizes: [2],
    isComparison: true,
  },
  {
    name: "page",
    what: "an upgrade of 3,000 and of 200,000 accounts run again by the page in Chromium, cold and warm; the size is in browsers",
    unit: "ms",
    sizes: [5],
    quickSizes: [1],
    isComparison: true,
  },
  {
    name: "saved-run",
    what: "memory of Chromium while the page runs an upgrade of so many accounts again, and while it saves that run as a file",
    unit: "MiB",
    sizes: [500_000],
    quickSizes: [20_000],
    isComparison: true,
  },
  {
    name: "upgrade-latency",
    what: "answers of all endpoints while the block of an upgrade is made; the size is in accounts",
    unit: "answers",
    sizes: [300_000],
    quickSizes: [30_000],
    isComparison: true,
  },
  {
    name: "empty-block",
    what: "an empty block in the application through CometBFT's socket, durable; the size is in rounds of 500 blocks",
    unit: "µs",
    sizes: [9],
    quickSizes: [2],
    isComparison: true,
  },
  {
    name: "network-upgrade",
    what: "four validators with CometBFT from the last old block to the second new one; the size is in runs",
    unit: "ms",
    sizes: [5],
    quickSizes: [1],
    isComparison: true,
  },
  {
    name: "block-rate",
    what: "empty blocks of one validator with CometBFT, no timeouts, against CometBFT's own kvstore; the size is in turns",
    unit: "µs/block",
    sizes: [8],
    quickSizes: [1],
    isComparison: true,
  },
  {
    name: "soak",
    what: "1,000 clients on REST and gRPC at once while blocks are made; the size is in seconds",
    unit: "requests/s",
    sizes: [60],
    quickSizes: [5],
    isComparison: true,
  },
];
