/**
 * The application as another thread sees it: committed state, queries, and transactions checked and simulated over it.
 * It runs no block and writes nothing; what a process must know besides state, the thread that makes blocks says.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Height, Sha256, Timestamp } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import type { Core } from "../../upgrade/core/core.js";
import { Keeper, UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import type { ConsensusParams } from "../comet-types/consensus-params.js";
import type { VerifySignature } from "../comet-types/keys.js";
import { loadCurves } from "../comet-types/keys.js";
import { trapNondeterminism } from "../determinism/traps.js";
import { moduleAddress } from "../values/address.js";
import type { GasPrice } from "../values/minimum-fee.js";
import { type TxPlace, txFactsMaker } from "./app-parts.js";
import type { StateAt } from "./app-shapes.js";
import type { Chain } from "./chain.js";
import type { ChainConstants } from "./context.js";
import { paramsFor, paramsOf } from "./engine-values.js";
import { blockGasMax } from "./genesis/consensus-params.js";
import { versionInForce } from "./start.js";
import type { TxResult } from "./tx/result.js";
import type { TxFacts } from "./tx/run.js";
import { type CheckKind, TxChecks } from "./tx-checks.js";
import type { ChainVersion } from "./versions/version.js";
import { AUTHORITY_MODULE } from "./vital-modules.js";

export interface AppViewOptions {
  readonly chain: Chain;
  readonly database: Database;
  readonly sha256: Sha256;
  readonly core: Core;
  readonly chainId: string;
  readonly initialHeight: Height;
  /** Version that genesis names. */
  readonly appVersion: bigint;
  /** Those of genesis. */
  readonly constants: ChainConstants;
  readonly versions: readonly ChainVersion[];
  /** Height and time of the last block that reads see now; undefined before the first. */
  readonly last: () => { readonly height: Height; readonly time: Timestamp } | undefined;
  readonly verifySignature?: VerifySignature;
  readonly minimumGasPrices?: readonly GasPrice[];
  /**
   * Is the next block being made? Before an upgrade a transaction is refused then, and waits otherwise: where an engine makes no
   * empty blocks, it is what makes the block. Default: it always is.
   */
  readonly isMakingBlock?: () => boolean;
}

export class AppView {
  readonly keeper: Keeper;
  readonly multiStore: CommitMultiStore;
  readonly #makeFacts: (place: TxPlace) => TxFacts;
  readonly #checks: TxChecks;
  /** The last version, looked up once a block. */
  #last: StateAt | undefined;
  #params: { readonly height: Height; readonly params: ConsensusParams } | undefined;

  constructor(private readonly options: AppViewOptions) {
    const { chain, chainId, sha256, core, versions, database, isMakingBlock = () => true } = options;
    trapNondeterminism();
    loadCurves();
    this.multiStore = new CommitMultiStore(database, { sha256 });
    const authority = chain.addresses.encode(moduleAddress(sha256, AUTHORITY_MODULE));
    this.keeper = new Keeper({ core, authority, versions });
    this.#makeFacts = txFactsMaker(options, this.keeper, () => this.#lastState().version);
    this.#checks = new TxChecks({
      stores: () => this.#lastState().stores.multiStore(),
      hasState: () => options.last() !== undefined,
      chainId,
      blockGasMax: () => blockGasMax(this.consensusParams),
      facts: () => this.#txFacts(),
      isUpgradeBlockNext: () => isMakingBlock() && this.isUpgradeBlockNext,
      isProposing: false,
      minimumGasPrices: options.minimumGasPrices ?? [],
    });
  }

  /** @throws UpgradeError UPG_NOT_FOUND_VERSION with the lowest height kept */
  at(height: Height = 0n): StateAt {
    const last = this.options.last()?.height ?? 0n;
    const wanted = height === 0n ? last : height;
    if (this.#last && this.#last.height === wanted && wanted === last) return this.#last;
    const stores = this.multiStore.at(wanted);
    const { appVersion, versions } = this.options;
    const state = {
      height: wanted,
      stores,
      version: versionInForce(this.keeper, stores, { genesis: { appVersion }, versions }),
    };
    if (wanted === last) this.#last = state;
    return state;
  }

  /** The parameters of consensus for the next block. */
  get consensusParams(): ConsensusParams {
    const { chain, constants, last } = this.options;
    const { params } = constants;
    if (!last()) return params;
    const state = this.at();
    const { height } = state;
    if (this.#params?.height !== height) this.#params = { height, params: paramsOf(chain.modules, state, params) };
    return this.#params.params;
  }

  /** Those for any block. @throws UpgradeError UPG_NOT_FOUND_VERSION where the state before it is not kept */
  consensusParamsFor(height: Height): ConsensusParams {
    const { chain, constants, initialHeight } = this.options;
    const first = { initialHeight, params: constants.params };
    return paramsFor(chain.modules, first, height, (before) => this.at(before));
  }

  /** Is a plan due at the next height? Then the block takes no transactions. */
  get isUpgradeBlockNext(): boolean {
    const { height, stores } = this.#lastState();
    const plan = stores.names.includes(UPGRADE_STORE) ? this.keeper.plan(stores.store(UPGRADE_STORE)) : undefined;
    return plan !== undefined && plan.height <= height + 1n;
  }

  /** As `App.checkTx`, over what the last block left. @throws UpgradeError UPG_STORE_*: no verdict */
  checkTx(tx: Uint8Array, kind: CheckKind = "new", hash?: string): TxResult {
    return this.#checks.check(tx, kind, hash);
  }

  /** Refuses these transactions from now on: the thread that makes blocks left them out. */
  leaveOut(names: readonly string[]): void {
    this.#checks.misfits.refuse(names);
  }

  /** Runs a transaction as if it were in the next block; its signatures are not checked. Nothing of it stays. */
  simulate(tx: Uint8Array): TxResult {
    return this.#checks.simulate(tx);
  }

  /** A block was committed: what waits is to be checked again. */
  moved(): void {
    this.#checks.reset();
  }

  #lastState(): StateAt {
    if (!this.options.last()) {
      throw new UpgradeError("UPG_REMOTE_NOT_READY", "the chain is not ready; please wait for first block");
    }
    return this.at();
  }

  #txFacts(): TxFacts {
    const { height } = this.#lastState();
    const time = this.options.last()?.time as Timestamp;
    return this.#makeFacts({ height: height + 1n, time });
  }
}
