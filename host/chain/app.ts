/**
 * The application: a small real chain around the upgrade module. It has the shape of ABCI 2.0 without its transport:
 * `finalizeBlock` runs a block on a branch and answers the app hash it will have, `commit` makes it durable.
 */
import type { Core } from "../core/core.js";
import { assert } from "../errors.js";
import { CommitMultiStore } from "../store/commit-multi-store.js";
import type { Batch, Database } from "../store/database.js";
import type { StoreLoader } from "../store/store-loader.js";
import type { CommitID, Height, Sha256, Timestamp } from "../types.js";
import type { UpgradeFiles } from "../upgrade/files.js";
import { Halt } from "../upgrade/halt.js";
import type { LogLevel } from "../upgrade/handlers.js";
import { type AppliedUpgrade, type BlockFacts, endBlocker, preBlocker } from "../upgrade/hooks.js";
import { Keeper, UPGRADE_STORE } from "../upgrade/keeper.js";
import { encodeReceipt } from "../upgrade/receipt.js";
import { encodeAddress, moduleAddress } from "./address.js";
import { type BlockContext, blockContext, type ChainEvent } from "./context.js";
import type { Genesis } from "./genesis.js";
import { initGenesis } from "./init-genesis.js";
import { GOV_MODULE } from "./modules/gov.js";
import { chooseVersion } from "./start.js";
import type { ChainVersion } from "./versions/version.js";

export interface AppOptions {
  readonly database: Database;
  readonly sha256: Sha256;
  readonly core: Core;
  readonly genesis: Genesis;
  /** The versions that this process knows, oldest first. */
  readonly versions: readonly ChainVersion[];
  readonly skipHeights?: Iterable<Height>;
  /** Stop before this height (`--halt-height`). */
  readonly haltHeight?: Height;
  readonly versionsKept?: number;
  readonly cacheBytes?: number;
  readonly files?: UpgradeFiles;
  readonly log?: (level: LogLevel, message: string) => void;
}

/** A change that stands in place of transactions: the app's own door for tools and tests, not for clients. */
export type DirectChange = (context: BlockContext) => void;

export interface BlockRequest {
  readonly height: Height;
  readonly time: Timestamp;
  readonly txs?: readonly Uint8Array[];
  readonly changes?: readonly DirectChange[];
}

export interface TxResult {
  readonly code: number;
  readonly codespace: string;
  readonly data: Uint8Array;
  readonly log: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly ChainEvent[];
}

export interface BlockResult {
  readonly appHash: Uint8Array;
  readonly txResults: readonly TxResult[];
  readonly events: readonly ChainEvent[];
  readonly applied: AppliedUpgrade | undefined;
}

/** Codespace and code of a transaction that stood in an upgrade block (UPG_BLOCK_IS_UPGRADE). */
const UPGRADE_CODESPACE = "upgrade";
const BLOCK_IS_UPGRADE_CODE = 61;

export class App {
  readonly keeper: Keeper;
  readonly multiStore: CommitMultiStore;
  readonly #facts: { readonly chainId: string; readonly sha256: Sha256 };
  #version: ChainVersion | undefined;
  #storeLoader: StoreLoader | undefined;
  /** What ended this app: no later block runs in it. */
  #ended: unknown;
  /** A block's writes are in the stores, and not committed. */
  #isRun = false;
  #applied: AppliedUpgrade | undefined;

  constructor(private readonly options: AppOptions) {
    const { database, sha256, genesis, versionsKept, cacheBytes } = options;
    this.#facts = { chainId: genesis.chainId, sha256 };
    this.multiStore = new CommitMultiStore(database, {
      sha256,
      initialVersion: genesis.initialHeight,
      ...(versionsKept === undefined ? {} : { versionsKept }),
      ...(cacheBytes === undefined ? {} : { cacheBytes }),
    });
    this.keeper = new Keeper({
      core: options.core,
      authority: encodeAddress(moduleAddress(sha256, GOV_MODULE)),
      versions: options.versions,
      ...(options.skipHeights ? { skipHeights: options.skipHeights } : {}),
      ...(options.files ? { files: options.files } : {}),
      ...(options.log ? { log: options.log } : {}),
    });
  }

  /** Replaces the store loader that state would choose. Call it before `load`. */
  setStoreLoader(loader: StoreLoader): void {
    this.#storeLoader = loader;
  }

  /**
   * Chooses the version that state asks for and opens its stores. Handlers must be registered before.
   * @throws Halt when this process does not know the version; UpgradeError UPG_STORE_UPGRADE, UPG_INVALID_GENESIS
   */
  load(): void {
    const choice = chooseVersion(this.keeper, this.multiStore, this.options.genesis, this.options.versions);
    this.multiStore.mount(...choice.version.stores);
    (this.#storeLoader ?? choice.storeLoader)(this.multiStore);
    this.keeper.markStoresOpened(choice.version.plan);
    this.#version = choice.version;
  }

  /** The version that runs. */
  get version(): ChainVersion {
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

  /** Is a plan due at the next height? Then the block takes no transactions. */
  get isUpgradeBlockNext(): boolean {
    const plan = this.multiStore.names.includes(UPGRADE_STORE)
      ? this.keeper.plan(this.multiStore.store(UPGRADE_STORE))
      : undefined;
    return plan !== undefined && plan.height <= this.nextHeight;
  }

  /**
   * Runs a block on a branch. Nothing is durable before `commit`; after an error nothing more runs in this app.
   * @throws Halt; UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_STORE_*
   */
  finalizeBlock(request: BlockRequest): BlockResult {
    if (this.#ended) throw this.#ended;
    try {
      return this.#runBlock(request);
    } catch (error) {
      this.#ended = error;
      throw error;
    }
  }

  /**
   * Makes the block durable; `alongside` becomes visible in the same step. After an error nothing more runs in this app.
   * @throws UpgradeError UPG_STORE_*
   */
  commit(alongside?: (batch: Batch) => void): CommitID {
    if (this.#ended) throw this.#ended;
    try {
      const commitID = this.multiStore.commit(alongside ? { alongside } : {});
      this.#isRun = false;
      this.keeper.markCommitted();
      return commitID;
    } catch (error) {
      this.#ended = error;
      throw error;
    }
  }

  /** The upgrade that this process applied, if it did. */
  get applied(): AppliedUpgrade | undefined {
    return this.#applied;
  }

  close(): void {
    this.multiStore.close();
  }

  #runBlock(request: BlockRequest): BlockResult {
    const { height, time } = request;
    this.#checkHeight(height);
    assert(!this.#isRun, `block ${height} was run already and is not committed`);
    const branch = this.multiStore.branch();
    const events: ChainEvent[] = [];
    const context = blockContext({ ...this.#facts, height, time }, branch, events);
    const block: BlockFacts = { chainId: context.chainId, height, time, appVersion: this.options.genesis.appVersion };
    if (this.lastCommitID.version === 0n) initGenesis(context, this.options.genesis, this.version, this.keeper);
    const pre = preBlocker(this.keeper, branch, block);
    let applied: AppliedUpgrade | undefined;
    let txResults: TxResult[];
    if (pre.isUpgradeBlock) {
      applied = endBlocker(this.keeper, branch, this.multiStore.loaded(), block, pre);
      txResults = (request.txs ?? []).map(refusedInUpgradeBlock);
    } else {
      for (const change of request.changes ?? []) change(context);
      txResults = [];
    }
    branch.write();
    this.#isRun = true;
    this.#applied = applied;
    const { hash } = this.multiStore.stage({ keep: applied !== undefined, ...this.#receipt(applied, height) });
    return { appHash: hash, txResults, events, applied };
  }

  #checkHeight(height: Height): void {
    assert(height === this.nextHeight, `the block has height ${height}, expected ${this.nextHeight}`);
    const { haltHeight } = this.options;
    if (haltHeight !== undefined && haltHeight > 0n && height >= haltHeight) {
      throw new Halt("UPG_HALT_HEIGHT", `halt per configuration height ${haltHeight}`, height);
    }
  }

  /** A Wasm handler's receipt names the roots that the block commits, so it is written last of all. */
  #receipt(applied: AppliedUpgrade | undefined, height: Height) {
    const { handler, report, plan } = applied ?? {};
    const wasm = handler?.wasm;
    if (!wasm || !report || !plan) return {};
    return {
      last: {
        store: UPGRADE_STORE,
        write: (store: Parameters<Core["setReceipt"]>[0], roots: Parameters<typeof encodeReceipt>[0]["roots"]) =>
          this.keeper.core.setReceipt(
            store,
            plan.name,
            encodeReceipt({ plan: plan.name, height, wasm, report, roots }),
          ),
      },
    };
  }
}

function refusedInUpgradeBlock(): TxResult {
  return {
    code: BLOCK_IS_UPGRADE_CODE,
    codespace: UPGRADE_CODESPACE,
    data: new Uint8Array(),
    log: "UPG_BLOCK_IS_UPGRADE: this block applies an upgrade and runs no transaction; send it again",
    gasWanted: 0n,
    gasUsed: 0n,
    events: [],
  };
}
