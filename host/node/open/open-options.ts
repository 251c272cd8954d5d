/** What a home is held with, and what is known of a chain that was brought up in it. */

import type { Height, OnProgress } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import type { Chain } from "../../chain/app/chain.js";
import type { GenesisFacts } from "../../chain/app/genesis/genesis-facts.js";
import type { GasPrice } from "../../chain/values/minimum-fee.js";
import type { Batch } from "../../state/store/disk/database.js";
import type { LmdbDatabase } from "../../state/store/disk/lmdb-database.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { MempoolLimits } from "../blocks/mempool.js";
import type { Clock } from "../embedded/clock.js";
import type { BlockSettings } from "../embedded/embedded-node.js";

/** What a home is held with, whatever engine decides its blocks. */
export interface HoldOptions {
  readonly chain: Chain;
  readonly home: string;
  /** Folder of handlers for the versions this program knows. Default: that of the chain. */
  readonly handlers?: string;
  /** One more folder of handlers that wait for their height, besides `<home>/handlers/staged`. */
  readonly staged?: string;
  /** Know nothing newer than this version: what an old binary is. */
  readonly appVersion?: bigint;
  readonly skipHeights?: Iterable<Height>;
  readonly haltHeight?: Height;
  readonly versionsKept?: number;
  /** Bytes that the writes of one upgrade may take on disk besides the database. */
  readonly handlerDiskMax?: number;
  /** Flags of `start` that the commands of halt.json must have for this home. */
  readonly startFlags?: readonly string[];
  /** Below all of them `checkTx` refuses a transaction. */
  readonly minimumGasPrices?: readonly GasPrice[];
  readonly log: (level: LogLevel, message: string) => void;
  /** Hears how far a large block has come. */
  readonly onProgress?: OnProgress;
}

/** The same for the embedded engine. */
export interface OpenNodeOptions extends HoldOptions {
  readonly clock: Clock;
  /** Nobody chose this engine: a chain of several validators that its key cannot decide is not begun. */
  readonly isEngineAssumed?: boolean;
  readonly mempool?: Partial<MempoolLimits>;
  /** What is kept of blocks, and indexed. */
  readonly blocks?: Partial<BlockSettings>;
}

/** Where a chain is on disk. */
export interface ChainPosition {
  /** 0n before the first block. */
  readonly lastCommittedHeight: Height;
  readonly nextHeight: Height;
  /** Empty before the first block. */
  readonly appHash: Uint8Array;
}

/** A chain that was brought up, for the engine that decides its blocks. */
export interface OpenApp {
  readonly app: App;
  readonly genesis: GenesisFacts;
  readonly database: LmdbDatabase;
  /** Records that become visible with the first block; undefined once it was committed. */
  readonly alongsideFirst: ((batch: Batch) => void) | undefined;
}
