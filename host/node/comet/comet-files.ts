/** Where CometBFT has its files in a home, as its own settings say. */
import { resolve } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import { configPath, configValue, readConfig } from "../../base/terminal/config-file.js";
import type { Log } from "../../base/text/log-line.js";
import type { Home } from "../home/home.js";
import { forgetUnrecordedVote } from "../home/unrecorded-vote.js";
import { findComet } from "./engine/binary.js";
import type { CometFiles } from "./engine/home-files.js";
import { OwnVotes } from "./engine/own-votes.js";

/** @throws UpgradeError UPG_INVALID_CONFIG */
export function cometFiles(home: Home): CometFiles {
  const settings = readConfig(home.path, "config");
  const at = (setting: string, file: string) => resolve(home.path, configValue(settings, setting, "text") || file);
  return {
    nodeKey: at("node_key_file", "config/node_key.json"),
    validatorKey: at("priv_validator_key_file", "config/priv_validator_key.json"),
    lastSigned: at("priv_validator_state_file", "data/priv_validator_state.json"),
    databases: at("db_dir", "data"),
    hasRemoteSigner: Boolean(configValue(settings, "priv_validator_laddr", "text")),
  };
}

/** Why a start that starts CometBFT too would fail for want of its program. Undefined: it is there, or is not needed. */
export function cometProblem({
  cometChild,
}: {
  readonly cometChild: { readonly named: string | undefined } | undefined;
}): string | undefined {
  if (!cometChild) return undefined;
  try {
    findComet(cometChild.named, process.env);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Compares the votes of this home's key with its record. Returns `undefined` if another process signs, or if the home's settings cannot
 * be read. If another process signs, removes an earlier finding about the home's key.
 * @param args CometBFT's
 */
export function watchOwnVotes(home: Home, args: readonly string[], log: Log): OwnVotes | undefined {
  if (args.some((arg) => /^--priv_validator_laddr=./.test(arg))) {
    forgetUnrecordedVote(home.dataFolder);
    return undefined;
  }
  try {
    return new OwnVotes(cometFiles(home), home.dataFolder, log);
  } catch {
    return undefined;
  }
}

/** Warns about a setting of CometBFT with which transactions that no proposal takes stay in its mempool. */
export function recheckWarnings(home: string): string[] {
  if (!isRecheckOff(home)) return [];
  return [
    `mempool.recheck is false in ${configPath(home, "config")}: after a block, CometBFT does not check waiting transactions again. ` +
      "A transaction that a proposal of this node leaves out stays in its mempool, and each further proposal of this node tries it again " +
      "and logs it. Set recheck = true, the default, unless you need it off",
  ];
}

function isRecheckOff(home: string): boolean {
  try {
    return configValue(readConfig(home, "config"), "mempool.recheck") === "false";
  } catch {
    return false; // CometBFT reports a file that it cannot read.
  }
}
