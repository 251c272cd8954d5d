/**
 * A node whose blocks CometBFT keeps, as queries see it: state, settings and the parameters of consensus are here; blocks,
 * transactions and searches are CometBFT's, whose RPC serves them.
 */
import type { App } from "../chain/app.js";
import type { NodeBlock, NodeGenesis, NodePort, NodeProgress, NodeSettings } from "../chain/query/node-port.js";
import type { ConsensusParams } from "../comet/consensus-params.js";
import { UpgradeError } from "../errors.js";
import type { Database } from "../store/disk/database.js";
import { readCommit } from "../store/versions/commit-record.js";
import type { Height, Timestamp } from "../types.js";

export interface CometNodeFacts {
  readonly app: App;
  readonly database: Database;
  readonly settings: NodeSettings;
  readonly identity: NodePort["identity"];
  readonly genesis: () => Promise<NodeGenesis>;
  /** Of the upgrade that is being made; undefined: none is. */
  readonly progress: () => NodeProgress | undefined;
}

export class CometNode implements NodePort {
  constructor(private readonly facts: CometNodeFacts) {}

  get settings(): NodeSettings {
    return this.facts.settings;
  }

  get identity(): NodePort["identity"] {
    return this.facts.identity;
  }

  get consensusParams(): ConsensusParams {
    return this.facts.app.consensusParams;
  }

  get lastHeight(): Height | undefined {
    const { version } = this.facts.app.lastCommitID;
    return version === 0n ? undefined : version;
  }

  genesis(): Promise<NodeGenesis> {
    return this.facts.genesis();
  }

  timeOf(height: Height): Timestamp {
    const time = readCommit(this.facts.database, Number(height))?.time;
    if (time) return time;
    throw new UpgradeError("UPG_NOT_FOUND_BLOCK", `the time of block ${height} is not kept`);
  }

  progress(): NodeProgress | undefined {
    return this.facts.progress();
  }

  /** CometBFT's own mempool is checked again before it takes anything new. */
  async afterRechecks<T>(work: () => T): Promise<T> {
    return work();
  }

  get mempool(): never {
    throw elsewhere();
  }
  latest(): NodeBlock {
    throw elsewhere();
  }
  earliest(): never {
    throw elsewhere();
  }
  validatorsAt(): never {
    throw elsewhere();
  }
  at(): never {
    throw elsewhere();
  }
  block(): never {
    throw elsewhere();
  }
  results(): never {
    throw elsewhere();
  }
  heightOf(): never {
    throw elsewhere();
  }
  tx(): never {
    throw elsewhere();
  }
  async searchTxs(): Promise<never> {
    throw elsewhere();
  }
  async searchBlocks(): Promise<never> {
    throw elsewhere();
  }
  async broadcast(): Promise<never> {
    throw elsewhere();
  }
  subscribe(): never {
    throw elsewhere();
  }
}

function elsewhere(): UpgradeError {
  return new UpgradeError(
    "UPG_NOT_FOUND_METHOD",
    "blocks and transactions are CometBFT's: ask its RPC (block, tx, tx_search, broadcast_tx_sync, validators)",
  );
}
