/** What a query sees: one committed version, and its node. */

import type { Height, KVReader, LeftSignal, Sha256 } from "../../../base/types/types.js";
import type { CommitMultiStore } from "../../../state/store/versions/commit-multi-store.js";
import type { Keeper } from "../../../upgrade/module/keeper.js";
import type { ConsensusParams } from "../../comet-types/consensus-params.js";
import type { Addresses } from "../../values/address.js";
import type { Walker } from "../../values/paginate.js";
import type { MessageRouter } from "../context.js";
import type { ModuleAccount } from "../module-account.js";
import type { ChainVersion } from "../versions/version.js";
import type { NodePort, NodeTxResult } from "./node-port.js";

/** Stores of a committed version. */
interface ReadableStores {
  readonly names: readonly string[];
  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVReader;
}

export interface StateView {
  readonly height: Height;
  readonly stores: ReadableStores;
  /** The version of the chain that reads these stores. */
  readonly version: ChainVersion;
}

/** The application, as far as queries need it: nothing here changes state or what the node does next. */
export interface QueryApp {
  readonly keeper: Pick<Keeper, "authority" | "core" | "plan" | "doneHeight" | "lastDone" | "moduleVersions">;
  readonly multiStore: Pick<CommitMultiStore, "has" | "at" | "lastCommitID">;
  /** Without a height the last one. @throws UpgradeError UPG_NOT_FOUND_VERSION */
  at(height?: Height): StateView;
  /** The parameters of consensus for a block. @throws UpgradeError UPG_NOT_FOUND_VERSION where the state before it is not kept */
  consensusParamsFor(height: Height): ConsensusParams;
  /** Runs a transaction on a branch that is dropped; signatures are not checked. */
  simulate(tx: Uint8Array): NodeTxResult;
}

/** How a call goes on with its client. */
export interface CallOptions {
  /** Aborted when the client leaves. */
  readonly signal?: LeftSignal;
  /** Called when a total of the response is a lower bound; the client learns it beside the response. */
  readonly onCut?: (what: string) => void;
}

/** The chain, as far as queries need it. */
interface QueriedChain {
  readonly name: string;
  readonly addresses: Addresses;
  readonly modules: readonly ModuleAccount[];
  /** Every message, by its type URL. */
  readonly router: MessageRouter;
}

/** What every method sees. */
export interface NodeCall extends CallOptions {
  readonly chain: QueriedChain;
  readonly app: QueryApp;
  readonly node: NodePort;
  readonly sha256: Sha256;
  readonly inTurns: Walker["inTurns"];
  /** The height that the client named; 0n: none. */
  readonly askedHeight: Height;
  /** What delegations are counted in. */
  readonly bondDenom: string;
  /** `app_state.staking.params` of the genesis document, as JSON; undefined: it has none. */
  readonly stakingParams: unknown;
}

/** What methods about state see besides. */
export interface QueryCall extends NodeCall, StateView {}
