/**
 * Flags of `start` that unit files of Cosmos SDK nodes have, so that such a file starts this node too. What they set does
 * not exist here, or has another name: each that is given gets a warning.
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import { COMET_FLAGS, type Given, type GivenFlag } from "../../node/comet/engine/flags.js";
import { type Address, hostPort } from "../../serve/limits/server.js";

/** A flag and its value, with what to use in its place. */
const SDK_FLAGS: readonly (readonly [flag: string, instead: string])[] = [
  ["--abci <string>", "there is no ABCI connection"],
  ["--consensus.create_empty_blocks", "use --create-empty-blocks"],
  ["--consensus.create_empty_blocks_interval <string>", "use --block-time"],
  ["--consensus.double_sign_check_height <int>", "what was signed is on record, and looked at before each block"],
  ["--cpu-profile <string>", "use node --cpu-prof"],
  ["--grpc-only", "use --rpc.enable=false --api.enable=false"],
  ["--halt-time <uint>", "use --halt-height"],
  ["--iavl-cache-size <uint>", "the cache has one size"],
  ["--iavl-disable-fastnode", "there are no fast nodes"],
  ["--inter-block-cache", "the cache is always on"],
  ["--mempool.max-txs <int>", "the mempool has one size"],
  ["--p2p.external-address <string>", "there are no peers"],
  ["--p2p.laddr <string>", "there are no peers"],
  ["--p2p.persistent_peers <string>", "there are no peers"],
  ["--p2p.pex", "there are no peers"],
  ["--p2p.private_peer_ids <string>", "there are no peers"],
  ["--p2p.seed_mode", "there are no peers"],
  ["--p2p.seeds <string>", "there are no peers"],
  ["--p2p.unconditional_peer_ids <string>", "there are no peers"],
  ["--priv_validator_laddr <string>", "the key is in the home"],
  ["--pruning <string>", "use --keep-versions"],
  ["--pruning-interval <uint>", "use --keep-versions"],
  ["--pruning-keep-recent <uint>", "use --keep-versions"],
  ["--rpc.pprof_laddr <string>", "use node --inspect"],
  ["--shutdown-grace <duration>", "the block under way is finished, then the node ends"],
  ["--trace-store <string>", "stores are not traced"],
  ["--with-tendermint", "use --with-comet"],
  ["--x-crisis-skip-assert-invariants", "invariants are checked in the blocks of upgrades"],
];

export function addSdkFlags(command: Command): void {
  for (const [flag, instead] of SDK_FLAGS) {
    command.addOption(new Option(flag, `of the Cosmos SDK, without effect: ${instead}`).hideHelp());
  }
}

/** What a flag, the environment or app.toml gives, by the names of flags. */
export function givenOf(command: Command): Given {
  return (name) => {
    const attribute = new Option(`--${name} <value>`).attributeName();
    if (!isGiven(command, attribute, ["cli", "env", "config"])) return undefined;
    const by = command.getOptionValueSource(attribute) as GivenFlag["by"];
    const value: unknown = command.getOptionValue(attribute);
    return { value: isAddress(value) ? hostPort(value) : String(value), by };
  };
}

const isAddress = (value: unknown): value is Address => typeof value === "object" && value !== null && "port" in value;

function isGiven(command: Command, attribute: string, by: readonly string[]): boolean {
  return by.includes(command.getOptionValueSource(attribute) ?? "default");
}

/**
 * What to warn about: the flags of the Cosmos SDK that the command line or the environment gives, and in one line the settings
 * of its app.toml.
 * @param settings those that are in app.toml and that no flag reads
 */
export function sdkFlagWarnings(command: Command, isComet: boolean, settings: readonly string[] = []): string[] {
  const without = (by: readonly string[]) =>
    SDK_FLAGS.flatMap(([flag, instead]) => {
      const option = new Option(flag);
      const isPassedOn = isComet && COMET_FLAGS.some((name) => option.long === `--${name}`);
      const isHere = isGiven(command, option.attributeName(), by) && !isPassedOn;
      return isHere && option.long ? [{ long: option.long, instead }] : [];
    });
  const inFile = [...without(["config"]).map(({ long, instead }) => `${long.slice(2)} (${instead})`), ...settings];
  return [
    ...without(["cli", "env"]).map(({ long, instead }) => `${long} has no effect here: ${instead}`),
    ...(inFile.length === 0
      ? []
      : [`app.toml has settings of the Cosmos SDK without effect here: ${inFile.join(", ")}`]),
  ];
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/**
 * A level, or levels by module as CometBFT has them (`*:info,p2p:error`): the one of all modules counts, since the log has
 * one. `none` is `silent`.
 */
export function parseLogLevel(text: string): string {
  const parts = text.split(",").map((part) => part.trim().split(":"));
  const all = parts.find(([module, level]) => level === undefined || module === "*")?.at(-1);
  const level = all === "none" ? "silent" : all;
  if (level !== undefined && LOG_LEVELS.includes(level)) return level;
  throw new InvalidArgumentError(`Allowed choices are ${LOG_LEVELS.join(", ")}.`);
}
