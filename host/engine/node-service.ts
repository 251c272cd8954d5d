/** A running node as its doors see it: blocks, results, transactions, mempool and news (`NodePort` of host/api). */
import type { TxResult } from "../chain/app.js";
import type { Block } from "../commitment/block/block.js";
import type { ConsensusParams } from "../commitment/block/consensus-params.js";
import type { ValidatorSet } from "../commitment/block/validator-set.js";
import type { EventCondition } from "../event-query.js";
import type { Height } from "../types.js";
import type { BlockResults } from "./block-results.js";
import type { StoredBlock } from "./block-store.js";
import type { EmbeddedNode, MadeBlock } from "./embedded-node.js";
import type { Mempool } from "./mempool.js";
import type { TxPlace } from "./tx-index.js";

export interface NodeServiceFacts {
  /** Lower-case hex. */
  readonly nodeId: string;
  readonly moniker: string;
  /** The genesis document, JSON; large ones are read when they are asked for. */
  readonly genesis: () => string;
}

interface FoundTx {
  readonly hash: Uint8Array;
  readonly height: Height;
  readonly index: number;
  readonly bytes: Uint8Array;
  readonly result: TxResult;
}

interface News {
  readonly block: StoredBlock;
  readonly results: BlockResults;
  readonly txs: readonly FoundTx[];
}

export class NodeService {
  constructor(
    private readonly node: EmbeddedNode,
    private readonly own: NodeServiceFacts,
  ) {}

  get identity() {
    const { nodeId, moniker } = this.own;
    const { key, facts } = this.node;
    return { nodeId, moniker, chainId: facts.chainId, address: key.address, publicKey: key.publicKey.bytes };
  }

  get validators(): ValidatorSet {
    return this.node.validators;
  }

  get consensusParams(): ConsensusParams {
    return this.node.facts.params;
  }

  get mempool(): Mempool {
    return this.node.mempool;
  }

  genesis(): string {
    return this.own.genesis();
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

  block(height: Height): Block {
    return this.node.blocks.block(height);
  }

  results(height: Height): BlockResults {
    return this.node.blocks.results(height);
  }

  heightOf(blockHash: Uint8Array): Height | undefined {
    return this.node.blocks.heightOf(blockHash);
  }

  tx(hash: Uint8Array): FoundTx | undefined {
    const place = this.node.index.find(hash);
    return place && this.#txAt(place);
  }

  async searchTxs(conditions: readonly EventCondition[], limit: number): Promise<readonly FoundTx[]> {
    const places = await this.node.index.searchTxs(conditions, limit);
    return places.flatMap((place) => this.#txAt(place) ?? []);
  }

  searchBlocks(conditions: readonly EventCondition[], limit: number): Promise<readonly Height[]> {
    return this.node.index.searchBlocks(conditions, limit);
  }

  broadcast(tx: Uint8Array): TxResult {
    return this.node.mempool.add(tx);
  }

  subscribe(listener: (news: News) => void): () => void {
    return this.node.subscribe((made) => listener(newsOf(made)));
  }

  #txAt({ height, index }: TxPlace): FoundTx | undefined {
    const bytes = this.node.blocks.block(height).txs[index];
    const result = this.node.blocks.results(height).txResults[index];
    return bytes && result && { hash: this.node.hash(bytes), height, index, bytes, result };
  }
}

function newsOf({ stored, result, txs, txHashes }: MadeBlock): News {
  const { height } = stored.header;
  const found = txs.flatMap((bytes, index) => {
    const [hash, txResult] = [txHashes[index], result.txResults[index]];
    return hash && txResult ? [{ hash, height, index, bytes, result: txResult }] : [];
  });
  return { block: stored, results: result, txs: found };
}
