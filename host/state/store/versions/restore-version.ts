/**
 * Makes a version of an empty database from the nodes of its trees, as a snapshot brings them. What is staged counts for
 * nothing until `commit`, which makes all of it visible in one step; a process that dies before leaves what the next start
 * sweeps away.
 */

import { assert, UpgradeError } from "../../../base/errors/errors.js";
import { equalBytes } from "../../../base/text/bytes.js";
import type { CommitID, Sha256 } from "../../../base/types/types.js";
import { appHash } from "../../commitment/app-hash.js";
import { IavlHasher } from "../../commitment/iavl-hash.js";
import { TreeImport } from "../../commitment/tree-import.js";
import type { TreeNode } from "../../commitment/tree-nodes.js";
import { ChunkSpace, StoreChunks } from "../disk/chunk-space.js";
import { type Database, makeChanges, type RecordChange } from "../disk/database.js";
import { FencedDatabase, requireLastVersion } from "../disk/fenced-database.js";
import { commitKey } from "../disk/keys.js";
import {
  type CommitState,
  checkFormat,
  claimFormat,
  claimRestoredFormat,
  encodeCommit,
  type StoreState,
} from "./commit-record.js";
import { sweepStaged } from "./sweep.js";
import { VersionView } from "./version-view.js";

/** A store that is to come, as its tree's root is known. */
interface ExpectedStore {
  readonly name: string;
  readonly hash: Uint8Array;
  /** Pairs. */
  readonly size: number;
}

export interface RestoreOptions {
  readonly sha256: Sha256;
  /** Height that the nodes are of. */
  readonly version: number;
  /** Ascending by name. */
  readonly stores: readonly ExpectedStore[];
  /** The engine's mark in the record of the commit. */
  readonly engine: string;
}

interface Open {
  readonly expected: ExpectedStore;
  readonly chunks: StoreChunks;
  readonly tree: TreeImport;
  nodesLeft: number;
}

export class VersionRestore {
  readonly #database: Database;
  readonly #space: ChunkSpace;
  readonly #hasher: IavlHasher;
  readonly #stores: StoreState[] = [];
  #open: Open | undefined;
  #finished: CommitState | undefined;

  /** @param database without a version @throws UpgradeError UPG_STORE_LOCKED when it has one; UPG_STORE_* */
  constructor(
    database: Database,
    private readonly options: RestoreOptions,
  ) {
    this.#database = new FencedDatabase(database, () => 0);
    this.#space = new ChunkSpace(this.#database);
    this.#hasher = new IavlHasher(options.sha256);
    checkFormat(database);
    requireLastVersion(database, 0);
    claimFormat(this.#database);
    sweepStaged(this.#database, undefined);
  }

  /** The nodes that follow are of this store. @throws UpgradeError UPG_INVALID_SNAPSHOT when another one is next */
  begin(name: string): void {
    this.#closeStore();
    const expected = this.options.stores[this.#stores.length];
    if (expected?.name !== name) throw invalid(`another store is next than ${expected?.name ?? "none"}`);
    const chunks = new StoreChunks(this.#space, this.#stores.length + 1, 1);
    const tree = new TreeImport(chunks, this.#hasher, this.options.version);
    this.#open = { expected, chunks, tree, nodesLeft: Math.max(0, 2 * expected.size - 1) };
  }

  /** @throws UpgradeError UPG_INVALID_SNAPSHOT, UPG_STORE_* */
  add(node: TreeNode): void {
    if (!this.#open) throw invalid("nodes come before the first store");
    if (this.#open.nodesLeft-- === 0) throw invalid(`store "${this.#open.expected.name}" has more nodes than it says`);
    this.#open.tree.add(node);
  }

  /**
   * All nodes have come. Gives the version to read, before anybody else can.
   * @throws UpgradeError UPG_INVALID_SNAPSHOT when it has another app hash
   */
  finish(expected: Uint8Array): VersionView {
    this.#closeStore();
    const { sha256, version, engine } = this.options;
    const stores = [...this.#stores];
    const roots = stores.map(({ name, root }) => ({ name, hash: root.hash }));
    const hash = appHash(sha256, roots);
    if (!equalBytes(hash, expected)) throw invalid("its nodes have another app hash");
    const nextStore = stores.length + 1;
    const state = { version, appHash: hash, stores, nextStore, kept: false, time: undefined, engine };
    this.#finished = state;
    return new VersionView(this.#space, sha256, state);
  }

  /** Makes the version visible and durable, with `alongside`. @throws UpgradeError UPG_STORE_* */
  commit(alongside: Iterable<RecordChange>): CommitID {
    const state = this.#finished;
    assert(state, "a snapshot is finished before it is committed");
    this.#database.transaction((batch) => {
      claimRestoredFormat(batch);
      this.#space.putStaged(batch);
      batch.put(commitKey(state.version), encodeCommit(state));
      makeChanges(batch, alongside);
    });
    return { version: BigInt(state.version), hash: state.appHash };
  }

  /** Gives up what has come. @throws UpgradeError UPG_STORE_* */
  discard(): void {
    this.#space.discardStaged();
    sweepStaged(this.#database, undefined);
  }

  #closeStore(): void {
    if (!this.#open) return;
    const { expected, chunks, tree } = this.#open;
    this.#open = undefined;
    const root = tree.finish();
    if (root.size !== expected.size)
      throw invalid(`store "${expected.name}" has ${root.size} pairs, not ${expected.size}`);
    if (!equalBytes(root.hash, expected.hash)) throw invalid(`store "${expected.name}" has another root hash`);
    this.#stores.push({ name: expected.name, number: chunks.store, root, nextChunk: chunks.nextChunk });
  }
}

function invalid(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_SNAPSHOT", `a snapshot is not what it says: ${what}`);
}
