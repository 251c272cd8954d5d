/** Names and shapes that every room shares. Types only: this file imports nothing and does nothing. */

/** A 64-bit signed block height; heights on a chain are positive. */
export type Height = bigint;

/** `google.protobuf.Timestamp`: seconds since 1970 (negative before), and 0…999,999,999 nanoseconds. */
export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** `google.protobuf.Any`. */
export interface Any {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** What is scheduled: one upgrade at one height (specification 2.1 to 2.9). */
export interface Plan {
  /** Names the upgrade and its handler; 1…140 bytes of UTF-8, used once on a chain. */
  readonly name: string;
  /** Block height; positive int64. */
  readonly height: Height;
  /** Free text, at most 65,536 bytes of UTF-8; by convention JSON with a `binaries` map. */
  readonly info: string;
  /** Deprecated; refused when set. Unset means the zero time, year 1. */
  readonly time?: Timestamp;
  /** Deprecated; refused when set. */
  readonly upgradedClientState?: Any;
}

/** Consensus version of each module, by name. Iterate sorted: insertion order means nothing. */
export type VersionMap = ReadonlyMap<string, bigint>;

/** What the core decides at the start of a block (behaviour: the state table). */
export type Decision =
  | "Idle"
  | "Pending"
  | "Skip"
  | "Apply"
  | "HaltUpgradeNeeded"
  | "HaltBinaryTooEarly"
  | "HaltHandlerMissing";

/** The upgrade that was applied at the greatest height. */
export interface DoneUpgrade {
  readonly name: string;
  readonly height: Height;
}

export interface StoreRename {
  readonly oldKey: string;
  readonly newKey: string;
}

/** Changes to the set of stores that one upgrade makes. */
export interface StoreUpgrades {
  readonly added: readonly string[];
  readonly renamed: readonly StoreRename[];
  readonly deleted: readonly string[];
}

/** A range of keys, bytewise: `start` inclusive, `end` exclusive; left out means open. */
export interface KeyRange {
  readonly start?: Uint8Array | undefined;
  readonly end?: Uint8Array | undefined;
  /** Greatest key first. */
  readonly reverse?: boolean | undefined;
}

/** Key and value; both belong to the receiver, who may keep or change them. */
export type KeyValue = readonly [key: Uint8Array, value: Uint8Array];

/**
 * Walks a range in ascending order and hands out whole frames: `u32 klen, u32 vlen, key, value`, little-endian.
 * This is the bulk path: no object is made per pair.
 */
export interface FrameScan {
  /**
   * Fills `out` with as many whole frames as fit and returns the bytes written; 0 at the end.
   * When not even the first frame fits, returns minus the bytes that it needs and stays where it is.
   */
  read(out: Uint8Array): number;
  /** Keys that this branch deleted and that the walk went by so far: work that no frame shows. */
  readonly passed: number;
  /** Bytes of these keys. */
  readonly passedBytes: number;
}

/** Read side of a store. Keys are 1…65,535 bytes, values 0…1 MiB; order is bytewise. */
export interface KVReader {
  get(key: Uint8Array): Uint8Array | undefined;
  has(key: Uint8Array): boolean;
  /**
   * Pairs of the range. Writing to the store while walking is allowed: the walk goes on after the last pair, over the
   * store as it then is.
   */
  iterate(range?: KeyRange): IterableIterator<KeyValue>;
  /** The bulk counterpart of `iterate`, ascending; `reverse` is not supported. */
  scan(range?: KeyRange): FrameScan;
  /** How many pairs a range has, where the store knows without walking it. */
  pairCount?(start: Uint8Array | undefined, end: Uint8Array | undefined): number;
}

/**
 * A synchronous, ordered key-value store.
 *
 * @throws UpgradeError UPG_INVALID_KEY, UPG_INVALID_VALUE
 */
export interface KVStore extends KVReader {
  set(key: Uint8Array, value: Uint8Array): void;
  /** Deleting what is absent does nothing. */
  delete(key: Uint8Array): void;
  /**
   * Applies framed writes in order: `u32 op << 30 | klen`, then for op 0 (put) `u32 vlen, key, value`, for op 1
   * (delete) `key`. Bits 24–29 of the first word are ignored (they carry a store's index in handler output).
   * Malformed frames throw UPG_INVALID_ARGUMENT before anything is written.
   */
  writeFrames(frames: Uint8Array): void;
}

/** A store whose writes stay with it until `write()` hands them to its parent; `discard()` drops them. Branches nest. */
export interface CacheKVStore extends KVStore {
  branch(): CacheKVStore;
  /** Writes everything to the parent, keys ascending, and is empty afterwards. */
  write(): void;
  discard(): void;
}

/** Named stores, as a block or a handler sees them. */
export interface MultiStore {
  /** Names of the stores, ascending. */
  readonly names: readonly string[];
  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVStore;
  /** A branch of all stores; branches nest. */
  branch(): CacheMultiStore;
}

export interface CacheMultiStore extends MultiStore {
  /** Writes every store's changes to the parent, stores by name, keys ascending, and is empty afterwards. */
  write(): void;
  discard(): void;
}

/**
 * The stores as a store loader opened them: store upgrades included, no write of the block under way. For reading.
 * A branch is not one of these, so the two cannot be taken for each other.
 */
export interface LoadedStores extends MultiStore {
  /** The store upgrades that they were opened with; all lists are empty for stores that were opened as they are. */
  readonly storeUpgrades: StoreUpgrades;
  /** Has a version been committed since they were opened? */
  readonly hasCommitted: boolean;
}

/** Version (= height) and app hash of a commit. */
export interface CommitID {
  readonly version: Height;
  readonly hash: Uint8Array;
}

/** SHA-256, handed in: `node:crypto` in a node, `@noble/hashes` in a browser. */
export interface Sha256 {
  (bytes: Uint8Array): Uint8Array;
  /** Hashes what comes in pieces; without it @noble/hashes does. */
  readonly create?: () => Sha256Stream;
}

/** One hash in the making. */
export interface Sha256Stream {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** Says that the client does not wait for the answer any more; an `AbortSignal` is one. */
export interface LeftSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * How far long work has come: what a block with an upgrade reports while it runs, for logs, metrics and people. It has
 * no effect on results: nothing that is counted here reaches state or gas.
 *
 * `loading`: stores are opened; `handler`: the handler's own code runs; `scan`: it is handed the pairs of a store;
 * `checks`: its invariants; `rename`: the pairs of a renamed store go into its new tree; `trees`: a store's writes go
 * into its tree; `commit`: everything becomes durable.
 */
export type ProgressPhase = "loading" | "handler" | "scan" | "checks" | "rename" | "trees" | "commit";

/**
 * @param store "" where the phase is of no store
 * @param done pairs, or units of the handler's choice in phase `handler`
 * @param total 0: not known
 */
export type OnProgress = (phase: ProgressPhase, store: string, done: number, total: number) => void;
