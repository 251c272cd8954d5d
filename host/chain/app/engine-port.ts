/**
 * What an engine needs of an application, in the shape of ABCI 2.0 and without its transport: the embedded engine calls it
 * in the same thread, CometBFT through a socket (host/node/comet). An engine decides blocks; the application says what they do.
 *
 * Rules, which are CometBFT's (its ABCI++ specification, "Requirements for the Application"):
 *   - `finalizeBlock` and `commit` come in turns and change what is committed; every other call reads the last commit,
 *     also between the two.
 *   - `finalizeBlock` may come again for its height: the run before it is dropped. Nothing counts on disk before `commit`.
 *   - `commit` is durable when it returns. A process that dies leaves the block before or this one, never a part.
 *   - After an error of `initChain`, `finalizeBlock` or `commit` the application runs no more blocks in this process.
 */

import type { Height, Timestamp } from "../../base/types/types.js";
import type { RecordChange } from "../../state/store/disk/database.js";
import type { ConsensusParams } from "../comet-types/consensus-params.js";
import type { ValidatorUpdate } from "../comet-types/validator-updates.js";
import type { BlockRequest, BlockResult } from "./app-shapes.js";
import type { TxResult } from "./tx/result.js";

/** Who decides blocks. A home belongs to the engine that decided its blocks: the other one refuses it. */
export type EngineName = "embedded" | "cometbft";

/** The mark of an engine in the commit record: that of the embedded one is empty, as in homes from before there were two. */
export function engineMark(engine: EngineName): string {
  return engine === "embedded" ? "" : engine;
}

/** What an engine asks first: where it goes on. */
export interface AppInfo {
  /** Name of the chain's program. */
  readonly name: string;
  /** Of this package. */
  readonly version: string;
  /** The app version that runs. */
  readonly appVersion: bigint;
  /** 0n before the first commit. */
  readonly lastHeight: Height;
  /** After that block; empty before the first commit. */
  readonly lastAppHash: Uint8Array;
}

/** What the engine's genesis document says, for comparison with the application's. */
export interface InitChainRequest {
  readonly chainId: string;
  readonly time: Timestamp;
  readonly initialHeight: Height;
  /** Empty: the document names none. */
  readonly validators: readonly ValidatorUpdate[];
}

/** What a chain begins with. */
export interface InitChainResult {
  /** The first set of validators, the greatest first; empty: state gives nobody power, so the engine's own set stays. */
  readonly validators: readonly ValidatorUpdate[];
  readonly params: ConsensusParams;
  /** SHA-256 of nothing: it is in the header of the first block. */
  readonly appHash: Uint8Array;
}

export interface ProposalRequest {
  /** Of the block that is proposed. */
  readonly height: Height;
  /** In the order of the engine's mempool. */
  readonly txs: readonly Uint8Array[];
}

/** "new": a client or a peer brings it; "recheck": it was let in before, and a block was made since. */
export type CheckTxKind = "new" | "recheck";

/** Path and data of CometBFT's `abci_query`. */
export interface AppQuery {
  /** `/store/<name>/key`, or the name of a method: `/package.Service/Method`. */
  readonly path: string;
  readonly data: Uint8Array;
  /** 0n: the last commit. */
  readonly height: Height;
  readonly prove: boolean;
}

/** One step of a proof, as CometBFT's `ProofOp`. */
interface QueryProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

/** An error is in `code` and `log`: the call itself has succeeded. */
export interface AppQueryResult {
  /** 0: success; else a code of `codespace`. */
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  /** Of a failure: the stable code of this project (docs/errors.md). */
  readonly info: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Undefined: none was asked for. */
  readonly proof: readonly QueryProofOp[] | undefined;
  /** The height whose state was read; 0n where the query failed. */
  readonly height: Height;
}

export interface Committed {
  readonly height: Height;
  readonly appHash: Uint8Array;
  /** Blocks below it may be pruned by the engine; 0n: none, so that each upgrade's block stays. */
  readonly retainHeight: Height;
}

/** What makes blocks. */
export interface BlockPort {
  info(): AppInfo;
  /**
   * Makes the state that a chain begins with; durable with its first block. It may come again until then.
   * @throws UpgradeError UPG_INVALID_GENESIS when the engine's document is of another chain; UPG_STORE_*
   */
  initChain(request: InitChainRequest): InitChainResult;
  /** May the transaction wait for a block? @throws UpgradeError UPG_STORE_*: no verdict */
  checkTx(tx: Uint8Array, kind: CheckTxKind): TxResult;
  /**
   * The transactions of a block that this node proposes: those that fit, in order; none where a plan is due.
   * @param bytesMax of all of them, each with its length and tag as in the block's protobuf encoding
   */
  prepareProposal(request: ProposalRequest, bytesMax: number): readonly Uint8Array[];
  /** Is it a block to vote for? Not where a plan is due and it has transactions. The same on every node. */
  processProposal(request: ProposalRequest): boolean;
  /** @throws Halt; UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_STORE_* */
  finalizeBlock(request: BlockRequest): BlockResult;
  /** @param alongside becomes visible in the same step @throws UpgradeError UPG_STORE_* */
  commit(alongside?: Iterable<RecordChange>): Committed;
}

/** All of it, for an engine in another process: what serves clients reads state beside an engine of this process. */
export interface EnginePort extends BlockPort {
  /** Reads a committed version; never throws for what was asked. */
  query(query: AppQuery): Promise<AppQueryResult>;
}
