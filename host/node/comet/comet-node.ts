/**
 * A node whose blocks CometBFT keeps, as queries see it: state, settings and the parameters of consensus are here; blocks,
 * transactions and searches are CometBFT's, whose RPC is asked for them. What is the last block is said by state: CometBFT has
 * one more while it is run.
 */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import type { Height, Timestamp } from "../../base/types/types.js";
import type {
  NodeHead,
  NodeInfo,
  NodePort,
  NodeProgress,
  NodeSearchPage,
  NodeSearchWindow,
  NodeSettings,
  NodeTx,
  NodeTxResult,
  NodeWaiting,
} from "../../chain/app/query/node-port.js";
import type { Block } from "../../chain/comet-types/block.js";
import type { ConsensusParams } from "../../chain/comet-types/consensus-params.js";
import type { Validator } from "../../chain/comet-types/validator.js";
import type { EventCondition } from "../../chain/events/event-query.js";
import type { Database } from "../../state/store/disk/database.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import type { CometRpc } from "../remote/comet-rpc.js";

export interface CometNodeFacts {
  readonly comet: CometRpc;
  readonly chainId: string;
  /** Of the last commit; 0n: there is none. */
  readonly lastHeight: () => Height;
  /** For the next block. */
  readonly consensusParams: () => ConsensusParams;
  readonly database: Database;
  readonly settings: NodeSettings;
  /** Of the upgrade that is being made; undefined: none is. */
  readonly progress: () => NodeProgress | undefined;
}

export class CometNode implements NodePort {
  constructor(private readonly facts: CometNodeFacts) {}

  get settings(): NodeSettings {
    return this.facts.settings;
  }

  get chainId(): string {
    return this.facts.chainId;
  }

  get consensusParams(): ConsensusParams {
    return this.facts.consensusParams();
  }

  get lastHeight(): Height | undefined {
    return this.facts.lastHeight() || undefined;
  }

  timeOf(height: Height): Timestamp {
    const time = readCommit(this.facts.database, Number(height))?.time;
    if (time) return time;
    throw new UpgradeError("UPG_NOT_FOUND_BLOCK", `the time of block ${height} is not kept`);
  }

  progress(): NodeProgress | undefined {
    return this.facts.progress();
  }

  /** CometBFT's mempool is checked again before it takes anything new. */
  async afterRechecks<T>(work: () => T): Promise<T> {
    return work();
  }

  info(): Promise<NodeInfo> {
    return this.facts.comet.status();
  }

  async latest(): Promise<NodeHead | undefined> {
    const { lastHeight } = this;
    return lastHeight === undefined ? undefined : this.at(lastHeight);
  }

  async earliest(): Promise<NodeHead | undefined> {
    const { earliestHeight } = await this.facts.comet.status();
    return earliestHeight > 0n ? this.at(earliestHeight) : undefined;
  }

  at(height: Height): Promise<NodeHead> {
    return this.#existing(height, () => this.facts.comet.head(height));
  }

  async block(height: Height): Promise<Block> {
    return (await this.#existing(height, () => this.facts.comet.block(height))).block;
  }

  async validatorsAt(height: Height): Promise<{ readonly validators: readonly Validator[] }> {
    return { validators: await this.facts.comet.validators(height) };
  }

  tx(hash: Uint8Array): Promise<NodeTx | undefined> {
    return this.facts.comet.tx(hash);
  }

  async searchTxs(conditions: readonly EventCondition[], window: NodeSearchWindow): Promise<NodeSearchPage<NodeTx>> {
    const { isDescending, first, size } = window;
    const asked = { page: Math.floor(first / size) + 1, perPage: size, isDescending };
    return { ...(await this.facts.comet.searchTxs(conditions, asked)), isTotalExact: true };
  }

  broadcast(tx: Uint8Array): Promise<NodeTxResult> {
    return this.facts.comet.broadcast(tx);
  }

  waiting(): Promise<NodeWaiting> {
    return this.facts.comet.waiting();
  }

  /** In the words of the embedded engine where there is no such block; a height that none can have is not asked for. */
  async #existing<T>(height: Height, ask: () => Promise<T>): Promise<T> {
    try {
      if (height > 0n) return await ask();
    } catch (error) {
      if (!isUpgradeError(error) || error.code !== "UPG_NOT_FOUND_BLOCK") throw error;
    }
    const { earliestHeight: lowest } = await this.facts.comet.status();
    const message =
      height < lowest
        ? `height ${height} is not available, lowest height is ${lowest}`
        : `there is no block ${height}: the lowest block kept is ${lowest}`;
    throw new UpgradeError("UPG_NOT_FOUND_BLOCK", message);
  }
}
