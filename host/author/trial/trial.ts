/**
 * Tries a handler on the state in a home: on a branch of a committed version, with nothing written. It needs no plan and
 * no version that knows it; it is as if the plan had been made for the next block. A node may run in the home meanwhile.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Core } from "../../core/core.js";
import { BlockStore } from "../../engine/blocks/block-store.js";
import { keptGenesis } from "../../engine/home/genesis-record.js";
import { Home } from "../../engine/home/home.js";
import { openShared } from "../../engine/home/home-database.js";
import { assert, isUpgradeError, UpgradeError } from "../../errors.js";
import type { WasmHandler } from "../../handler/handler.js";
import { type HandlerInput, type HandlerReport, requireLayout, runHandler } from "../../handler/run/sandbox.js";
import { explainFailure, type Failure } from "../../harness/failure/explain.js";
import { type GasProfile, gasProfile } from "../../harness/gas/gas-profile.js";
import { sha256 } from "../../native/sha256.js";
import { commitKey, commitsEnd } from "../../store/disk/keys.js";
import { LmdbDatabase } from "../../store/disk/lmdb-database.js";
import { CommitMultiStore } from "../../store/versions/commit-multi-store.js";
import type { RootChange } from "../../store/versions/open-store.js";
import type { CommitOptions } from "../../store/versions/store-options.js";
import type { CacheMultiStore, Height, Timestamp, VersionMap } from "../../types.js";
import { upgradeCommitOptions } from "../../upgrade/commit-options.js";
import { type AppliedUpgrade, endBlocker, type PreBlock } from "../../upgrade/hooks.js";
import { Keeper, UPGRADE_STORE } from "../../upgrade/keeper.js";
import { OverlayDatabase } from "./overlay-database.js";
import { watchPeakMemory } from "./peak-memory.js";

export interface TrialOptions {
  readonly handler: WasmHandler;
  readonly home: string;
  /** The committed version to begin with; the last one when left out. */
  readonly height?: Height | undefined;
  /** Bytes that the handler's writes may take on disk besides what the block's trees take. */
  readonly handlerDiskMax?: number | undefined;
  readonly log: (line: string) => void;
  /** Hears why the handler failed, before the error is thrown; for that it runs once more. */
  readonly onFailure?: (failure: Failure) => void;
  /** Say what the gas went to; for that it runs once more, first. */
  readonly gas?: boolean | undefined;
}

export interface Trial {
  readonly report: HandlerReport;
  /** Of the handler, its checks and the guards around it. */
  readonly milliseconds: number;
  /** Of the whole block: stores loaded, handler, checks, commit. */
  readonly blockMilliseconds: number;
  readonly versionMap: VersionMap;
  /** App hash that the block would have. */
  readonly appHash: Uint8Array;
  /** Root of every store after it; of `upgrade` none, whose receipt names the handler: so two handlers can be compared. */
  readonly roots: ReadonlyMap<string, Uint8Array>;
  readonly height: Height;
  /** Most bytes that the trial took on disk, for the handler's writes and for the trees of the block. */
  readonly diskBytes: number;
  /** Most bytes of memory that the process had meanwhile, pages of files left out. */
  readonly memoryBytes: number;
  /** From the start of the trial to its end, the commit's hashing and writing in it. */
  readonly totalMilliseconds: number;
  /** What the gas went to, where that was asked for. */
  readonly gasProfile: GasProfile | undefined;
}

/** @throws UpgradeError UPG_INVALID_CONFIG, UPG_NOT_FOUND_VERSION, UPG_HANDLER_*, UPG_MIGRATION_*, UPG_STORE_* */
export function tryHandler(options: TrialOptions): Trial {
  const home = new Home(options.home);
  if (!home.hasDatabase) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `${home.path} is no home of a chain that has begun: start the node first`,
    );
  }
  const begun = performance.now();
  const peak = watchPeakMemory();
  return inTemporaryFolder((folder) => {
    const { database: below, close } = openShared(home);
    const file = join(folder, "chain.mdb");
    const changed = new LmdbDatabase(file, { isTemporary: true, spill: { bytesMax: options.handlerDiskMax } });
    const database = new OverlayDatabase(below, changed);
    try {
      const multiStore = openAt(database, options.height);
      const { chainId } = keptGenesis(below).facts;
      const trial = new TrialBlock(options, multiStore, chainId, lastTime(database, multiStore)).run();
      const diskBytes = (changed.spill?.bytesPeak ?? 0) + statSync(file).size;
      return { ...trial, diskBytes, memoryBytes: peak.bytes, totalMilliseconds: performance.now() - begun };
    } finally {
      peak.close();
      changed.close();
      close();
    }
  });
}

/** What the block would write goes there (TMPDIR chooses the disk), and is gone when the trial is over. */
function inTemporaryFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "chaind-handler-run-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The stores as they were committed at a height: later versions are covered, as if they had not been made. */
function openAt(database: OverlayDatabase, height: Height | undefined): CommitMultiStore {
  if (height !== undefined) {
    new CommitMultiStore(database, { sha256 }).at(height);
    const later = database.keys({ start: commitKey(Number(height) + 1), end: commitsEnd() });
    database.transaction((batch) => {
      for (const key of later) batch.remove(key);
    });
  }
  const multiStore = new CommitMultiStore(database, { sha256 });
  if (multiStore.lastCommitID.version === 0n) {
    throw new UpgradeError(
      "UPG_NOT_FOUND_VERSION",
      "there is no committed state in this home yet: start the node first",
    );
  }
  return multiStore;
}

/** A block's time is its own; the one before is the nearest that can be known. */
function lastTime(database: OverlayDatabase, multiStore: CommitMultiStore): Timestamp {
  try {
    return new BlockStore(database).timeOf(multiStore.lastCommitID.version);
  } catch {
    return { seconds: 0n, nanos: 0 };
  }
}

type ApplyBlock = PreBlock & { readonly decision: "Apply" };

class TrialBlock {
  readonly #core = new Core();
  readonly #height: Height;
  #roots: ReadonlyMap<string, RootChange> = new Map();

  constructor(
    private readonly options: TrialOptions,
    private readonly multiStore: CommitMultiStore,
    private readonly chainId: string,
    private readonly time: Timestamp,
  ) {
    this.#height = multiStore.nextVersion;
  }

  run(): Omit<Trial, "diskBytes" | "memoryBytes" | "totalMilliseconds"> {
    const { handler, gas } = this.options;
    const { multiStore } = this;
    const last = multiStore.at(multiStore.lastCommitID.version).store(UPGRADE_STORE);
    requireLayout(handler.manifest, this.#core.versionMap(last));
    const begun = performance.now();
    this.#openStores();
    const branch = multiStore.branch();
    const pre = this.#schedule(branch);
    const opened = performance.now() - begun;
    const profile = gas ? this.#gasProfile(pre.planBytes) : undefined;
    const started = performance.now();
    const applied = this.#apply(branch, pre);
    const milliseconds = performance.now() - started;
    const report = applied?.report;
    if (!applied || !report) throw new UpgradeError("UPG_BUG_ASSERT", "a trial ran no handler");
    branch.write();
    const appHash = multiStore.commit(this.#noting(upgradeCommitOptions(this.#core, this.#height, applied))).hash;
    return {
      report,
      milliseconds,
      blockMilliseconds: opened + performance.now() - started,
      versionMap: applied.versionsAfter,
      appHash,
      roots: new Map([...this.#roots].map(([name, { after }]) => [name, after])),
      height: this.#height,
      gasProfile: profile,
    };
  }

  /** As if the plan had been made for the next block. */
  #schedule(branch: CacheMultiStore): ApplyBlock {
    const store = branch.store(UPGRADE_STORE);
    const plan = { name: this.options.handler.manifest.name, height: this.#height, info: "" };
    store.delete(this.#core.doneKey(plan.name));
    this.#core.schedule(store, this.#height, plan);
    const planBytes = this.#core.planBytes(store);
    const handler = this.#keeper().handler(plan.name);
    assert(handler && planBytes, "a trial has the handler that it tries");
    return { decision: "Apply", isUpgradeBlock: true, plan, planBytes, handler };
  }

  #apply(branch: CacheMultiStore, pre: ApplyBlock): AppliedUpgrade | undefined {
    const block = { chainId: this.chainId, height: this.#height, time: this.time, appVersion: 0n };
    const base = this.multiStore.loaded();
    try {
      return endBlocker({ keeper: this.#keeper(), branch, base, block }, pre);
    } catch (error) {
      if (isUpgradeError(error) && error.details["phase"]) this.#explain(error, pre.planBytes);
      throw error;
    }
  }

  #explain(error: UpgradeError, planBytes: Uint8Array): void {
    const { handler, onFailure } = this.options;
    if (!onFailure) return;
    const input = this.#input(planBytes);
    const again = (changes: Partial<HandlerInput>) =>
      void runHandler(handler, { ...input, stores: this.multiStore.branch(), ...changes });
    onFailure(explainFailure(handler, error, again));
  }

  /** Undefined where the handler fails: the run itself will say it. */
  #gasProfile(planBytes: Uint8Array): GasProfile | undefined {
    const input = this.#input(planBytes);
    const stores = this.multiStore.branch();
    try {
      return gasProfile(this.options.handler, (traced, observer) => runHandler(traced, { ...input, stores, observer }));
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      return undefined;
    } finally {
      stores.discard();
    }
  }

  /** What the handler is given in the block, but for its branch. */
  #input(planBytes: Uint8Array): Omit<HandlerInput, "stores"> {
    const { chainId, time, multiStore } = this;
    const versionMap = this.#core.versionMap(multiStore.branch().store(UPGRADE_STORE));
    return { chainId, height: this.#height, time, planBytes, versionMap, base: multiStore.loaded() };
  }

  /** The same, and the roots of the other stores are kept here. */
  #noting({ last, ...options }: CommitOptions): CommitOptions {
    if (!last) return options;
    const write: typeof last.write = (store, roots) => {
      this.#roots = roots;
      last.write(store, roots);
    };
    return { ...options, last: { ...last, write } };
  }

  #keeper(): Keeper {
    const log = (level: string, message: string) => this.options.log(`${level}: ${message}`);
    const keeper = new Keeper({ core: this.#core, authority: "", log });
    keeper.setWasmHandler(this.options.handler);
    return keeper;
  }

  /** The stored stores, with the manifest's store upgrades made. */
  #openStores(): void {
    const { storeUpgrades } = this.options.handler.manifest;
    const { added, renamed, deleted } = storeUpgrades;
    const gone = new Set([...deleted, ...renamed.map(({ oldKey }) => oldKey)]);
    const staying = this.multiStore.storedNames.filter((name) => !gone.has(name));
    this.multiStore.mount(...staying, ...added, ...renamed.map(({ newKey }) => newKey));
    this.multiStore.loadLatestVersion(storeUpgrades);
  }
}
