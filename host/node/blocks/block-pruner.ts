/**
 * Removes old blocks with their results, the validator sets that decided them and what the event index has of them, in the
 * transaction that adds a block: many at once every so many blocks, and no more at once than takes about as long as the
 * block itself. State is not touched.
 */

import type { Height } from "../../base/types/types.js";
import type { Batch, Database } from "../../state/store/disk/database.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import type { TxIndex } from "../index/tx-index.js";
import type { BlockStore } from "./block-store.js";
import type { ValidatorStore } from "./validator-store.js";

/** Blocks that are due before any is removed. */
export const PRUNE_BLOCKS_MIN = 100;
/** What one step may remove, in records and transactions, besides twice what the block itself has. */
export const PRUNE_WORK_MAX = 2_048;
/** Records of a block without transactions. */
const WORK_PER_BLOCK = 4;

export interface PrunedFrom {
  readonly database: Database;
  readonly blocks: BlockStore;
  readonly index: TxIndex;
  readonly validators: ValidatorStore;
}

export class BlockPruner {
  /** `retained`: blocks before the last that stay; 0: all. */
  constructor(
    private readonly from: PrunedFrom,
    private readonly retained: number,
  ) {}

  /** With the block of `height`, which has `txCount` transactions. */
  prune(batch: Batch, height: Height, txCount: number): void {
    if (this.retained === 0) return;
    const { database, blocks, index, validators } = this.from;
    const lowest = blocks.lowest();
    const base = height - BigInt(this.retained);
    if (lowest === undefined || base - lowest < BigInt(PRUNE_BLOCKS_MIN)) return;
    let left = PRUNE_WORK_MAX + 2 * (WORK_PER_BLOCK + txCount);
    let at = lowest;
    for (; at < base && left > 0; at++) {
      const removed = blocks.removeOld(batch, at, readCommit(database, Number(at)) !== undefined);
      index.removeOld(batch, at, removed.txCount);
      left -= WORK_PER_BLOCK + removed.txCount;
    }
    index.removeBelow(batch, at);
    validators.removeBelow(batch, at, PRUNE_WORK_MAX);
    blocks.removeTimes(batch, at, (version) => readCommit(database, Number(version)));
  }
}
