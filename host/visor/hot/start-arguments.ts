/** Arguments of `start`, where CometBFT is another process's: what goes to CometBFT, and what to the worker. */
import { parseSwitch } from "../../base/terminal/arguments.js";
import { type ConfigTable, configValue } from "../../base/terminal/config-file.js";
import { envName } from "../../base/terminal/settings.js";
import { COMET_FLAGS, cometArgs, type Given, type GivenFlag, rpcAddress } from "../../node/comet/engine/flags.js";

/** What concerns CometBFT, and not the application after it. */
export const OF_COMET: readonly string[] = [...COMET_FLAGS, "moniker", "rpc.laddr", "comet.bin"];

/** Flags whose value is in the same word, or left out. */
const SWITCHES: ReadonlySet<string> = new Set([
  ...["with-comet", "consensus.create_empty_blocks", "p2p.pex", "p2p.seed_mode"],
]);

interface TakenWords {
  /** Values by the flags' names; of one that is given twice, the last. */
  readonly given: ReadonlyMap<string, string>;
  /** All other words. */
  readonly rest: readonly string[];
}

/** @param names of flags, without hyphens */
function takeFlags(words: readonly string[], names: readonly string[]): TakenWords {
  const given = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [, name = "", inWord] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (names.includes(name)) given.set(name, inWord ?? (SWITCHES.has(name) ? "true" : (words[++at] ?? "")));
    else rest.push(word);
  }
  return { given, rest };
}

/** A worker asks CometBFT where it serves its RPC: what only CometBFT was given would be unknown to it. */
function rpcWords(address: string | undefined): string[] {
  return address === undefined ? [] : [`--rpc.laddr=${address}`];
}

export interface StartArgs {
  /** Undefined: COMETBFT_BIN, else that of PATH. */
  readonly program: string | undefined;
  readonly comet: readonly string[];
  /** Of `start`. */
  readonly worker: readonly string[];
}

export interface StartSources {
  /** Of the application. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of its own variables: `CHAIND_`. */
  readonly prefix: string;
  /** Its app.toml. */
  readonly table: ConfigTable;
}

/** The relay names these itself. */
const OWN: readonly string[] = ["home", "engine", "with-comet", "transport", "address"];

/**
 * Undefined: they are not those of a `start` with CometBFT's engine that this program would start itself.
 * @throws UpgradeError UPG_INVALID_CONFIG: app.toml has a table where a setting is expected
 */
export function startArgs(args: readonly string[], sources: StartSources): StartArgs | undefined {
  const [command, ...words] = args;
  if (command !== "start") return undefined;
  const taken = takeFlags(words, [...OWN, ...OF_COMET]);
  const given: Given = (name) => {
    const value = taken.given.get(name);
    return value === undefined ? bySettings(name, sources) : { value, by: "cli" };
  };
  const isAlone = parseSwitch(given("with-comet")?.value ?? "true") === false;
  if (given("engine")?.value !== "cometbft" || isAlone) return undefined;
  return {
    program: given("comet.bin")?.value,
    comet: cometArgs(given),
    worker: [...taken.rest, ...rpcWords(rpcAddress(given))],
  };
}

/** What `start` itself would take from there (base/terminal/settings.ts). The worker reads both too, and refuses what is wrong. */
function bySettings(name: string, { env, prefix, table }: StartSources): GivenFlag | undefined {
  const ofEnv = env[envName(name, prefix)];
  if (ofEnv) return { value: ofEnv, by: "env" };
  const ofFile = configValue(table, name);
  return ofFile ? { value: ofFile, by: "config" } : undefined;
}
