/**
 * What the servers need of a node besides its state: blocks, transactions, the mempool, notifications. The engine implements it;
 * a program puts the two together, so neither knows the other. The query service takes a {@link NodePort}, whose blocks may be
 * kept by another process; the RPC is served of a {@link LocalNode}, which has them.
 */

import type { Height, LeftSignal, Timestamp } from "../../../base/types/types.js";
import type { Block } from "../../comet-types/block.js";
import type { BlockId } from "../../comet-types/block-id.js";
import type { Commit } from "../../comet-types/commit.js";
import type { ConsensusParams } from "../../comet-types/consensus-params.js";
import type { Header } from "../../comet-types/header.js";
import type { Validator } from "../../comet-types/validator.js";
import type { ValidatorSet } from "../../comet-types/validator-set.js";
import type { ValidatorUpdate } from "../../comet-types/validator-updates.js";
import type { EventCondition } from "../../events/event-query.js";
import type { ChainEvent } from "../../values/events.js";

/** At once, or when another process has responded. */
export type Maybe<T> = T | Promise<T>;

/** A block's header, and its name. */
export interface NodeHead {
  readonly header: Header;
  readonly blockId: BlockId;
}

/** A block without its transactions, and its results. */
export interface NodeBlock extends NodeHead {
  /** Bytes of the whole block. */
  readonly size: number;
  readonly txCount: number;
  /** After this block; it is in the next header. */
  readonly appHash: Uint8Array;
  /** The commit that decided it. */
  readonly commit: Commit;
}

/** The result of a transaction, in a check or in a block. */
export interface NodeTxResult {
  /** 0: success. */
  readonly code: number;
  readonly codespace: string;
  readonly data: Uint8Array;
  readonly log: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly ChainEvent[];
}

interface NodeBlockResults {
  readonly txResults: readonly NodeTxResult[];
  /** Events of the hooks. */
  readonly events: readonly ChainEvent[];
  /** Validators that have another power from two blocks on; 0n: none. */
  readonly validatorUpdates: readonly ValidatorUpdate[];
}

/** A transaction in a block. */
export interface NodeTx {
  readonly hash: Uint8Array;
  readonly height: Height;
  /** Its place in the block. */
  readonly index: number;
  readonly bytes: Uint8Array;
  readonly result: NodeTxResult;
}

/** One more block. */
export interface NodeEvents {
  readonly block: NodeBlock;
  readonly results: NodeBlockResults;
  readonly txs: readonly NodeTx[];
}

/** Transactions that wait for a block. */
export interface NodeWaiting {
  readonly count: number;
  readonly bytes: number;
}

interface NodeMempool extends NodeWaiting {
  /** The first ones, in the order in which they will be taken. */
  list(limit: number): readonly Uint8Array[];
}

interface NodeIdentity {
  /** Lower-case hex. */
  readonly nodeId: string;
  readonly moniker: string;
  readonly chainId: string;
  /** The key that signs blocks. */
  readonly address: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** What a node says of itself to its peers and clients: CometBFT's `NodeInfo`. */
export interface NodeInfo {
  readonly protocol: { readonly p2p: bigint; readonly block: bigint; readonly app: bigint };
  /** Lower-case hex. */
  readonly nodeId: string;
  readonly listenAddress: string;
  readonly chainId: string;
  /** Of the engine, as CometBFT numbers its versions. */
  readonly version: string;
  readonly channels: Uint8Array;
  readonly moniker: string;
  /** "on" or "off". */
  readonly txIndex: string;
  readonly rpcAddress: string;
  /** It fetches blocks that others have made. */
  readonly isSyncing: boolean;
}

/** Which of its hits a search shows. */
export interface NodeSearchWindow {
  /** From the last block down. */
  readonly isDescending: boolean;
  /** Hits before the first that is shown. */
  readonly first: number;
  readonly size: number;
  /** Aborted when the client leaves. */
  readonly signal?: LeftSignal;
}

export interface NodeSearchPage<T> {
  readonly hits: readonly T[];
  /** All hits; when counting was cut, one more than were counted. */
  readonly total: number;
  readonly isTotalExact: boolean;
}

/** The genesis document, which may be larger than memory. */
export interface NodeGenesis {
  /** Where the values of its members are, by name. */
  readonly members: ReadonlyMap<string, { readonly from: number; readonly to: number }>;
  read(range: { readonly from: number; readonly to: number }): Promise<Uint8Array>;
}

/** How far the upgrade has come that is being made. */
export interface NodeProgress {
  readonly plan: string;
  /** Of the block that is being made. */
  readonly height: Height;
  readonly phase: string;
  /** "" where the phase is of no store. */
  readonly store: string;
  readonly done: number;
  /** 0: not known. */
  readonly total: number;
  /** A second, in this phase; 0: not known yet. */
  readonly rate: number;
  /** Until this phase ends; undefined: not known. */
  readonly secondsLeft: number | undefined;
  /** Since the block began. */
  readonly secondsElapsed: number;
}

/** What the operator has set. */
export interface NodeSettings {
  /** Decimal coins with commas between; "": none. */
  readonly minimumGasPrices: string;
  /** Historical versions that stay readable besides the last. */
  readonly versionsKept: number;
  /** The node stops before this block; 0n: never. */
  readonly haltHeight: Height;
  /** Can transactions and blocks be searched? */
  readonly isIndexed: boolean;
}

export interface NodePort {
  readonly settings: NodeSettings;
  readonly chainId: string;
  /** For the next block. */
  readonly consensusParams: ConsensusParams;
  /** Height of the last block; undefined before the first. */
  readonly lastHeight: Height | undefined;
  /** Time of a block that is kept, or whose state is. @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  timeOf(height: Height): Timestamp;
  /** Undefined: no upgrade is being made. */
  progress(): NodeProgress | undefined;
  /** Does what is checked over the mempool's transactions: once what a block left of them is checked again. */
  afterRechecks<T>(work: () => T): Promise<T>;
  info(): Maybe<NodeInfo>;
  /** Undefined before the first block. */
  latest(): Maybe<NodeHead | undefined>;
  /** The lowest block of the run without gaps that ends with the last. */
  earliest(): Maybe<NodeHead | undefined>;
  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  at(height: Height): Maybe<NodeHead>;
  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  block(height: Height): Maybe<Block>;
  /** Those that decide a height, at most the one after the last block. @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  validatorsAt(height: Height): Maybe<{ readonly validators: readonly Validator[] }>;
  tx(hash: Uint8Array): Maybe<NodeTx | undefined>;
  /**
   * Transactions whose events fit, by height and place.
   * @throws UpgradeError UPG_REMOTE_SEARCH_CUT when the page was not reached, UPG_REMOTE_BUSY
   */
  searchTxs(conditions: readonly EventCondition[], window: NodeSearchWindow): Promise<NodeSearchPage<NodeTx>>;
  /**
   * Checks a transaction and, when it is good, keeps it for the next block.
   * @throws UpgradeError UPG_TX_* when the mempool does not take it, whatever it says
   */
  broadcast(tx: Uint8Array): Promise<NodeTxResult>;
  waiting(): Maybe<NodeWaiting>;
}

/** A node that keeps its blocks itself. */
export interface LocalNode extends NodePort {
  readonly identity: NodeIdentity;
  readonly mempool: NodeMempool;
  /** The same object as long as the document is the same. @throws UpgradeError UPG_STORE_IO */
  genesis(): Promise<NodeGenesis>;
  latest(): NodeBlock | undefined;
  earliest(): NodeBlock | undefined;
  at(height: Height): NodeBlock;
  block(height: Height): Block;
  validatorsAt(height: Height): ValidatorSet;
  tx(hash: Uint8Array): NodeTx | undefined;
  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  results(height: Height): NodeBlockResults;
  heightOf(blockHash: Uint8Array): Height | undefined;
  /** Heights of blocks whose events fit. @throws like `searchTxs` */
  searchBlocks(conditions: readonly EventCondition[], window: NodeSearchWindow): Promise<NodeSearchPage<Height>>;
  /** Calls back after every block, until the function it returns is called. */
  subscribe(listener: (made: NodeEvents) => void): () => void;
}
