/** What the application is made with, what a block brings in and gives out, and what a query reads. */

import type { UpgradeFiles } from "../../base/files/upgrade-files.js";
import type { Height, OnProgress, Sha256, Timestamp } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import type { Core } from "../../upgrade/core/core.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { AppliedUpgrade } from "../../upgrade/module/hooks.js";
import type { KeeperOptions, SkipHeights } from "../../upgrade/module/keeper.js";
import type { ConsensusParams } from "../comet-types/consensus-params.js";
import type { VerifySignature } from "../comet-types/keys.js";
import type { ValidatorUpdate } from "../comet-types/validator-updates.js";
import type { ChainEvent } from "../values/events.js";
import type { GasPrice } from "../values/minimum-fee.js";
import type { DirectChange } from "./block.js";
import type { BlockInfo } from "./block-info.js";
import type { Chain } from "./chain.js";
import type { Genesis } from "./genesis/genesis.js";
import type { GenesisFacts } from "./genesis/genesis-facts.js";
import type { TxResult } from "./tx/result.js";
import type { ChainVersion } from "./versions/version.js";

export interface AppOptions {
  /** The chain that this is an application of. */
  readonly chain: Chain;
  readonly database: Database;
  readonly sha256: Sha256;
  readonly core: Core;
  /** With the state that the chain begins with, until its first block is committed. */
  readonly genesis: GenesisFacts | Genesis;
  /** Those of the chain's versions that this process knows, oldest first. Default: all. */
  readonly versions?: readonly ChainVersion[];
  readonly skipHeights?: SkipHeights;
  /** Stop before this height (`--halt-height`). */
  readonly haltHeight?: Height;
  readonly versionsKept?: number;
  readonly cacheBytes?: number;
  /** May the state before this upgrade be pruned? Default: it is pruned as that of any block. */
  readonly isReleased?: (plan: string, version: number) => boolean;
  readonly files?: UpgradeFiles;
  /** Looks for handlers that wait for their height. */
  readonly staged?: KeeperOptions["staged"];
  /** The engine calls `reopen` after UPG_HALT_RESTART, which writes no upgrade-info.json then. */
  readonly isReopening?: boolean;
  /** Opens the stores as a start at the scheduled plan's height would, where its handler is here; no block is made then. */
  readonly asAtPlan?: boolean;
  readonly log?: (level: LogLevel, message: string) => void;
  /** Hears how far a large block has come. */
  readonly onProgress?: OnProgress;
  /** The engine that decides the blocks, as it is written into each commit (`engineMark`). Default: "", the embedded one. */
  readonly engine?: string;
  /** Below all of them a client's transaction is refused in `checkTx`; none: every fee is taken. */
  readonly minimumGasPrices?: readonly GasPrice[];
  /** A faster verifier of accounts' signatures; its verdict must be that of the package's own. */
  readonly verifySignature?: VerifySignature;
}

/** A decided block, as its engine hands it over. */
export interface BlockRequest extends Partial<BlockInfo> {
  readonly height: Height;
  readonly time: Timestamp;
  readonly txs?: readonly Uint8Array[];
  readonly changes?: readonly DirectChange[];
}

export interface BlockResult {
  readonly appHash: Uint8Array;
  readonly txResults: readonly TxResult[];
  readonly events: readonly ChainEvent[];
  /** The validators whose power is another since the block before; 0n: they have none. */
  readonly validatorUpdates: readonly ValidatorUpdate[];
  /** The parameters of consensus from the next block on; undefined: this block changed nothing of them. */
  readonly paramUpdates: ConsensusParams | undefined;
  readonly applied: AppliedUpgrade | undefined;
}

/** A block that ran, as far as the application remembers it. */
export interface BlockRun {
  readonly time: Timestamp;
  readonly applied: AppliedUpgrade | undefined;
  /** The version in force after it. */
  readonly version: ChainVersion;
}

/** What a chain begins with. */
export interface BeginResult {
  /** The first set of validators, the greatest first; empty: state gives nobody power. */
  readonly validators: readonly ValidatorUpdate[];
  readonly params: ConsensusParams;
}

/** State of one height, and the version whose layout it has: what a query reads. */
export interface StateAt {
  readonly height: Height;
  readonly stores: VersionView;
  readonly version: ChainVersion;
}
