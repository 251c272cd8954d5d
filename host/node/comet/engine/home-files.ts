/**
 * What stock CometBFT wants to find in a home. It ends without a code of ours over a file that it cannot read, so they are
 * looked at before it is started.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UpgradeError } from "../../../base/errors/errors.js";
import { readFileIfThere } from "../../../base/files/atomic-file.js";
import { decodeText } from "../../../base/text/text.js";
import type { LogLevel } from "../../../upgrade/module/handlers.js";
import { LastSigned, writeNothingSigned } from "../../blocks/last-signed.js";

type Log = (level: LogLevel, message: string) => void;

/** Paths, as CometBFT's settings have them. */
export interface CometFiles {
  readonly nodeKey: string;
  readonly validatorKey: string;
  /** The record of what that key signed last. */
  readonly lastSigned: string;
  /** Folder of its databases. */
  readonly databases: string;
  /** Another process signs (`priv_validator_laddr`), so neither the key nor the record in the home is used. */
  readonly hasRemoteSigner: boolean;
}

/**
 * A record of signatures that an older `init` has not made is made, before the first block. One that is missing later was lost,
 * and nothing keeps the key from signing twice. Keys that are absent are made by CometBFT, but for a consensus key that has signed. A key that has signed, on a new chain, is
 * warned about.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_CORRUPT, UPG_STORE_IO
 */
export function prepareCometHome(files: CometFiles, isNew: boolean, log: Log): void {
  const { nodeKey, validatorKey, lastSigned, databases } = files;
  requireKey(nodeKey, "without it CometBFT makes another one, and this node has another id then");
  requireKey(validatorKey, "restore it from a copy");
  if (!isNew && !existsSync(nodeKey))
    log("warn", `${nodeKey} is missing: CometBFT makes another one, and this node has another id then`);
  if (!existsSync(validatorKey)) {
    requireUnsigned(validatorKey, lastSigned);
    return;
  }
  if (isNew && !existsSync(join(databases, "blockstore.db"))) writeNothingSigned(lastSigned);
  if (!existsSync(lastSigned)) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `${lastSigned} is missing, and CometBFT does not start without it: restore the newest copy, since nothing else keeps the ` +
        `key from signing twice. Where ${validatorKey} has never been a validator's, remove that file: CometBFT makes both`,
    );
  }
  const { height } = new LastSigned(lastSigned);
  // After a reset, or with another home's key: CometBFT is silent where it does not sign.
  if (isNew && height > 0n) {
    log(
      "warn",
      `the validator key of this home has signed up to height ${height}: it signs nothing up to there, and where its vote is ` +
        "needed no block is made before the others have come that far",
    );
  }
}

/** CometBFT makes a missing key without a message, and replaces the record of what the lost one has signed. */
function requireUnsigned(validatorKey: string, lastSigned: string): void {
  const { height } = new LastSigned(lastSigned);
  if (height === 0n) return;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `${validatorKey} is missing, and it has signed up to height ${height} (${lastSigned}): restore it from your backup of keys. ` +
      "To run this node with a new key, which is no validator's, move that record away: CometBFT then makes both",
  );
}

function requireKey(path: string, remedy: string): void {
  const bytes = readFileIfThere(path);
  if (!bytes || hasKey(bytes)) return;
  throw new UpgradeError("UPG_INVALID_CONFIG", `${path} holds no key: ${remedy}`);
}

function hasKey(bytes: Uint8Array): boolean {
  try {
    const { priv_key: key } = JSON.parse(decodeText(bytes)) as { priv_key?: { value?: unknown } };
    return typeof key?.value === "string" && key.value !== "";
  } catch {
    return false;
  }
}
