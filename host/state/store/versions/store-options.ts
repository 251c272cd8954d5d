/** What a CommitMultiStore is opened with, and what goes into one commit. */
import type { Height, KVStore, OnProgress, Sha256, Timestamp } from "../../../base/types/types.js";
import type { RecordChange } from "../disk/database.js";
import type { RootChange } from "./open-store.js";

export interface CommitMultiStoreOptions {
  readonly sha256: Sha256;
  /** Version of the first commit; 1 when not given. */
  readonly initialVersion?: Height;
  /** Historical versions that stay readable besides the last; kept ones do not count. Infinity: all. */
  readonly versionsKept?: number;
  /** Bytes of tree nodes held in memory for reading. */
  readonly cacheBytes?: number;
  /** Bytes of a commit in the making held in memory before some of it is written early. */
  readonly stagedBytes?: number;
  /** Bytes of writes that a branch of one store holds in memory before it spills them to files. */
  readonly branchBytes?: number;
  /** A store of as many pairs that loses all of them in one commit is given up as a whole and begins again. */
  readonly restartPairs?: number;
  /**
   * May the version go that a commit held with `holdBefore` of this name? Asked now and then, once the version would be
   * pruned. Without it no version is held.
   */
  readonly isReleased?: (name: string, version: number) => boolean;
  /** Hears how far a large commit has come. */
  readonly onProgress?: OnProgress;
}

/** Below this a store that loses all its pairs is taken apart: a record for each such commit would not be worth it. */
export const RESTART_PAIRS_DEFAULT = 16_384;
export const BRANCH_BYTES_DEFAULT = 16 * 1_048_576;

export interface CommitOptions {
  /** Never prune this version (upgrade heights). */
  readonly keep?: boolean;
  /** Hold the version before this one, in this name, until `isReleased` gives it up. */
  readonly holdBefore?: string;
  /**
   * A store whose last writes need the roots of all others: they are hashed first, then `write` is called with the
   * roots before and after, then `store` is hashed. `write` is called whenever the version is staged, so it must write
   * the same each time.
   */
  readonly last?: { readonly store: string; write(store: KVStore, roots: ReadonlyMap<string, RootChange>): void };
  /** Time of the block that makes the version. */
  readonly time?: Timestamp;
  /** The engine that decided the block. Default: "", the embedded one. */
  readonly engine?: string;
  /** Records of somebody else's that become visible together with the version (the engine's block). */
  readonly alongside?: Iterable<RecordChange>;
}
