/**
 * The embedded engine: one process that makes blocks, runs them through the app and keeps them. A block, its state and
 * its results become visible in one transaction; a process that dies in between has not made it.
 */

import type { App, BlockResult, DirectChange } from "../chain/app.js";
import { resultsHash } from "../commitment/block/results.js";
import type { Database } from "../store/database.js";
import type { Height, Sha256 } from "../types.js";
import { BlockMaker, type ChainFacts } from "./block-maker.js";
import { BlockStore, type StoredBlock } from "./block-store.js";
import type { Clock } from "./clock.js";
import type { ConsensusKey } from "./consensus-key.js";

export interface EmbeddedNodeOptions {
  readonly app: App;
  readonly database: Database;
  readonly sha256: Sha256;
  readonly facts: ChainFacts;
  readonly key: ConsensusKey;
  readonly clock: Clock;
}

export interface MadeBlock {
  readonly stored: StoredBlock;
  readonly result: BlockResult;
  /** App hash before the block. */
  readonly appHashBefore: Uint8Array;
  /** From the decision to the durable commit. */
  readonly milliseconds: number;
}

export class EmbeddedNode {
  readonly app: App;
  readonly blocks: BlockStore;
  readonly #maker: BlockMaker;
  #last: StoredBlock | undefined;

  constructor(private readonly options: EmbeddedNodeOptions) {
    this.app = options.app;
    this.blocks = new BlockStore(options.database);
    this.#maker = new BlockMaker(options.sha256, options.facts, options.key);
    this.#last = this.blocks.latest();
  }

  get lastBlock(): StoredBlock | undefined {
    return this.#last;
  }

  get nextHeight(): Height {
    return this.app.nextHeight;
  }

  /** Makes the next block. @throws Halt; UpgradeError: nothing of the block was kept */
  makeBlock(changes: readonly DirectChange[] = []): MadeBlock {
    const { app } = this;
    const height = app.nextHeight;
    const made = this.#maker.make(height, this.#last, []);
    const { header } = made.block;
    const begun = performance.now();
    const result = app.finalizeBlock({ height, time: header.time, txs: made.block.txs, changes });
    const stored: StoredBlock = {
      header,
      blockId: made.id,
      size: made.bytes.length,
      txCount: made.block.txs.length,
      appHash: result.appHash,
      lastResultsHash: resultsHash(this.options.sha256, result.txResults),
      commit: this.#maker.commit(made, this.options.clock.after(header.time)),
    };
    app.commit((batch) => this.blocks.put(batch, stored, made.bytes));
    this.#last = stored;
    return { stored, result, appHashBefore: header.appHash, milliseconds: performance.now() - begun };
  }
}
