/**
 * The settings of `start` that decide whether a node goes on in its home and what it does at a plan's height. `start` runs with them;
 * the commands that say what a start would do judge the same values.
 */

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { assert, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { readyArguments } from "../../base/terminal/arguments.js";
import { rootOf } from "../../base/terminal/cobra.js";
import { envName, type Sources, settle } from "../../base/terminal/settings.js";
import { usage } from "../../base/terminal/usage.js";
import { envPrefix, PROGRAM } from "../../base/text/program-text.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Height } from "../../base/types/types.js";
import type { EngineName } from "../../chain/app/engine-port.js";

export interface StartSettings {
  /** Undefined: neither a flag nor the environment nor app.toml names one. */
  readonly engine: EngineName | undefined;
  /** `start` starts CometBFT too. `named`: by --comet.bin; undefined: the one of the environment or PATH. */
  readonly cometChild: { readonly named: string | undefined } | undefined;
  /** Folder of handlers for the versions that this program knows; undefined: that of the chain. */
  readonly handlers: string | undefined;
  /** One more folder of handlers that wait for their height. */
  readonly staged: string | undefined;
  /** Bytes that a handler may spill to disk; undefined: the default. */
  readonly handlerDiskMax: number | undefined;
  readonly appVersion: bigint | undefined;
  readonly skipHeights: readonly SkippedHeights[];
  /** 0: none. */
  readonly haltHeight: Height;
  readonly maxBlocks: number | undefined;
  /** Where a setting's value comes from, and what takes it away. */
  readonly sourceOf: (setting: string) => SettingSource;
}

interface SkippedHeights {
  readonly setting: "unsafe-skip-upgrades" | "skip-upgrade-heights";
  readonly heights: readonly Height[];
}

interface SettingSource {
  /** `halt-height in app.toml`, `CHAIND_HALT_HEIGHT in the environment`, `--halt-height`. */
  readonly words: string;
  /** What sets another value, or none: a command to paste, except for a flag. */
  readonly change: (value: string, home: string) => string;
}

/** Attributes of the options of `start`. */
interface StartFlags {
  readonly engine: EngineName;
  readonly withComet: boolean;
  readonly "comet.bin"?: string;
  readonly handlers?: string;
  readonly handlersStaged?: string;
  readonly handlerDiskMax?: number;
  readonly appVersion?: bigint;
  readonly unsafeSkipUpgrades?: readonly bigint[];
  readonly skipUpgradeHeights?: readonly bigint[];
  readonly haltHeight?: bigint;
  readonly maxBlocks?: number;
}

/** Attributes of options whose values are folders. */
const FOLDERS = ["handlers", "handlersStaged"] as const;

/** How a sidecar starts the node. */
interface GivenStart {
  /** The file that says so. */
  readonly file: string;
  /** In which the node runs; undefined: that of the file, which is the record of the last start. */
  readonly folder?: string;
  readonly args: readonly string[];
}

/**
 * What a start of this program would run with now.
 * @param given by a sidecar's last start: its flags come before the environment and app.toml, as they do there
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG, UPG_STORE_IO
 */
export function settledStart(program: Command, env: Sources["env"], given?: GivenStart): StartSettings {
  const start = program.commands.find((command) => command.name() === "start");
  assert(start, "the command start is registered where its settings are read");
  settle(start, { env, off: given ? takeGiven(given, program, start) : new Set() });
  return startSettings(start, given);
}

/** Returns the switches that are turned off. @throws UpgradeError UPG_INVALID_ARGUMENT */
function takeGiven(given: GivenStart, program: Command, start: Command): ReadonlySet<string> {
  const { file, folder: base = dirname(file), args } = given;
  const flags = flagsOf(args, program, start);
  if (!flags) return new Set();
  try {
    const ready = readyArguments(flags, program);
    const { unknown } = start.parseOptions([...ready.args]);
    // The last start may have been one of another version, which has other flags.
    if (given.folder !== undefined) requireKnown(unknown, program);
    for (const folder of FOLDERS) {
      const value: unknown = start.getOptionValue(folder);
      // The sidecar starts the node in its own folder, where the file is.
      if (typeof value === "string") start.setOptionValueWithSource(folder, resolve(base, value), "cli");
    }
    return ready.off;
  } catch (cause) {
    const words = `this program does not take the flags of ${nameOf(given)}: ${messageOf(cause)}`;
    throw new UpgradeError("UPG_INVALID_ARGUMENT", words, { cause });
  }
}

const nameOf = ({ file, folder }: GivenStart): string =>
  folder === undefined ? `the sidecar's last start (${file})` : file;

/** Those of the whole program are not of its command `start`. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireKnown(words: readonly string[], program: Command): void {
  const isOfProgram = (word: string) =>
    [...program.options.flatMap(({ long, short }) => [long, short]), "--help", "-h"].includes(word.split("=", 1)[0]);
  const unknown = words.find((word) => /^-+[a-z]/i.test(word) && !isOfProgram(word));
  if (unknown !== undefined) throw usage(`unknown flag: ${unknown}`);
}

/** Flags of the whole program may come before the command's name. Undefined: it is another command. */
function flagsOf(args: readonly string[], program: Command, start: Command): readonly string[] | undefined {
  const known = [...program.options, ...start.options];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-")) return arg === start.name() ? args.toSpliced(at, 1) : undefined;
    const isWithValue = known.some(({ long, short, required }) => required && (long === arg || short === arg));
    if (isWithValue) at++;
  }
  return undefined;
}

/**
 * @param start the command, settled
 * @param given the flags that count as given on the command line, if a sidecar gave them
 * @throws UpgradeError UPG_INVALID_CONFIG: the folder of --handlers is missing
 */
export function startSettings(start: Command, given?: GivenStart): StartSettings {
  const flags = start.opts<StartFlags>();
  const { handlers, handlersStaged, handlerDiskMax, appVersion, haltHeight = 0n, maxBlocks } = flags;
  if (handlers !== undefined && !existsSync(handlers)) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `--handlers: there is no folder ${handlers}`);
  }
  return {
    engine: chosenEngine(flags, start),
    cometChild: flags.engine === "cometbft" && flags.withComet ? { named: flags["comet.bin"] } : undefined,
    handlers: handlers && resolve(handlers),
    staged: handlersStaged && resolve(handlersStaged),
    skipHeights: [
      { setting: "unsafe-skip-upgrades", heights: flags.unsafeSkipUpgrades ?? [] },
      { setting: "skip-upgrade-heights", heights: flags.skipUpgradeHeights ?? [] },
    ],
    ...{ handlerDiskMax, appVersion, haltHeight, maxBlocks },
    sourceOf: (setting) => sourceOf(setting, start, given),
  };
}

function chosenEngine({ engine, withComet }: StartFlags, start: Command): EngineName | undefined {
  if (!withComet) return "cometbft";
  return start.getOptionValueSource("engine") === "default" ? undefined : engine;
}

function sourceOf(setting: string, start: Command, given: GivenStart | undefined): SettingSource {
  const option = start.options.find(({ long }) => long === `--${setting}`);
  const by = option && start.getOptionValueSource(option.attributeName());
  if (by === "env") {
    const variable = envName(setting, envPrefix(rootOf(start).name()));
    const change = (value: string) => (value === "" ? `unset ${variable}` : `export ${variable}=${shellWord(value)}`);
    return { words: `${variable} in the environment`, change };
  }
  if (by !== "config") {
    if (!given) return { words: `--${setting}`, change: () => `start without --${setting}` };
    const { file, folder } = given;
    const words = `--${setting} of ${folder === undefined ? `the sidecar's last start, ${file}` : file}`;
    const change = () => `start the sidecar without --${setting}`;
    return { words, change };
  }
  const change = (value: string, home: string) =>
    `${PROGRAM} config set app ${setting} ${value === "" ? '""' : shellWord(value)} --home ${shellWord(home)}`;
  return { words: `${setting} in app.toml`, change };
}
