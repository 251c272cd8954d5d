/** The record of an end that is not a worker's own: `halt.json`, and an error line of the log. */

import { isUpgradeError, messageOf, type UpgradeError } from "../../base/errors/errors.js";
import type { Log } from "../../base/text/log-line.js";
import { upgradeOfHome } from "../../node/comet/engine/halts.js";
import { writeHaltRecord } from "../../node/home/halt-file.js";
import type { Home } from "../../node/home/home.js";
import type { SupervisedStart } from "../../node/home/supervised-start.js";
import { RECORDED_FROM } from "../../node/open/run-node.js";
import { haltFields, haltRecord, withFacts } from "../../upgrade/module/halt.js";
import { RELAYED } from "../../upgrade/module/halt-next.js";
import type { LastBlock } from "./abci-message.js";

/** Failures of the caller's command or network leave no record. */
export const isRecorded = (error: unknown): error is UpgradeError =>
  isUpgradeError(error) && error.kind.exit >= RECORDED_FROM;

export function recordHalt(
  home: Home,
  error: UpgradeError,
  lastBlock: LastBlock | undefined,
  log: Log,
  { startCommand, serviceCommand }: SupervisedStart = {},
): void {
  const lastCommittedHeight = lastBlock?.height ?? 0n;
  const record = haltRecord(withFacts(error, upgradeOfHome(home)), {
    ...{ lastCommittedHeight, nextHeight: lastCommittedHeight + 1n, appHash: lastBlock?.appHash ?? new Uint8Array() },
    ...{ home: home.path, time: new Date().toISOString(), startFlags: RELAYED, startCommand },
    serviceCommand,
  });
  try {
    writeHaltRecord(home, record);
  } catch (cause) {
    log("warn", `halt.json could not be written: ${messageOf(cause)}`);
  }
  log("error", record.message, haltFields(record));
}
