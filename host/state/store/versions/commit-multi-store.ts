/**
 * CommitMultiStore: several named IAVL+ stores over one database, committed together.
 *
 * Blocks write to branches; a branch that is written lands in the stores' own branches, and `commit` carries those into
 * the trees, stores by name and keys ascending. One database transaction makes the whole version visible.
 */
import { assert, UpgradeError } from "../../../base/errors/errors.js";
import { withoutEffect } from "../../../base/errors/synchronous.js";
import { requireSha256 } from "../../../base/native/required-sha256.js";
import type {
  CommitID,
  Height,
  LoadedStores,
  MultiStore,
  StoreUpgrades,
  Timestamp,
} from "../../../base/types/types.js";
import type { CacheKVStore } from "../../branch/kv/cache-kv.js";
import { type CacheMultiStore, NamedStores, noSuchStore } from "../../branch/kv/cache-multi-store.js";
import { SpillSpace } from "../../branch/spill/spill-space.js";
import { appHash, sortByName } from "../../commitment/app-hash.js";
import { IavlHasher } from "../../commitment/iavl-hash.js";
import { ChunkSpace } from "../disk/chunk-space.js";
import { type Database, makeChanges } from "../disk/database.js";
import { FencedDatabase, lastVersionOf } from "../disk/fenced-database.js";
import { commitKey, goneStoreKey } from "../disk/keys.js";
import {
  type CommitState,
  checkFormat,
  claimFormat,
  encodeCommit,
  readCommit,
  type StagedCommit,
  type StoreState,
} from "./commit-record.js";
import { GarbageCollector } from "./garbage.js";
import { OpenStore, type RootChange } from "./open-store.js";
import { pruningRules, ReadableVersions } from "./readable-versions.js";
import {
  BRANCH_BYTES_DEFAULT,
  type CommitMultiStoreOptions,
  type CommitOptions,
  RESTART_PAIRS_DEFAULT,
} from "./store-options.js";
import { NO_UPGRADES, planStores } from "./store-upgrades.js";
import { sweepStaged } from "./sweep.js";
import { VersionView } from "./version-view.js";

/**
 * Named stores, each an IAVL tree, committed together: a commit makes one version, whose app hash is that of the Cosmos SDK's
 * multistore. Mount the stores, load them, write, commit; versions are block heights.
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
 * stores.mount("bank");
 * stores.loadLatestVersion();
 * stores.store("bank").set(Uint8Array.of(1), Uint8Array.of(7));
 * console.log(stores.commit().version, stores.at(1n).store("bank").get(Uint8Array.of(1))?.[0]); // → 1n 7
 */
export class CommitMultiStore implements MultiStore {
  private readonly database: Database;
  readonly #space: ChunkSpace;
  readonly #hasher: IavlHasher;
  readonly #spill: SpillSpace | undefined;
  readonly #onProgress: CommitMultiStoreOptions["onProgress"];
  readonly #mounted = new Set<string>();
  #stores = new Map<string, OpenStore>();
  #isLoaded = false;
  #opened = { storeUpgrades: NO_UPGRADES, hasCommitted: false };
  #last: CommitState | undefined;
  #readable = new ReadableVersions();
  /** Numbers of stores that the next commit leaves behind. */
  #gone: number[] = [];
  #nextStore = 1;
  /** Numbers of stores that the staged commit leaves behind besides. */
  #stagedGone: number[] = [];
  #staged: StagedCommit | undefined;
  /** Nodes that the staged commit leaves behind. */
  #orphans = 0;

  /** @throws UpgradeError UPG_STORE_VERSION_MISMATCH, UPG_STORE_CORRUPT */
  constructor(
    database: Database,
    private readonly options: CommitMultiStoreOptions,
  ) {
    requireSha256(options.sha256);
    checkFormat(database);
    this.database = new FencedDatabase(database, () => this.#last?.version ?? 0);
    this.#space = new ChunkSpace(this.database, options.cacheBytes, options.stagedBytes);
    this.#hasher = new IavlHasher(options.sha256);
    this.#onProgress = options.onProgress && withoutEffect(options.onProgress);
    if (database.spill) this.#spill = new SpillSpace(database.spill, options.branchBytes ?? BRANCH_BYTES_DEFAULT);
  }

  mount(...names: readonly string[]): void {
    for (const name of names) this.#mounted.add(name);
  }

  /** Version and hash of the last commit, read from disk; version 0n before the first. */
  get lastCommitID(): CommitID {
    const last = this.#last ?? this.#readLast();
    return { version: BigInt(last?.version ?? 0), hash: last?.appHash ?? this.#hasher.empty() };
  }

  /** What the last commit says of the block that made it: its time, where it is known, and the engine that decided it. */
  get lastBlock(): { readonly time: Timestamp | undefined; readonly engine: string } {
    const { time, engine = "" } = this.#last ?? this.#readLast() ?? {};
    return { time, engine };
  }

  /** The version that the next commit makes. */
  get nextVersion(): Height {
    const last = this.lastCommitID.version;
    return last === 0n ? (this.options.initialVersion ?? 1n) : last + 1n;
  }

  /** Names of the stores on disk. */
  get storedNames(): readonly string[] {
    return ((this.#last ?? this.#readLast())?.stores ?? []).map(({ name }) => name);
  }

  /**
   * Opens the mounted stores at the last version. Store upgrades take effect in memory; on disk with the next commit.
   * @throws UpgradeError UPG_STORE_UPGRADE when stores and upgrades do not fit; nothing is written then
   */
  loadLatestVersion(upgrades: StoreUpgrades = NO_UPGRADES): void {
    const last = this.#readLast();
    const plans = planStores([...this.#mounted], last?.stores, upgrades);
    this.#last = last;
    claimFormat(this.database);
    sweepStaged(this.database, last);
    this.database.spill?.clear();
    this.#nextStore = last?.nextStore ?? 1;
    this.#staged = undefined;
    this.#space.discardStaged();
    const restartPairs = this.options.restartPairs ?? RESTART_PAIRS_DEFAULT;
    const opened = sortByName(plans).map((plan) => {
      const number = plan.stored ? 0 : this.#nextStore++;
      return new OpenStore(this.#space, this.#hasher, plan, number, this.#spill, restartPairs, this.#onProgress);
    });
    this.#stores = new Map(opened.map((store) => [store.name, store]));
    const staying = new Set(opened.map(({ number }) => number));
    this.#gone = (last?.stores ?? []).map(({ number }) => number).filter((number) => !staying.has(number));
    this.#readable = ReadableVersions.load(this.database);
    this.#isLoaded = true;
    this.#opened = { storeUpgrades: upgrades, hasCommitted: false };
  }

  get names(): readonly string[] {
    return [...this.#stores.keys()];
  }

  store(name: string): CacheKVStore {
    return this.#storeNamed(name).branch;
  }

  branch(): CacheMultiStore {
    return new NamedStores(new Map([...this.#stores].map(([name, { branch }]) => [name, branch]))).branch();
  }

  /** Can the state of this version be read? */
  has(version: Height): boolean {
    return (
      version > 0n && version <= Number.MAX_SAFE_INTEGER && this.database.get(commitKey(Number(version))) !== undefined
    );
  }

  /** A committed version, for reading and proofs. @throws UpgradeError UPG_NOT_FOUND_VERSION */
  at(version: Height): VersionView {
    const state =
      version > 0n && version <= Number.MAX_SAFE_INTEGER ? readCommit(this.database, Number(version)) : undefined;
    if (!state) {
      const readable = this.#isLoaded ? this.#readable : ReadableVersions.load(this.database);
      throw new UpgradeError(
        "UPG_NOT_FOUND_VERSION",
        `there is no state of height ${version}: kept are ${readable.inWords}`,
      );
    }
    return new VersionView(this.#space, this.options.sha256, state);
  }

  /** The stores as they were loaded: store upgrades included, no write of this block. */
  loaded(): LoadedStores {
    const readers = new NamedStores(new Map([...this.#stores].map(([name, { reader }]) => [name, reader])));
    return Object.assign(readers, this.#opened);
  }

  /**
   * Hashes what was written and returns the commit that would be made; on disk nothing counts yet. Between this and
   * `commit` nothing may be written.
   */
  stage(options: CommitOptions = {}): CommitID {
    assert(this.#isLoaded, "stores are loaded before anything is committed");
    this.#unstage();
    this.#spill?.rest();
    const version = Number(this.nextVersion);
    assert(Number.isSafeInteger(version), `version ${this.nextVersion} is beyond what this program can count`);
    const states = new Map<string, StoreState>();
    const { last } = options;
    for (const [name, store] of this.#stores) if (name !== last?.store) this.#stageStore(store, version, states);
    if (last) {
      const store = this.#storeNamed(last.store);
      last.write(store.branch, this.#rootChanges(states));
      this.#stageStore(store, version, states);
    }
    const stores = sortByName([...states.values()]);
    const roots = stores.map(({ name, root }) => ({ name, hash: root.hash }));
    const hash = appHash(this.options.sha256, roots);
    const nextStore = this.#nextStore + this.#stagedGone.length;
    const { keep = false, time, engine = "", holdBefore } = options;
    this.#staged = { version, appHash: hash, stores, nextStore, kept: keep, time, engine, holdBefore };
    return { version: BigInt(version), hash };
  }

  /**
   * Makes the next version visible and durable; stages it first when that was not done. When it throws nothing has
   * changed, and it can be called again.
   */
  commit(options: CommitOptions = {}): CommitID {
    if (!this.#staged) this.stage(options);
    const staged = this.#staged as StagedCommit;
    const { keep = false, time = staged.time, engine = staged.engine, holdBefore = staged.holdBefore } = options;
    const state = { ...staged, kept: staged.kept || keep, time, engine };
    const { version } = state;
    let readable = this.#readable;
    for (const store of this.#stores.values())
      assert(store.isAsStaged, `store "${store.name}" was written after stage()`);
    this.#onProgress?.("commit", "", 0, 0);
    this.database.transaction((batch) => {
      this.#space.putStaged(batch);
      for (const number of [...this.#gone, ...this.#stagedGone])
        batch.put(goneStoreKey(version - 1, number), new Uint8Array(1));
      batch.put(commitKey(version), encodeCommit(state));
      makeChanges(batch, options.alongside ?? []);
      readable = readable.after(version, pruningRules(this.options, holdBefore), this.database, batch);
      new GarbageCollector(this.database, this.#space, batch, readable).collect(this.#orphans);
    });
    this.#readable = readable;
    this.#opened.hasCommitted = true;
    this.#space.keepStaged();
    this.#staged = undefined;
    this.#last = state;
    this.#gone = [];
    this.#stagedGone = [];
    this.#nextStore = state.nextStore;
    for (const store of state.stores) this.#storeNamed(store.name).advance(store);
    return { version: BigInt(version), hash: state.appHash };
  }

  /** App hash of the last version with what was written since. */
  workingHash(): Uint8Array {
    const { hash } = this.stage();
    this.#unstage();
    return hash;
  }

  /** Forgets what was written and staged since the last commit: the stores are again as they were loaded or committed. */
  discard(): void {
    this.#unstage();
    for (const store of this.#stores.values()) store.branch.discard();
  }

  close(): void {
    this.database.close();
  }

  #storeNamed(name: string): OpenStore {
    const store = this.#stores.get(name);
    if (!store) throw noSuchStore(name, this.names);
    return store;
  }

  #readLast(): CommitState | undefined {
    const version = lastVersionOf(this.database);
    return version === 0 ? undefined : readCommit(this.database, version);
  }

  #stageStore(store: OpenStore, version: number, states: Map<string, StoreState>): void {
    const { state, orphans, gone } = store.stage(version, this.#nextStore + this.#stagedGone.length);
    states.set(store.name, state);
    this.#orphans += orphans;
    if (gone !== undefined) this.#stagedGone.push(gone);
  }

  #rootChanges(states: ReadonlyMap<string, StoreState>): Map<string, RootChange> {
    return new Map(
      [...states].map(([name, { root }]) => [name, { before: this.#storeNamed(name).hashBefore, after: root.hash }]),
    );
  }

  #unstage(): void {
    this.#staged = undefined;
    this.#stagedGone = [];
    this.#orphans = 0;
    if (this.#space.hasFlushed) sweepStaged(this.database, this.#last);
    this.#space.discardStaged();
    for (const store of this.#stores.values()) store.unstage();
  }
}
