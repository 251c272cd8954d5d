/**
 * The application of a chain: its modules around the upgrade module. It has the shape of ABCI 2.0 without its transport:
 * `finalizeBlock` runs a block on a branch and returns the app hash it will have, `commit` makes it durable.
 */
import { Ending } from "../../base/errors/engine-limit.js";
import { assert } from "../../base/errors/errors.js";
import type { CommitID, Height, Plan, Timestamp } from "../../base/types/types.js";
import { finish } from "../../state/branch/finish.js";
import type { RecordChange } from "../../state/store/disk/database.js";
import { codeRecords } from "../../state/store/versions/code-records.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import type { StoreLoader } from "../../state/store/versions/store-loader.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { upgradeCommitOptions } from "../../upgrade/module/commit-options.js";
import type { AppliedUpgrade } from "../../upgrade/module/hooks.js";
import type { Keeper } from "../../upgrade/module/keeper.js";
import type { ConsensusParams } from "../comet-types/consensus-params.js";
import type { ValidatorUpdate } from "../comet-types/validator-updates.js";
import { appFactsMaker, appKeeper, checksOver, NO_STORES, planIn, storeOptions, type TxPlace } from "./app-parts.js";
import type { AppOptions, BeginResult, BlockRequest, BlockResult, BlockRun, StateAt } from "./app-shapes.js";
import { nextEndTime, runBlock } from "./block.js";
import { NO_BLOCK_INFO } from "./block-info.js";
import type { Chain } from "./chain.js";
import { checkHeight } from "./check-height.js";
import { GivenByState } from "./engine-values.js";
import { blockGasMax } from "./genesis/consensus-params.js";
import { hasState } from "./genesis/genesis.js";
import { initGenesis } from "./genesis/init-genesis.js";
import { setChainHandlers } from "./migrations-of.js";
import { chooseVersion, codeInForce, requireRunnable, versionInForce } from "./start.js";
import type { TxResult } from "./tx/result.js";
import type { TxFacts } from "./tx/run.js";
import type { CheckKind, TxChecks } from "./tx-checks.js";
import type { ChainVersion } from "./versions/version.js";

export type { AppOptions, BeginResult, BlockRequest, BlockResult, StateAt } from "./app-shapes.js";
export type { TxResult };

/**
 * The application of a chain: runs blocks and transactions over its stores, without a network (`EmbeddedNode` makes blocks).
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
  readonly chain: Chain;
  readonly keeper: Keeper;
  #multiStore: CommitMultiStore;
  readonly #txFacts: (place: TxPlace) => TxFacts;
  #version: ChainVersion | undefined;
  #storeLoader: StoreLoader | undefined;
  readonly #ending = new Ending();
  /** The block whose writes are in the stores, and not committed. */
  #ran: BlockRun | undefined;
  /** The last one that was committed; undefined: not by this process. */
  #last: Omit<BlockRun, "version"> | undefined;
  readonly #checks: TxChecks;
  readonly #given: GivenByState;
  readonly #committed = () =>
    this.lastCommitID.version === 0n ? { stores: NO_STORES, version: this.version } : this.at();
  /** With the state of genesis, until the first block goes on from it. */
  #begun: ReturnType<CommitMultiStore["branch"]> | undefined;
  /** The versions that this process knows, oldest first. */
  readonly versions: readonly ChainVersion[];
  readonly #choiceFacts: AppOptions & { readonly versions: readonly ChainVersion[] };

  constructor(private readonly options: AppOptions) {
    const { chain, database, sha256, genesis } = options;
    this.chain = chain;
    this.versions = options.versions ?? chain.versions;
    this.#choiceFacts = { ...options, versions: this.versions };
    this.#multiStore = new CommitMultiStore(database, storeOptions(options));
    this.keeper = appKeeper(options, this.versions);
    this.#given = new GivenByState(chain.modules, genesis);
    this.#txFacts = appFactsMaker(options, this.#given.genesisParams, this.keeper, () => this.version);
    setChainHandlers(this.keeper, chain, this.versions, sha256);
    this.#checks = checksOver(this, options, this.#txFacts);
  }

  /** Replaces the store loader that state would choose. Call it before `load`. */
  setStoreLoader(loader: StoreLoader): void {
    this.#storeLoader = loader;
  }

  /** The stores, of the version that runs. */
  get multiStore(): CommitMultiStore {
    return this.#multiStore;
  }

  /**
   * Chooses the version that state asks for and opens its stores. Handlers must be registered before; staged ones are
   * looked for here. `isReopened`: it is no start, this process made the block before.
   * @throws Halt when this process does not know the version; UpgradeError UPG_STORE_UPGRADE, UPG_INVALID_GENESIS
   */
  load(isReopened = false): void {
    this.keeper.lookForStaged();
    const choice = chooseVersion(this.keeper, this.multiStore, { ...this.#choiceFacts, isReopened });
    this.multiStore.mount(...choice.version.stores);
    (this.#storeLoader ?? choice.storeLoader)(this.multiStore);
    this.keeper.markStoresOpened(choice.version.plan);
    this.#version = choice.version;
  }

  /** Could this process go on from a version that it does not have yet? @throws as `load`: why not */
  requireRunnable(view: VersionView): void {
    requireRunnable(this.keeper, view, this.#choiceFacts);
  }

  /** Goes on from the last commit, after UPG_HALT_RESTART or a restored snapshot, as state asks for. @throws as `load` */
  reopen(): void {
    this.#drop();
    this.#given.forget();
    this.#multiStore = new CommitMultiStore(this.options.database, storeOptions(this.options));
    this.#checks.reset();
    this.#ending.forget();
    this.#ending.run(() => this.load(true));
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

  /** The plan that is scheduled, as the last commit left it. */
  get plan(): Plan | undefined {
    return planIn(this.multiStore.loaded(), this.keeper);
  }

  /** Is a plan due at the next height? Then the block takes no transactions. */
  get isUpgradeBlockNext(): boolean {
    const { plan } = this;
    return plan !== undefined && plan.height <= this.nextHeight;
  }

  /** When the next deposit or vote ends: the block of that time has something to do, whatever it holds. */
  get nextEndTime(): Timestamp | undefined {
    return nextEndTime(this.options.chain, { stores: this.multiStore.loaded(), version: this.version });
  }

  /**
   * Makes the state that genesis gives, as the first `finalizeBlock` does without this call. It is durable with that block.
   * @throws UpgradeError UPG_INVALID_GENESIS, UPG_STORE_*
   */
  initChain(): BeginResult {
    return this.#ending.run(() => {
      assert(this.lastCommitID.version === 0n, "a chain begins once");
      this.#drop();
      return this.#begin({ height: this.nextHeight, time: this.options.genesis.time });
    });
  }

  /** Whom the last committed state gives power, the greatest first; undefined: no module of it gives any. */
  get validators(): readonly ValidatorUpdate[] | undefined {
    return this.lastCommitID.version === 0n ? undefined : this.#given.validators(this.#committed);
  }

  /** The parameters of consensus for the block after the last commit. */
  get consensusParams(): ConsensusParams {
    return this.#given.params(this.#committed);
  }

  /** Those for any block. @throws UpgradeError UPG_NOT_FOUND_VERSION where the state before it is not kept */
  consensusParamsFor: (height: Height) => ConsensusParams = (height) =>
    this.#given.paramsFor(height, (before) => this.at(before));

  /**
   * Runs a block on a branch; one that ran since the last commit is dropped first. Nothing is durable before `commit`;
   * after an error nothing more runs in this app.
   * @throws Halt; UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_STORE_*
   */
  finalizeBlock(request: BlockRequest): BlockResult {
    return this.#ending.run(() => {
      if (this.#ran) this.#drop();
      return this.#runBlock(request);
    });
  }

  /**
   * Makes the block that ran durable; `alongside` becomes visible in the same step. After an error nothing more runs in
   * this app. @throws UpgradeError UPG_STORE_*
   */
  commit(alongside: Iterable<RecordChange> = []): CommitID {
    return this.#ending.run(() => {
      assert(this.#ran, "commit() comes after finalizeBlock()");
      const { time, applied } = this.#ran;
      const code = applied && codeInForce(this.keeper, this.multiStore, this.#choiceFacts).number;
      const records = codeRecords(applied?.plan.name, this.nextHeight, code);
      const engine = this.options.engine ?? "";
      const commitID = this.multiStore.commit({ time, engine, alongside: [...records, ...alongside] });
      this.#last = this.#ran;
      this.#version = this.#ran.version;
      this.#ran = undefined;
      this.#given.commit();
      this.#checks.reset();
      return commitID;
    });
  }

  /** May the transaction enter the mempool? `hash`: SHA-256 in lower-case hex, if known. @throws UpgradeError UPG_STORE_*: no verdict */
  checkTx(tx: Uint8Array, kind: CheckKind = "new", hash?: string): TxResult {
    return this.#checks.check(tx, kind, hash);
  }

  /** Runs a transaction as if it were in the next block; its signatures are not checked. Nothing of it stays. */
  simulate(tx: Uint8Array): TxResult {
    return this.#checks.simulate(tx);
  }

  /** Which transactions a proposal may hold. */
  get proposals(): Pick<TxChecks, "fitting" | "accepts" | "misfits"> {
    return this.#checks;
  }

  /** Time of the last block, which checks count with; before the first that of genesis. */
  get lastBlockTime(): Timestamp {
    return this.#last?.time ?? this.multiStore.lastBlock.time ?? this.options.genesis.time;
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

  /** The upgrade that the last block applied, if this process committed it and it did. */
  get applied(): AppliedUpgrade | undefined {
    return this.#last?.applied;
  }

  close(): void {
    this.multiStore.close();
  }

  #drop(): void {
    this.#ran = undefined;
    this.#begun = undefined;
    this.multiStore.discard();
    this.#given.drop();
  }

  #runBlock(request: BlockRequest): BlockResult {
    const { height, time } = request;
    checkHeight(height, this.nextHeight, this.options.haltHeight);
    if (this.lastCommitID.version === 0n && !this.#begun) this.#begin(request);
    const branch = this.#begun ?? this.multiStore.branch();
    this.#begun = undefined;
    const { proposer, lastCommit, misbehavior } = { ...NO_BLOCK_INFO, ...request };
    const { applied, version, ...output } = runBlock(branch, this.multiStore.loaded(), {
      modules: this.chain.modules,
      facts: this.#txFacts({ height, time, block: { proposer, lastCommit, misbehavior } }),
      appVersion: this.options.genesis.appVersion,
      txs: request.txs ?? [],
      changes: request.changes ?? [],
      blockGasMax: blockGasMax(this.consensusParams),
      versionOf: (stores) => versionInForce(this.keeper, stores, this.#choiceFacts),
    });
    const ran = { time, applied, version };
    const updates = this.#given.update({ ...ran, height, stores: branch }, this.#committed);
    finish(branch);
    this.#ran = ran;
    const { hash: appHash } = this.multiStore.stage(upgradeCommitOptions(this.keeper.core, height, applied));
    return { appHash, ...output, ...updates, applied };
  }

  #begin({ height, time }: Pick<BlockRequest, "height" | "time">): BeginResult {
    const { version, keeper, chain } = this;
    const { genesis } = this.options;
    assert(hasState(genesis), "a chain begins with the state of its genesis document");
    const branch = this.multiStore.branch();
    initGenesis(branch, genesis, { modules: chain.modules, facts: this.#txFacts({ height, time }), version, keeper });
    this.#begun = branch;
    return this.#given.begin({ stores: branch, version });
  }
}
