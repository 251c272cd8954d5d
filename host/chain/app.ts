/**
 * The application of a chain: its modules around the upgrade module. It has the shape of ABCI 2.0 without its transport:
 * `finalizeBlock` runs a block on a branch and returns the app hash it will have, `commit` makes it durable.
 */
import type { ValidatorUpdate } from "../comet/validator-updates.js";
import { assert } from "../errors.js";
import type { RecordChange } from "../store/disk/database.js";
import { CommitMultiStore } from "../store/versions/commit-multi-store.js";
import type { StoreLoader } from "../store/versions/store-loader.js";
import type { CacheMultiStore, CommitID, Height, Plan, Timestamp } from "../types.js";
import type { AppliedUpgrade } from "../upgrade/hooks.js";
import { Keeper, UPGRADE_STORE } from "../upgrade/keeper.js";
import { upgradeCommitOptions } from "../upgrade/receipt.js";
import { moduleAddress } from "../values/address.js";
import type { AppOptions, BlockRequest, BlockResult, InitChainResult, StateAt } from "./app-shapes.js";
import { blockGasLimit, nextEndTime, runBlock } from "./block.js";
import { checkHeight } from "./check-height.js";
import { codeRecordOf } from "./code-records.js";
import { hasState } from "./genesis/genesis.js";
import { initGenesis } from "./genesis/init-genesis.js";
import { setChainHandlers } from "./migrations-of.js";
import { chooseVersion, codeInForce, versionInForce } from "./start.js";
import { routerAt } from "./tx/message-kind.js";
import type { TxResult } from "./tx/result.js";
import type { TxFacts } from "./tx/run.js";
import { rememberingVerifier } from "./tx/verified.js";
import { type CheckKind, TxChecks } from "./tx-checks.js";
import { StateValidators } from "./validators.js";
import type { ChainVersion } from "./versions/version.js";

export type { AppOptions, BlockRequest, BlockResult, InitChainResult, StateAt } from "./app-shapes.js";
export type { DirectChange } from "./block.js";
export type { TxResult } from "./tx/result.js";

/** The module whose account may schedule upgrades. */
export const AUTHORITY_MODULE = "gov";

/**
 * The application of a chain: runs blocks and transactions over its stores, without a network. `EmbeddedNode` makes blocks
 * with it.
 *
 * @example
 * import { readFileSync } from "node:fs";
 * import { Core, MemoryDatabase } from "chain-upgrade";
 * const chain = defineChain({ name: "notesd", modules: [auth(), bank(), staking(), gov(), upgrade()] });
 * const genesis = parseGenesis(chain, readFileSync("home/config/genesis.json", "utf8"));
 * const app = new App({ chain, genesis, sha256, core: new Core(), database: new MemoryDatabase() });
 * app.load();
 * app.finalizeBlock({ height: 1n, time: genesis.time });
 * console.log(app.commit().version, app.version.number); // → 1n 1n
 */
export class App {
  readonly keeper: Keeper;
  readonly multiStore: CommitMultiStore;
  readonly #facts: Pick<TxFacts, "chainId" | "sha256" | "addresses" | "verifySignature">;
  #version: ChainVersion | undefined;
  #storeLoader: StoreLoader | undefined;
  /** What ended this app: no later block runs in it. */
  #ended: unknown;
  /** A block's writes are in the stores, and not committed. */
  #isRun = false;
  #applied: AppliedUpgrade | undefined;
  readonly #blockGasMax: bigint | undefined;
  readonly #checks: TxChecks;
  #lastTime: Timestamp;
  readonly #validators: StateValidators;
  readonly #committed = () => this.multiStore.at(this.lastCommitID.version);
  /** With the state of genesis, until the first block goes on from it. */
  #begun: CacheMultiStore | undefined;
  /** The versions that this process knows, oldest first. */
  readonly versions: readonly ChainVersion[];
  readonly #choiceFacts: AppOptions & { readonly versions: readonly ChainVersion[] };

  constructor(private readonly options: AppOptions) {
    const { chain, database, sha256, genesis, versionsKept, cacheBytes } = options;
    this.versions = options.versions ?? chain.versions;
    this.#choiceFacts = { ...options, versions: this.versions };
    this.#facts = {
      chainId: genesis.chainId,
      sha256,
      addresses: chain.addresses,
      verifySignature: rememberingVerifier(sha256, options.verifySignature),
    };
    this.#lastTime = genesis.time;
    this.#blockGasMax = blockGasLimit(genesis.consensusParams);
    this.multiStore = new CommitMultiStore(database, {
      sha256,
      initialVersion: genesis.initialHeight,
      ...(versionsKept === undefined ? {} : { versionsKept }),
      ...(cacheBytes === undefined ? {} : { cacheBytes }),
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    });
    this.keeper = new Keeper({
      core: options.core,
      authority: chain.addresses.encode(moduleAddress(sha256, AUTHORITY_MODULE)),
      versions: this.versions,
      ...(options.skipHeights ? { skipHeights: options.skipHeights } : {}),
      ...(options.files ? { files: options.files } : {}),
      ...(options.staged ? { staged: options.staged } : {}),
      ...(options.log ? { log: options.log } : {}),
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    });
    this.#validators = new StateValidators(chain.modules, genesis);
    setChainHandlers(this.keeper, chain, this.versions, sha256);
    this.#checks = new TxChecks({
      stores: () => this.multiStore.loaded(),
      hasState: () => this.lastCommitID.version !== 0n,
      chainId: genesis.chainId,
      blockGasMax: this.#blockGasMax,
      facts: () => this.#txFacts(this.nextHeight, this.#lastTime),
      isUpgradeBlockNext: () => this.isUpgradeBlockNext,
    });
  }

  /** Replaces the store loader that state would choose. Call it before `load`. */
  setStoreLoader(loader: StoreLoader): void {
    this.#storeLoader = loader;
  }

  /**
   * Chooses the version that state asks for and opens its stores. Handlers must be registered before; staged ones are
   * looked for here.
   * @throws Halt when this process does not know the version; UpgradeError UPG_STORE_UPGRADE, UPG_INVALID_GENESIS
   */
  load(): void {
    this.keeper.lookForStaged();
    const choice = chooseVersion(this.keeper, this.multiStore, this.#choiceFacts);
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

  /** The plan that is scheduled. */
  get plan(): Plan | undefined {
    const { names } = this.multiStore;
    return names.includes(UPGRADE_STORE) ? this.keeper.plan(this.multiStore.store(UPGRADE_STORE)) : undefined;
  }

  /** Is a plan due at the next height? Then the block takes no transactions. */
  get isUpgradeBlockNext(): boolean {
    const { plan } = this;
    return plan !== undefined && plan.height <= this.nextHeight;
  }

  /** When the next deposit or vote ends: the block of that time has something to do, whatever it holds. */
  get nextEndTime(): Timestamp | undefined {
    return nextEndTime(this.options.chain, this.multiStore);
  }

  /**
   * Makes the state that genesis gives, as the first `finalizeBlock` does without this call. It is durable with that block.
   * @throws UpgradeError UPG_INVALID_GENESIS, UPG_STORE_*
   */
  initChain(): InitChainResult {
    return this.#orEnd(() => {
      assert(this.lastCommitID.version === 0n, "a chain begins once");
      this.#begun ??= this.#begin({ height: this.nextHeight, time: this.options.genesis.time });
      return { validators: this.#validators.of(this.#committed) ?? [] };
    });
  }

  /** Whom the last committed state gives power, the greatest first; undefined: no module of it gives any. */
  get validators(): readonly ValidatorUpdate[] | undefined {
    return this.lastCommitID.version === 0n ? undefined : this.#validators.of(this.#committed);
  }

  /**
   * Runs a block on a branch. Nothing is durable before `commit`; after an error nothing more runs in this app.
   * @throws Halt; UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_STORE_*
   */
  finalizeBlock(request: BlockRequest): BlockResult {
    return this.#orEnd(() => this.#runBlock(request));
  }

  /**
   * Makes the block durable; `alongside` becomes visible in the same step. After an error nothing more runs in this app.
   * @throws UpgradeError UPG_STORE_*
   */
  commit(alongside: Iterable<RecordChange> = []): CommitID {
    return this.#orEnd(() => {
      const commitID = this.multiStore.commit({ alongside: [...this.#codeRecords(), ...alongside] });
      this.#isRun = false;
      this.#checks.reset();
      return commitID;
    });
  }

  /**
   * May the transaction enter the mempool? It is checked over what the last block left and the transactions that were
   * let in since. Nothing of it stays after a commit.
   * @throws UpgradeError UPG_STORE_*: no verdict
   */
  checkTx(tx: Uint8Array, kind: CheckKind = "new"): TxResult {
    return this.#checks.check(tx, kind);
  }

  /** Runs a transaction as if it were in the next block; its signatures are not checked. Nothing of it stays. */
  simulate(tx: Uint8Array): TxResult {
    return this.#checks.simulate(tx);
  }

  /** Time of the last block, when this process did not make it: checks count with it. */
  set lastBlockTime(time: Timestamp) {
    this.#lastTime = time;
  }

  /**
   * State of a height (0n or none: the last committed one), with the version that was in force after it.
   * @throws UpgradeError UPG_NOT_FOUND_VERSION with the lowest height kept
   */
  at(height: Height = 0n): StateAt {
    const wanted = height === 0n ? this.lastCommitID.version : height;
    const stores = this.multiStore.at(wanted);
    return { height: wanted, stores, version: versionInForce(this.keeper, stores, this.#choiceFacts) };
  }

  /** The upgrade that this process applied, if it did. */
  get applied(): AppliedUpgrade | undefined {
    return this.#applied;
  }

  close(): void {
    this.multiStore.close();
  }

  /** What fails ends this app. */
  #orEnd<T>(work: () => T): T {
    if (this.#ended) throw this.#ended;
    try {
      return work();
    } catch (error) {
      this.#ended = error;
      throw error;
    }
  }

  #txFacts(height: Height, time: Timestamp): TxFacts {
    const { version, keeper } = this;
    const { modules, ante } = this.options.chain;
    return { ...this.#facts, height, time, version, keeper, router: routerAt(modules, version), ante };
  }

  #runBlock(request: BlockRequest): BlockResult {
    const { height, time } = request;
    const { genesis, chain } = this.options;
    checkHeight(height, this.nextHeight, this.options.haltHeight);
    assert(!this.#isRun, `block ${height} was run already and is not committed`);
    if (this.lastCommitID.version === 0n) this.#begun ??= this.#begin(request);
    const branch = this.#begun ?? this.multiStore.branch();
    this.#begun = undefined;
    const { applied, ...output } = runBlock(branch, this.multiStore.loaded(), {
      modules: chain.modules,
      facts: this.#txFacts(height, time),
      appVersion: genesis.appVersion,
      txs: request.txs ?? [],
      changes: request.changes ?? [],
      blockGasMax: this.#blockGasMax,
    });
    const validatorUpdates = this.#validators.update(branch, this.#committed, applied !== undefined);
    branch.write();
    this.#isRun = true;
    this.#applied = applied;
    this.#lastTime = time;
    const { hash: appHash } = this.multiStore.stage(upgradeCommitOptions(this.keeper.core, height, applied));
    return { appHash, ...output, validatorUpdates, applied };
  }

  #begin({ height, time }: Pick<BlockRequest, "height" | "time">): CacheMultiStore {
    const { version, keeper } = this;
    const { genesis, chain } = this.options;
    assert(hasState(genesis), "a chain begins with the state of its genesis document");
    const branch = this.multiStore.branch();
    initGenesis(branch, genesis, { modules: chain.modules, facts: this.#txFacts(height, time), version, keeper });
    this.#validators.begin(branch);
    return branch;
  }

  /** Which of the program's versions runs from the block of an upgrade on. */
  #codeRecords(): RecordChange[] {
    if (!this.#applied) return [];
    const { number } = codeInForce(this.keeper, this.multiStore, this.#choiceFacts);
    return [codeRecordOf({ name: this.#applied.plan.name, height: this.nextHeight }, number)];
  }
}
