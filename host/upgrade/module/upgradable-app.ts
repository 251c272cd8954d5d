/**
 * UpgradableApp: a chain's own application with everything that an upgrade needs around it. The version is chosen from
 * state, stores are opened with their upgrades, blocks run between the two hooks, halts become records.
 */

import { assert, messageOf, type UpgradeError } from "../../base/errors/errors.js";
import { synchronous } from "../../base/errors/synchronous.js";
import { utf8 } from "../../base/text/bytes.js";
import { checkTime } from "../../base/time/time.js";
import type { CacheMultiStore, CommitID, Height, Sha256, Timestamp } from "../../base/types/types.js";
import type { Database, RecordChange } from "../../state/store/disk/database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { Core } from "../core/core.js";
import type { AppVersion } from "./app-versions.js";
import { chooseVersion } from "./choose-version.js";
import { upgradeCommitOptions } from "./commit-options.js";
import { Halt, type HaltFacts, type HaltRecord, haltRecord } from "./halt.js";
import { type AppliedUpgrade, endBlocker, preBlocker } from "./hooks.js";
import { Keeper, type KeeperOptions, UPGRADE_STORE } from "./keeper.js";

export interface UpgradableAppOptions<V extends AppVersion> extends Omit<KeeperOptions, "core" | "versions"> {
  /** Default: the bundled one. */
  readonly core?: Core;
  readonly chainId: string;
  readonly database: Database;
  readonly sha256: Sha256;
  /** The versions that this program carries, oldest first. An older program is one with a shorter list. */
  readonly versions: readonly V[];
  /** App version that genesis names. Default: 0n, the oldest version. */
  readonly genesisVersion?: bigint;
  /** Height of the first block. Default: 1n. */
  readonly initialHeight?: Height;
  /** Halt before this height. */
  readonly haltHeight?: Height;
  /** Historical versions that stay readable besides the last; those of upgrades always do. */
  readonly versionsKept?: number;
  /** Writes the state that the chain begins with; the modules' versions are stored for it. */
  initGenesis(stores: CacheMultiStore, version: V): void;
}

/** What the chain's own part of a block sees. */
export interface BlockRun<V extends AppVersion> {
  readonly height: Height;
  readonly time: Timestamp;
  readonly stores: CacheMultiStore;
  readonly version: V;
  /** In the block of an upgrade: what was applied. Such a block should refuse its transactions, as `chaind` does. */
  readonly applied: AppliedUpgrade | undefined;
}

export interface FinalizedBlock {
  readonly height: Height;
  /** App hash that the commit of this block will have. */
  readonly appHash: Uint8Array;
  readonly applied: AppliedUpgrade | undefined;
}

/**
 * A chain's own application with everything that an upgrade needs around it: the version chosen from state, stores opened with
 * their upgrades, the two hooks of a block, receipts and halt records (docs/embed.md).
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const V1 = { number: 1n, plan: undefined, modules: new Map([["notes", 1n]]), stores: ["notes", "upgrade"] };
 * const database = new MemoryDatabase();
 * const options = { chainId: "notes-1", authority: "gov", versions: [V1], initGenesis: () => undefined };
 * const app = new UpgradableApp({ ...options, database, sha256 });
 * app.load();
 * app.finalizeBlock({ seconds: 1n, nanos: 0 }, ({ stores }) => stores.store("notes").set(Uint8Array.of(1), Uint8Array.of(1)));
 * console.log(app.commit().version); // → 1n
 */
export class UpgradableApp<V extends AppVersion = AppVersion> {
  /** Register handlers here before `load()`. */
  readonly keeper: Keeper;
  readonly multiStore: CommitMultiStore;
  #version: V | undefined;
  #isRun = false;
  /** What ended this app: no later block runs in it. */
  #ended: unknown;

  /** @throws UpgradeError UPG_STORE_VERSION_MISMATCH, UPG_STORE_CORRUPT */
  constructor(private readonly options: UpgradableAppOptions<V>) {
    const { database, sha256, initialHeight = 1n, versionsKept } = options;
    const kept = versionsKept === undefined ? {} : { versionsKept };
    this.multiStore = new CommitMultiStore(database, { sha256, initialVersion: initialHeight, ...kept });
    this.keeper = new Keeper({ ...options, core: options.core ?? new Core() });
  }

  /**
   * Chooses the version that state asks for and opens its stores.
   * @throws Halt when this program is not the one that the state needs; UpgradeError UPG_STORE_UPGRADE, UPG_INVALID_GENESIS
   */
  load(): V {
    const { versions, genesisVersion } = this.options;
    const { version, storeLoader } = chooseVersion(this.keeper, this.multiStore, versions, genesisVersion);
    this.multiStore.mount(...version.stores);
    storeLoader(this.multiStore);
    this.#version = version;
    return version;
  }

  /** The version that runs. */
  get version(): V {
    assert(this.#version, "the app is used before load()");
    return this.#version;
  }

  get lastCommitID(): CommitID {
    return this.multiStore.lastCommitID;
  }

  /** Height of the next block. */
  get nextHeight(): Height {
    return this.multiStore.nextVersion;
  }

  /**
   * Runs the next block on a branch: genesis before the first one, the PreBlocker, the handler of a plan that is due, and
   * `run`, the chain's own part. Nothing is durable before `commit`; after an error nothing more runs in this app.
   * @throws Halt; UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_STORE_*, and what `run` throws
   */
  finalizeBlock(time: Timestamp, run: (block: BlockRun<V>) => void): FinalizedBlock {
    checkTime(time);
    return this.#orEnd(() => {
      const { keeper, multiStore, version } = this;
      assert(!this.#isRun, `block ${this.nextHeight} was run already and is not committed`);
      const height = this.nextHeight;
      this.#checkHaltHeight(height);
      const { chainId, genesisVersion: appVersion = 0n } = this.options;
      const branch = multiStore.branch();
      if (this.lastCommitID.version === 0n) this.#initGenesis(branch);
      const hookInput = { keeper, branch, base: multiStore.loaded(), block: { chainId, height, time, appVersion } };
      const pre = preBlocker(hookInput);
      const applied = endBlocker(hookInput, pre);
      synchronous("the block's own part", run({ height, time, stores: branch, version, applied }));
      branch.write();
      this.#isRun = true;
      const { hash } = multiStore.stage(upgradeCommitOptions(keeper.core, height, applied));
      return { height, appHash: hash, applied };
    });
  }

  /**
   * Makes the block durable; `alongside` becomes visible in the same step. The first one removes `halt.json`.
   * @throws UpgradeError UPG_STORE_*
   */
  commit(alongside: Iterable<RecordChange> = []): CommitID {
    return this.#orEnd(() => {
      assert(this.#isRun, "commit() without a block that was run");
      const isFirst = !this.multiStore.loaded().hasCommitted;
      const commitID = this.multiStore.commit({ alongside });
      this.#isRun = false;
      if (isFirst) this.#orWarn("halt.json is out of date", () => this.keeper.files?.remove("halt.json"));
      return commitID;
    });
  }

  /**
   * The record of what ended this process, written to `halt.json` where there are files. The process should print it and
   * exit with `error.kind.exit` (docs/errors.md).
   */
  recordHalt(error: UpgradeError, facts: Pick<HaltFacts, "time" | "home" | "program">): HaltRecord {
    const { version, hash } = this.lastCommitID;
    const record = haltRecord(error, {
      ...facts,
      lastCommittedHeight: version,
      nextHeight: this.nextHeight,
      appHash: version === 0n ? new Uint8Array() : hash,
    });
    const bytes = utf8(JSON.stringify(record));
    this.#orWarn("halt.json could not be written", () => this.keeper.files?.write("halt.json", bytes));
    return record;
  }

  close(): void {
    this.multiStore.close();
  }

  #initGenesis(branch: CacheMultiStore): void {
    const { version, keeper, options } = this;
    synchronous("initGenesis", options.initGenesis(branch, version));
    keeper.setModuleVersions(branch.store(UPGRADE_STORE), version.modules);
  }

  #checkHaltHeight(height: Height): void {
    const { haltHeight = 0n } = this.options;
    if (haltHeight <= 0n || height < haltHeight) return;
    throw new Halt("UPG_HALT_HEIGHT", `halt per configuration height ${haltHeight}`, height);
  }

  #orEnd<T>(work: () => T): T {
    if (this.#ended !== undefined) throw this.#ended;
    try {
      return work();
    } catch (error) {
      this.#ended = error;
      throw error;
    }
  }

  #orWarn(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.keeper.log("warn", `${what}: ${messageOf(error)}`);
    }
  }
}
