/** The application's settings, where CometBFT is the sidecar's: what goes to CometBFT, and what to the worker. */

import { parseSwitch } from "../../../base/terminal/arguments.js";
import { type ConfigTable, configValue } from "../../../base/terminal/config-file.js";
import { envName } from "../../../base/terminal/settings.js";
import { cometArgs, type Given, type GivenFlag, rpcAddress } from "../../../node/comet/engine/flags.js";
import { OF_COMET, rpcWords, takeFlags } from "../../hot/start-arguments.js";

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
