/** `chaind start`: runs the node until it is stopped or halts. */

import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { endWithParent } from "../../base/terminal/end-with-parent.js";
import { requireKnownSettings, settingFlags, settingsOfSdk } from "../../base/terminal/known-settings.js";
import {
  HANDLER_DISK_MAX_HELP,
  parseCount,
  parseDuration,
  parseHeight,
  parseHeights,
  parseUint64,
} from "../../base/terminal/options.js";
import { isLevelShown } from "../../base/terminal/process-log.js";
import type { Log, LogFormat, LogOptions, LogSource } from "../../base/text/log-line.js";
import { envPrefix } from "../../base/text/program-text.js";
import { recheckWarnings } from "../../node/comet/comet-files.js";
import { COMET_FLAGS, cometArgs } from "../../node/comet/engine/flags.js";
import { Home } from "../../node/home/home.js";
import type { Indexer } from "../../node/index/index-settings.js";
import { requireNoRelay } from "../../node/open/home-database.js";
import type { EngineStart } from "../../node/threads/engine-port.js";
import { RELAYED } from "../../upgrade/module/halt-next.js";
import {
  addCometFlags,
  type CometChoice,
  type CometFlags,
  chosenComet,
  cometFlagWarnings,
  embeddedFlagWarnings,
  relayWarnings,
} from "../flags/comet-flags.js";
import type { Context } from "../flags/context.js";
import { addHaltLingerFlag, type HaltLingerFlags, haltLingerTime } from "../flags/halt-linger-flag.js";
import { type ChosenLimits, chosenLimits } from "../flags/limit-settings.js";
import { addSdkFlags, givenOf, sdkFlagWarnings } from "../flags/sdk-flags.js";
import { addServerFlags, type ServerFlags } from "../flags/server-flags.js";
import { type StartSettings, startSettings } from "../flags/start-settings.js";

interface StartOptions extends ServerFlags, CometFlags, HaltLingerFlags {
  readonly witness?: boolean;
  readonly snapshotBeforeUpgrade?: boolean;
  readonly blockTime: bigint;
  readonly logicalClock?: boolean;
  readonly createEmptyBlocks: boolean;
  readonly keepVersions?: number;
  readonly minRetainBlocks: number;
  readonly "tx_index.indexer": Indexer;
  readonly indexEvents: readonly string[];
}

interface GlobalOptions extends LogFlags {
  readonly home: string;
}

/** Of every command; those that run a node have a log. */
export interface LogFlags {
  readonly log_format: LogFormat;
  readonly log_level: string;
  readonly log_no_color?: boolean;
}

const NANOS_PER_MILLI = 1_000_000n;

export function registerStart(program: Command, context: Context): void {
  const prefix = envPrefix(context.chain.name);
  const command = program
    .command("start")
    .summary("Run the node")
    .description(
      "Makes blocks until it is stopped (SIGTERM, SIGINT, SIGHUP) or halts. The block under way is finished first; a second signal,\n" +
        "half a second later or more, ends the node at once, with exit status 15. A halt has an exit status of its own (docs/errors.md),\n" +
        "a line on stderr and a record in <home>/data/halt.json that says what to do next.\n\n" +
        "Each setting of app.toml is a flag too, those of its tables [rpc] and [limits] as --limits.search-time and so on.\n\n" +
        `With --engine cometbft these are passed on to CometBFT: --moniker, --rpc.laddr,\n${lines(COMET_FLAGS.map((name) => `--${name}`))}.\n` +
        "Its other settings are in <home>/config/config.toml, where `p2p.laddr` is the setting of --p2p.laddr.\n\n" +
        `A parent with a channel to it that sets ${prefix}STANDBY=1 has it load everything, say "ready", and wait for a message before\n` +
        "it opens the home: chainvisor does so before an upgrade.",
    )
    .option("--handlers <dir>", "folder of handlers, beside <home>/handlers (default: the program's own)")
    .option(
      "--handlers-staged <dir>",
      "one more folder of handlers that wait for their height, besides <home>/handlers/staged",
    )
    .option("--witness", "after an upgrade, make its witness beside the node: with it anyone can run the handler again")
    .option("--snapshot-before-upgrade", "after an upgrade, take a snapshot of the state before it, beside the node")
    .addOption(
      new Option("--block-time <duration>", "time between blocks; 0: as fast as possible")
        .argParser(parseDuration)
        .default(1_000_000_000n, "1s"),
    )
    .option("--logical-clock", "count time by blocks instead of reading the machine's clock")
    .addOption(
      new Option(
        "--create-empty-blocks",
        "make blocks without transactions too (--create-empty-blocks=false: not)",
      ).default(true),
    )
    .option("--max-blocks <n>", "stop after this many blocks", parseCount)
    .option("--app-version <n>", "know nothing newer than this app version, as an old binary does", parseUint64)
    .option("--halt-height <height>", "stop before this block", parseHeight)
    .option("--unsafe-skip-upgrades <heights>", "skip the upgrades at these heights: H,H", parseHeights)
    .option("--skip-upgrade-heights <heights>", "the same as --unsafe-skip-upgrades", parseHeights)
    .option("--keep-versions <n>", "historical versions to keep readable (default 100)", parseCount)
    .addOption(
      new Option("--min-retain-blocks <n>", "blocks before the last to keep, with results and index; 0: all")
        .argParser(parseCount)
        .default(0, "0"),
    )
    .addOption(
      new Option("--tx_index.indexer <indexer>", "index transactions and blocks by their events; null: not")
        .choices(["kv", "null"])
        .default("kv"),
    )
    .addOption(
      new Option("--index-events <events>", 'events to index, as type.key,type.key; "": all')
        .argParser(parseEvents)
        .default([], ""),
    )
    .option("--handler-disk-max <bytes>", HANDLER_DISK_MAX_HELP, parseCount);
  addHaltLingerFlag(command);
  addSdkFlags(command);
  addCometFlags(command);
  addServerFlags(command).action(async (options: StartOptions, self: Command) => {
    const globals = self.optsWithGlobals() as GlobalOptions;
    const known = [...settingFlags(program, "app").keys()];
    requireKnownSettings(globals.home, "app", known);
    const comet = chosenComet(options, new Home(globals.home), self);
    const warnings = [
      ...sdkFlagWarnings(self, comet !== undefined, settingsOfSdk(globals.home, known)),
      ...(comet ? [...embeddedFlagWarnings(self), ...recheckWarnings(globals.home)] : cometFlagWarnings(self)),
      ...(relayed(context) ? relayWarnings(self) : []),
    ];
    const isEngineAssumed = self.getOptionValueSource("engine") === "default";
    const chosen = {
      limits: chosenLimits(self),
      settings: startSettings(self),
      warnings,
      comet,
      isEngineAssumed,
      cometArgs: cometArgs(givenOf(self)),
    };
    await start(context, options, globals, chosen);
  });
}

/** Three of them a line. */
function lines(words: readonly string[]): string {
  const rows = Array.from({ length: Math.ceil(words.length / 3) }, (_, row) => words.slice(3 * row, 3 * row + 3));
  return rows.map((row) => row.join(", ")).join(",\n");
}

interface Chosen {
  readonly limits: ChosenLimits;
  readonly settings: StartSettings;
  /** For the log, before anything else. */
  readonly warnings: readonly string[];
  /** Undefined: the embedded engine. */
  readonly comet: CometChoice | undefined;
  /** Neither a flag nor the environment nor app.toml names the engine. */
  readonly isEngineAssumed: boolean;
  readonly cometArgs: readonly string[];
}

async function start(context: Context, options: StartOptions, globals: GlobalOptions, chosen: Chosen): Promise<void> {
  const { chain, io } = context;
  const { env } = io;
  const { limits, warnings, comet } = chosen;
  const log = openNodeLog(context, globals, "node");
  if (io.parent) endWithParent(io.parent);
  for (const warning of warnings) log("warn", warning);
  const linger = haltLingerTime(options, env, comet !== undefined);
  const { witness = false } = options;
  const snapshots = {
    interval: options["stateSync.snapshotInterval"],
    keepRecent: options["stateSync.snapshotKeepRecent"],
    beforeUpgrade: options.snapshotBeforeUpgrade ?? false,
  };
  // Whole: the commands of halt.json are pasted in any folder.
  const home = new Home(resolve(globals.home));
  const begun = engineStart(options, chosen.settings, home.path, isLevelShown("debug", globals.log_level));
  if (comet) {
    const mode = relayed(context);
    if (!mode) requireNoRelay(home);
    const served = mode ? RELAYED : ["--with-comet=false"];
    const startFlags = comet.program === undefined ? served : ["--engine", "cometbft"];
    const start = {
      ...begun,
      engine: "cometbft" as const,
      startFlags,
      isStandby: mode === "next" || isStandby(context),
    };
    const run = { chain, flags: options, limits, home, start, linger, log, witness, snapshots };
    const { runComet } = await import("../run/run-comet.js");
    await runComet({ ...run, choice: comet, args: chosen.cometArgs });
    return;
  }
  const start = { ...begun, isEngineAssumed: chosen.isEngineAssumed, isStandby: isStandby(context) };
  const embedded = { ...snapshots, interval: 0 };
  const { runThreads } = await import("../run/run-threads.js");
  await runThreads({ chain, flags: options, limits, home, start, linger, log, witness, snapshots: embedded });
}

/** Of a relay's worker: at once, or held back until the one before it has ended (host/visor/hot/worker-process.ts). */
const relayed = ({ chain, io }: Context) => io.env[`${envPrefix(chain.name)}RELAYED`];

/** Of a sidecar's next version: everything is loaded, and the home is another's until it is called. */
const isStandby = ({ chain, io }: Context) => io.env[`${envPrefix(chain.name)}STANDBY`] === "1";

function engineStart(
  options: StartOptions,
  { handlers, staged, handlerDiskMax, appVersion, skipHeights, haltHeight, maxBlocks }: StartSettings,
  home: string,
  isDebugLogged: boolean,
): EngineStart {
  return {
    engine: "embedded",
    ...{ home, handlers, staged, handlerDiskMax, appVersion, haltHeight, maxBlocks, isDebugLogged },
    skipHeights: skipHeights.flatMap(({ heights }) => heights),
    logicalBlockNanos: options.logicalClock ? options.blockTime || 1_000_000_000n : undefined,
    versionsKept: options.keepVersions,
    blocks: {
      minRetainBlocks: options.minRetainBlocks,
      indexer: options["tx_index.indexer"],
      events: options.indexEvents,
    },
    mempool: {},
    emptyBlocks: options.createEmptyBlocks,
    blockMillis: options.logicalClock ? 0 : Number(options.blockTime / NANOS_PER_MILLI),
  };
}

const EVENT_NAME = /^[^.\s,'"]+\.[^\s,'"]+$/;

function parseEvents(text: string): string[] {
  if (text === "") return [];
  const events = text.split(",").map((event) => event.trim());
  if (events.every((event) => EVENT_NAME.test(event))) return events;
  throw new InvalidArgumentError('expected events such as transfer.recipient,message.sender, or "" for all.');
}

export function openNodeLog(
  { openLog }: Pick<Context, "openLog">,
  { log_format, log_level, log_no_color = false }: LogFlags,
  source: LogSource,
): Log {
  const isShown: LogOptions["isShown"] = (level) => isLevelShown(level, log_level);
  return openLog({ format: log_format, source, isShown, isPlain: log_no_color });
}
