/** The halt of a node whose CometBFT exited, stopped, or holds another chain state than this node. */
import type { Home } from "../../engine/home/home.js";
import { openShared } from "../../engine/home/home-database.js";
import type { ErrorDetails } from "../../errors.js";
import { sha256 } from "../../native/sha256.js";
import type { Height } from "../../types.js";
import { Halt } from "../../upgrade/halt.js";
import { upgradeOfLastBlock } from "../../upgrade/stored-plans.js";
import { databaseHolder } from "./database-holder.js";
import type { CometFailure, Divergence } from "./failure.js";

export interface EngineFacts {
  /** Of the block that is made next. */
  readonly nextHeight: () => Height;
  /** Is the state that of a snapshot, and no block was made since? */
  readonly isRestored: () => boolean;
}

/** CometBFT has exited. @param how its exit status or signal */
export function engineEnded({ nextHeight, isRestored }: EngineFacts, how: string, dataFolder: string): Halt {
  const holder = databaseHolder(dataFolder);
  const [why, details] =
    holder !== undefined
      ? [`process ${holder} has its database in ${dataFolder} open`, { holder: String(holder) }]
      : isRestored()
        ? ["it does not go on from a snapshot that no block followed", { restored: "true" }]
        : ["its last log lines say why", {}];
  return new Halt("UPG_HALT_ENGINE", `CometBFT exited (${how}): ${why}`, nextHeight(), undefined, details);
}

/** Its output reveals a failure; it may still run. */
export function engineFailed({ nextHeight }: Pick<EngineFacts, "nextHeight">, failure: CometFailure): Halt {
  const height = nextHeight();
  if (failure.kind === "stopped") {
    const message = `CometBFT stopped making blocks at height ${height} (CONSENSUS FAILURE): ${failure.why}`;
    return new Halt("UPG_HALT_ENGINE", message, height, undefined, { reason: failure.why });
  }
  const { divergence } = failure;
  const { field, own, expected: network, found } = divergence;
  return new Halt("UPG_HALT_DIVERGED", divergedText(divergence, height), height, undefined, {
    ...{ field, own, network, found },
  });
}

function divergedText({ field, own, expected, found }: Divergence, height: Height): string {
  const last = height - 1n;
  if (found === "record") {
    return `this node's state differs from CometBFT's record: after block ${last} CometBFT recorded the app hash ${expected}, and this node computed ${own}`;
  }
  const what = FIELD_NAMES[field] ?? field;
  return `this node's state differs from the network's: the header of block ${height} has the ${what} ${expected}, and this node has ${own} after block ${last}`;
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  AppHash: "app hash",
  Version: "version {block app}",
  LastResultsHash: "hash of results",
  ConsensusHash: "hash of consensus parameters",
  ValidatorsHash: "hash of validators",
  NextValidatorsHash: "hash of the next validators",
  LastBlockID: "last block id",
};

/** What the last block of a home did about a plan, also while a process has the home open. Never throws. */
export function upgradeOfHome(home: Home): ErrorDetails {
  try {
    const reader = openShared(home);
    try {
      return upgradeOfLastBlock(reader.database, sha256);
    } finally {
      reader.close();
    }
  } catch {
    return {};
  }
}
