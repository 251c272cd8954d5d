/** An application that another thread has, as this one reads it: committed state, and transactions checked over it. */

import { sha256 } from "../../base/native/sha256.js";
import { VERSION } from "../../base/terminal/version.js";
import { EMPTY } from "../../base/text/bytes.js";
import type { Height, Timestamp } from "../../base/types/types.js";
import { AppView } from "../../chain/app/app-view.js";
import type { Chain } from "../../chain/app/chain.js";
import type { AppInfo } from "../../chain/app/engine-port.js";
import type { GasPrice } from "../../chain/values/minimum-fee.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import type { LmdbReader } from "../../state/store/disk/lmdb-reader.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import { Core } from "../../upgrade/core/core.js";
import { nodeVerifySignature } from "../home/node-signatures.js";
import type { EngineFacts } from "./engine-port.js";

export interface CometViewOptions {
  readonly chain: Chain;
  readonly database: LmdbReader;
  readonly facts: EngineFacts;
  readonly minimumGasPrices: readonly GasPrice[];
  /** Is a block between its run and its commit? */
  readonly isMakingBlock: () => boolean;
}

interface Last {
  readonly height: Height;
  readonly time: Timestamp;
  readonly appHash: Uint8Array;
}

export class CometView {
  readonly app: AppView;
  #last: Last | undefined;
  /** Snapshot of the database in which `#last` was looked up. */
  #snapshot = -1;

  constructor(private readonly options: CometViewOptions) {
    const { chain, database, facts, minimumGasPrices, isMakingBlock } = options;
    this.app = new AppView({
      ...{ chain, database, sha256, core: new Core(), verifySignature: nodeVerifySignature },
      ...{ minimumGasPrices, isMakingBlock },
      chainId: facts.chain.chainId,
      initialHeight: facts.chain.initialHeight,
      appVersion: facts.chain.appVersion,
      constants: { bondDenom: facts.bondDenom, stakingParams: facts.stakingParams, params: facts.chain.params },
      versions: facts.versions,
      last: () => this.last,
    });
  }

  /** As the application itself says it (ServedApp.info), also while that makes a block. */
  info(): AppInfo {
    const { last } = this;
    const { chain, facts } = this.options;
    return {
      ...{ name: chain.name, version: VERSION },
      appVersion: last ? this.app.at().version.number : facts.version,
      ...{ lastHeight: last?.height ?? 0n, lastAppHash: last?.appHash ?? EMPTY },
    };
  }

  /** Of what can be read now; undefined before the first block. */
  get last(): Last | undefined {
    const { database, facts } = this.options;
    const { snapshot } = database;
    if (snapshot === this.#snapshot) return this.#last;
    const version = lastVersionOf(database);
    const isNew = version !== 0 && BigInt(version) !== this.#last?.height;
    const commit = isNew ? readCommit(database, version) : undefined;
    // Where one of the two reads fails, the next look reads again.
    this.#snapshot = snapshot;
    if (!isNew) return this.#last;
    const time = commit?.time ?? facts.chain.genesisTime;
    this.#last = { height: BigInt(version), time, appHash: commit?.appHash ?? EMPTY };
    // CometBFT checks again what waits.
    this.app.moved();
    return this.#last;
  }
}
