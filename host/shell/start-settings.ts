/**
 * The settings of `start` that decide whether a node goes on in its home and what it does at a plan's height. `start` runs with them;
 * the commands that say what a start would do judge the same values.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { EngineName } from "../chain/engine-port.js";
import { assert, UpgradeError } from "../errors.js";
import { programName } from "../program-name.js";
import { shellWord } from "../shell-word.js";
import type { Height } from "../types.js";
import { envName, settle } from "./settings.js";

export interface StartSettings {
  /** Undefined: neither a flag nor the environment nor app.toml names one. */
  readonly engine: EngineName | undefined;
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
  readonly handlers?: string;
  readonly handlersStaged?: string;
  readonly handlerDiskMax?: number;
  readonly appVersion?: bigint;
  readonly unsafeSkipUpgrades?: readonly bigint[];
  readonly skipUpgradeHeights?: readonly bigint[];
  readonly haltHeight?: bigint;
  readonly maxBlocks?: number;
}

/** What a start of this program would run with now. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG, UPG_STORE_IO */
export function settledStart(program: Command): StartSettings {
  const start = program.commands.find((command) => command.name() === "start");
  assert(start, "the command start is registered where its settings are read");
  settle(start, { env: process.env, off: new Set() });
  return startSettings(start);
}

/** @param start the command, settled. @throws UpgradeError UPG_INVALID_CONFIG: the folder of --handlers is missing */
export function startSettings(start: Command): StartSettings {
  const flags = start.opts<StartFlags>();
  const { handlers, handlersStaged, handlerDiskMax, appVersion, haltHeight = 0n, maxBlocks } = flags;
  if (handlers !== undefined && !existsSync(handlers)) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `--handlers: there is no folder ${handlers}`);
  }
  return {
    engine: chosenEngine(flags, start),
    handlers: handlers && resolve(handlers),
    staged: handlersStaged && resolve(handlersStaged),
    skipHeights: [
      { setting: "unsafe-skip-upgrades", heights: flags.unsafeSkipUpgrades ?? [] },
      { setting: "skip-upgrade-heights", heights: flags.skipUpgradeHeights ?? [] },
    ],
    ...{ handlerDiskMax, appVersion, haltHeight, maxBlocks },
    sourceOf: (setting) => sourceOf(setting, start),
  };
}

function chosenEngine({ engine, withComet }: StartFlags, start: Command): EngineName | undefined {
  if (!withComet) return "cometbft";
  return start.getOptionValueSource("engine") === "default" ? undefined : engine;
}

function sourceOf(setting: string, start: Command): SettingSource {
  const option = start.options.find(({ long }) => long === `--${setting}`);
  const by = option && start.getOptionValueSource(option.attributeName());
  if (by === "env") {
    const variable = envName(setting);
    const change = (value: string) => (value === "" ? `unset ${variable}` : `export ${variable}=${shellWord(value)}`);
    return { words: `${variable} in the environment`, change };
  }
  if (by !== "config") return { words: `--${setting}`, change: () => `start without --${setting}` };
  const change = (value: string, home: string) =>
    `${programName()} config set app ${setting} ${value === "" ? '""' : shellWord(value)} --home ${shellWord(home)}`;
  return { words: `${setting} in app.toml`, change };
}
