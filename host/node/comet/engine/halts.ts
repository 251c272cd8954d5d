/** The failure of a node whose CometBFT exited, stopped, met a full disk, or holds another chain state than this node. */
import { join } from "node:path";
import { type ErrorDetails, UpgradeError } from "../../../base/errors/errors.js";
import { diskFailure } from "../../../base/files/disk-errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import type { Height } from "../../../base/types/types.js";
import { Halt } from "../../../upgrade/module/halt.js";
import { upgradeOfLastBlock } from "../../../upgrade/module/stored-plans.js";
import type { Home } from "../../home/home.js";
import { openShared } from "../../open/home-database.js";
import { databaseHolder } from "./database-holder.js";
import type { CometFailure, Divergence, FullDisk } from "./failure.js";
import { type CometEnd, describeEnd } from "./process.js";

export interface EngineFacts {
  /** Of the block that is made next. */
  readonly nextHeight: () => Height;
  /** Is the state that of a snapshot, and no block was made since? */
  readonly isRestored: () => boolean;
  /** Folder of CometBFT's databases. */
  readonly databases: string;
}

/** CometBFT has exited. */
export function engineEnded(facts: EngineFacts, end: CometEnd): UpgradeError {
  const { nextHeight, isRestored, databases: dataFolder } = facts;
  const how = describeEnd(end);
  if (end.fullDisk) return diskIsFull(facts, `CometBFT exited (${how})`, end.fullDisk);
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
export function engineFailed(
  facts: Pick<EngineFacts, "nextHeight" | "databases">,
  failure: CometFailure,
): UpgradeError {
  const height = facts.nextHeight();
  const stopped = `CometBFT stopped making blocks at height ${height} (CONSENSUS FAILURE)`;
  if (failure.kind === "full") return diskIsFull(facts, stopped, failure);
  if (failure.kind === "stopped") {
    return new Halt("UPG_HALT_ENGINE", `${stopped}: ${failure.why}`, height, undefined, { reason: failure.why });
  }
  const { divergence } = failure;
  const { field, own, expected: network, found } = divergence;
  return new Halt("UPG_HALT_DIVERGED", divergedText(divergence, height), height, undefined, {
    ...{ field, own, network, found },
  });
}

/** As a full disk that the application meets: nothing else is wrong with the home. */
function diskIsFull(
  { nextHeight, databases }: Pick<EngineFacts, "nextHeight" | "databases">,
  what: string,
  { why, file }: FullDisk,
): UpgradeError {
  const cause = Object.assign(new Error(why), { code: "ENOSPC" });
  const { code, message, details } = diskFailure("write", what, file ?? join(databases, "blockstore.db/LOCK"), cause);
  return new UpgradeError(code, message, { cause, details: { ...details, height: String(nextHeight()) } });
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
