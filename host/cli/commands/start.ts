/** `chaind start`: runs the node until it is stopped or halts. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Command, Option } from "commander";
import { type Logger, pino } from "pino";
import { toHex } from "../../bytes.js";
import { logicalClock, wallClock } from "../../engine/clock.js";
import { HeldHome } from "../../engine/held-home.js";
import { recordHalt, runNode } from "../../engine/run-node.js";
import { isUpgradeError, UpgradeError } from "../../errors.js";
import type { LogLevel } from "../../upgrade/handlers.js";
import { type ChosenLimits, chosenLimits } from "../limit-settings.js";
import { addDoorFlags, type DoorFlags, type NodeDoors, openNodeDoors } from "../node-doors.js";
import {
  HANDLER_DISK_MAX_HELP,
  parseCount,
  parseDuration,
  parseHeight,
  parseHeights,
  parseUint64,
} from "../options.js";
import { plainLog } from "../plain-log.js";

interface StartOptions extends DoorFlags {
  readonly handlers?: string;
  readonly blockTime: bigint;
  readonly logicalClock?: boolean;
  readonly createEmptyBlocks: boolean;
  readonly maxBlocks?: number;
  readonly appVersion?: bigint;
  readonly haltHeight?: bigint;
  readonly unsafeSkipUpgrades?: readonly bigint[];
  readonly skipUpgradeHeights?: readonly bigint[];
  readonly keepVersions?: number;
  readonly handlerDiskMax?: number;
}

interface GlobalOptions {
  readonly home: string;
  readonly log_format: string;
  readonly log_level: string;
}

/** Exit statuses from here on are ends of a node, with a record; the rest are mistakes of the caller. */
const RECORDED_FROM = 10;
const NANOS_PER_MILLI = 1_000_000n;

export function registerStart(program: Command): void {
  const command = program
    .command("start")
    .summary("Run the node")
    .description(
      "Makes blocks until it is stopped (SIGTERM, SIGINT) or halts. A halt has an exit status of its own (docs/errors.md),\n" +
        "a line on stderr and a record in <home>/data/halt.json that says what to do next.",
    )
    .option("--handlers <dir>", "folder of upgrade handlers (default: those built with this program)")
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
    .option("--skip-upgrade-heights <heights>", "the same", parseHeights)
    .option("--keep-versions <n>", "historical versions to keep readable (default 100)", parseCount)
    .option("--handler-disk-max <bytes>", HANDLER_DISK_MAX_HELP, parseCount);
  addDoorFlags(command).action(async (options: StartOptions, self: Command) => {
    await start(options, self.optsWithGlobals() as GlobalOptions, chosenLimits(self));
  });
}

/** Handlers that ship with the program stand beside it. */
function builtInHandlers(): string {
  return fileURLToPath(new URL("handlers", import.meta.url));
}

async function start(options: StartOptions, globals: GlobalOptions, limits: ChosenLimits): Promise<void> {
  const logger = makeLogger(globals);
  const log = (level: LogLevel, message: string) => logger[level](message);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  const onWarning = (message: string) => logger.warn(message);
  if (options.handlers !== undefined && !existsSync(options.handlers)) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `--handlers: there is no folder ${options.handlers}`);
  }
  const held = HeldHome.hold({
    home: globals.home,
    clock: options.logicalClock ? logicalClock(options.blockTime || 1_000_000_000n) : wallClock,
    handlers: options.handlers ?? builtInHandlers(),
    log,
    skipHeights: [...(options.unsafeSkipUpgrades ?? []), ...(options.skipUpgradeHeights ?? [])],
    ...(options.appVersion === undefined ? {} : { appVersion: options.appVersion }),
    ...(options.haltHeight === undefined ? {} : { haltHeight: options.haltHeight }),
    ...(options.keepVersions === undefined ? {} : { versionsKept: options.keepVersions }),
    ...(options.handlerDiskMax === undefined ? {} : { handlerDiskMax: options.handlerDiskMax }),
  });
  let doors: NodeDoors | undefined;
  try {
    const node = held.open();
    const { app } = node;
    logger.info({ version: String(app.version.number), height: String(app.lastCommitID.version) }, "node started");
    doors = await openNodeDoors({ flags: options, limits, held, node, logger, signal: stop.signal });
    await runNode(
      { home: held.home, node },
      {
        emptyBlocks: options.createEmptyBlocks,
        blockMillis: options.logicalClock ? 0 : Number(options.blockTime / NANOS_PER_MILLI),
        signal: stop.signal,
        onWarning,
        onBlock: ({ stored, result }) => {
          const { height } = stored.header;
          if (result.applied)
            logger.info({ height: String(height), plan: result.applied.plan.name }, "upgrade applied");
          logger.info({ height: String(height), app_hash: toHex(stored.appHash) }, "block made");
        },
        ...(options.maxBlocks === undefined ? {} : { maxBlocks: options.maxBlocks }),
      },
    );
    logger.info("node stopped");
  } catch (error) {
    if (isUpgradeError(error) && error.kind.exit >= RECORDED_FROM) {
      logger.error(error.message);
      process.stderr.write(`${JSON.stringify(recordHalt(held, error, { onWarning }))}\n`);
    }
    throw error;
  } finally {
    await doors?.close();
    held.close();
  }
}

function makeLogger({ log_format, log_level }: GlobalOptions): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  return log_format === "json"
    ? pino({ level: log_level, base: null }, destination)
    : pino({ level: log_level }, plainLog());
}
