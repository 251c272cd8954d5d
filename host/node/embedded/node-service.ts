/** A running node as its servers see it: blocks, results, transactions, mempool and notifications (`LocalNode` of chain/query). */

import { UpgradeError } from "../../base/errors/errors.js";
import { EMPTY, equalBytes } from "../../base/text/bytes.js";
import { VERSIONS_KEPT_DEFAULT } from "../../base/types/limits.js";
import type { Height, Timestamp } from "../../base/types/types.js";
import type { TxResult } from "../../chain/app/app.js";
import type { Block } from "../../chain/comet-types/block.js";
import type { ConsensusParams } from "../../chain/comet-types/consensus-params.js";
import { BLOCK_PROTOCOL } from "../../chain/comet-types/header.js";
import { ENGINE_VERSION, P2P_PROTOCOL } from "../../chain/comet-types/release.js";
import { type ValidatorSet, validatorSetHash } from "../../chain/comet-types/validator-set.js";
import type { EventCondition } from "../../chain/events/event-query.js";
import type { ChainFacts } from "../blocks/block-maker.js";
import type { BlockResults } from "../blocks/block-results.js";
import type { BlockStore, StoredBlock } from "../blocks/block-store.js";
import { soleValidator } from "../blocks/deciding-sets.js";
import { EventSearch, type SearchPage, type SearchWindow } from "../blocks/event-search.js";
import type { Mempool } from "../blocks/mempool.js";
import { SEARCH_LIMITS, type SearchLimits } from "../blocks/search-budget.js";
import { SearchedBlocks } from "../blocks/searched-blocks.js";
import type { ValidatorStore } from "../blocks/validator-store.js";
import type { GenesisText } from "../home/genesis-file.js";
import type { TxPlace } from "../index/postings.js";
import type { TxIndex } from "../index/tx-index.js";
import { estimate, type ProgressEstimate, type UpgradeProgress } from "./upgrade-progress.js";

interface Settings {
  readonly minimumGasPrices: string;
  readonly versionsKept: number;
  readonly haltHeight: Height;
  readonly isIndexed: boolean;
}

const SETTINGS_DEFAULT: Settings = {
  minimumGasPrices: "",
  versionsKept: VERSIONS_KEPT_DEFAULT,
  haltHeight: 0n,
  isIndexed: true,
};

export interface NodeServiceFacts {
  /** Lower-case hex. */
  readonly nodeId: string;
  readonly moniker: string;
  readonly genesis: { text(): Promise<GenesisText> };
  readonly search?: Partial<SearchLimits>;
  readonly settings?: Partial<Settings>;
  /** Of the upgrade that is being made; without it nothing is known of one. */
  readonly progress?: () => UpgradeProgress | undefined;
}

interface FoundTx {
  readonly hash: Uint8Array;
  readonly height: Height;
  readonly index: number;
  readonly bytes: Uint8Array;
  readonly result: TxResult;
}

interface BlockEvents {
  readonly block: StoredBlock;
  readonly results: BlockResults;
  readonly txs: readonly FoundTx[];
}

/** A block that was made, and its result. */
interface ServedBlock {
  readonly stored: StoredBlock;
  readonly result: BlockResults;
  readonly txs: readonly Uint8Array[];
  readonly txHashes: readonly Uint8Array[];
}

/** What is served: a node of this thread, or one that runs in another. */
export interface ServedNode {
  readonly blocks: BlockStore;
  readonly index: TxIndex;
  readonly mempool: Mempool;
  readonly facts: ChainFacts;
  /** For the next block. */
  readonly consensusParams: ConsensusParams;
  readonly key: { readonly address: Uint8Array; readonly publicKey: { readonly bytes: Uint8Array } };
  readonly validators: ValidatorStore;
  readonly lastBlock: StoredBlock | undefined;
  /** SHA-256 of a transaction: its name. */
  hash(tx: Uint8Array): Uint8Array;
  /** @throws UpgradeError UPG_TX_* when the mempool does not take it, whatever it says */
  submit(tx: Uint8Array): TxResult | Promise<TxResult>;
  /** Does what is checked over the mempool's transactions once they are checked again; without it they always are. */
  afterRechecks?<T>(work: () => T): Promise<T>;
  subscribe(listener: (made: ServedBlock) => void): () => void;
}

export class NodeService {
  readonly #search: EventSearch;

  constructor(
    private readonly node: ServedNode,
    private readonly own: NodeServiceFacts,
  ) {
    const searched = new SearchedBlocks(node.blocks, (bytes) => node.hash(bytes));
    this.#search = new EventSearch(node.index, searched, { ...SEARCH_LIMITS, ...own.search });
  }

  get identity() {
    const { nodeId, moniker } = this.own;
    const { key, facts } = this.node;
    return { nodeId, moniker, chainId: facts.chainId, address: key.address, publicKey: key.publicKey.bytes };
  }

  get chainId(): string {
    return this.node.facts.chainId;
  }

  info() {
    const { nodeId, moniker, chainId } = this.identity;
    return {
      protocol: { p2p: P2P_PROTOCOL, block: BLOCK_PROTOCOL, app: this.consensusParams.version.app },
      ...{ nodeId, moniker, chainId, version: ENGINE_VERSION },
      ...{ listenAddress: "", channels: EMPTY, rpcAddress: "" },
      txIndex: this.settings.isIndexed ? "on" : "off",
      isSyncing: false,
    };
  }

  waiting(): { readonly count: number; readonly bytes: number } {
    return this.mempool;
  }

  get settings(): Settings {
    return { ...SETTINGS_DEFAULT, ...this.own.settings };
  }

  validatorsAt(height: Height): ValidatorSet {
    const { validators, blocks, key, lastBlock } = this.node;
    const known = validators.at(height);
    if (known) return known;
    // Blocks from before sets were stored: their key decided alone.
    const hash = (bytes: Uint8Array) => this.node.hash(bytes);
    const set = soleValidator(hash, { type: "ed25519", bytes: key.publicKey.bytes });
    const isNext = lastBlock !== undefined && height === lastBlock.header.height + 1n;
    const named = isNext ? lastBlock.header.nextValidatorsHash : blocks.at(height).header.validatorsHash;
    if (equalBytes(named, validatorSetHash(hash, set))) return set;
    throw new UpgradeError("UPG_NOT_FOUND_BLOCK", `the validators of height ${height} are not known`);
  }

  get consensusParams(): ConsensusParams {
    return this.node.consensusParams;
  }

  get mempool(): Mempool {
    return this.node.mempool;
  }

  genesis(): Promise<GenesisText> {
    return this.own.genesis.text();
  }

  get lastHeight(): Height | undefined {
    return this.node.lastBlock?.header.height;
  }

  latest(): StoredBlock | undefined {
    return this.node.lastBlock;
  }

  earliest(): StoredBlock | undefined {
    const lowest = this.node.blocks.lowest();
    return lowest === undefined ? undefined : this.node.blocks.at(lowest);
  }

  at(height: Height): StoredBlock {
    return this.node.blocks.at(height);
  }

  timeOf(height: Height): Timestamp {
    return this.node.blocks.timeOf(height);
  }

  block(height: Height): Block {
    return this.node.blocks.block(height);
  }

  results(height: Height): BlockResults {
    return this.node.blocks.results(height);
  }

  heightOf(blockHash: Uint8Array): Height | undefined {
    return this.node.blocks.heightOf(blockHash);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_METHOD, as searches do */
  tx(hash: Uint8Array): FoundTx | undefined {
    this.#requireIndex("transaction");
    const place = this.node.index.find(hash);
    const found = place && this.#txAt(place);
    return found && equalBytes(found.hash, hash) ? found : undefined;
  }

  async searchTxs(conditions: readonly EventCondition[], window: SearchWindow): Promise<SearchPage<FoundTx>> {
    this.#requireIndex("transaction");
    const page = await this.#search.searchTxs(conditions, window);
    return { ...page, hits: page.hits.flatMap((place) => this.#txAt(place) ?? []) };
  }

  async searchBlocks(conditions: readonly EventCondition[], window: SearchWindow): Promise<SearchPage<Height>> {
    this.#requireIndex("block");
    return this.#search.searchBlocks(conditions, window);
  }

  async broadcast(tx: Uint8Array): Promise<TxResult> {
    return this.node.submit(tx);
  }

  async afterRechecks<T>(work: () => T): Promise<T> {
    return this.node.afterRechecks ? this.node.afterRechecks(work) : work();
  }

  progress(): (UpgradeProgress & ProgressEstimate) | undefined {
    const progress = this.own.progress?.();
    return progress && { ...progress, ...estimate(progress, Date.now()) };
  }

  subscribe(listener: (events: BlockEvents) => void): () => void {
    return this.node.subscribe((made) => listener(eventsOf(made)));
  }

  /** The words are CometBFT's. */
  #requireIndex(of: "transaction" | "block"): void {
    if (!this.settings.isIndexed) throw new UpgradeError("UPG_NOT_FOUND_METHOD", `${of} indexing is disabled`);
  }

  /** Undefined: its block was pruned. */
  #txAt({ height, index }: TxPlace): FoundTx | undefined {
    if (height < (this.node.blocks.lowest() ?? 1n)) return undefined;
    const bytes = this.node.blocks.block(height).txs[index];
    const result = this.node.blocks.results(height).txResults[index];
    return bytes && result && { hash: this.node.hash(bytes), height, index, bytes, result };
  }
}

/** Made as it is asked for: most blocks have nobody who listens. */
function eventsOf(made: ServedBlock): BlockEvents {
  return {
    get block() {
      return made.stored;
    },
    get results() {
      return made.result;
    },
    get txs() {
      return foundTxs(made);
    },
  };
}

function foundTxs({ stored, result, txs, txHashes }: ServedBlock): FoundTx[] {
  const { height } = stored.header;
  return txs.flatMap((bytes, index) => {
    const [hash, txResult] = [txHashes[index], result.txResults[index]];
    return hash && txResult ? [{ hash, height, index, bytes, result: txResult }] : [];
  });
}
