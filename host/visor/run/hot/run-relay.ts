/**
 * `chaind relay`: in Cosmovisor's folders the sidecar itself, set to the hot switch. Elsewhere, and where a sidecar started it,
 * one hold without the sidecar's loop around it: when it ends, the next start is somebody else's.
 */
import { assert, isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { readConfig } from "../../../base/terminal/config-file.js";
import { setReported } from "../../../base/terminal/fail.js";
import type { Log } from "../../../base/text/log-line.js";
import { cometFiles } from "../../../node/comet/comet-files.js";
import { findComet } from "../../../node/comet/engine/binary.js";
import type { Home } from "../../../node/home/home.js";
import { Layout } from "../../../node/programs/layout.js";
import { MARK } from "../../decide/child-env.js";
import { requireOwnHome } from "../../decide/own-home.js";
import { prefixOf } from "../../decide/program-variables.js";
import { readSettings, requireSettings } from "../../decide/settings/read.js";
import type { Settings } from "../../decide/settings.js";
import { Signals } from "../../decide/signals.js";
import { startArgs } from "../../hot/start-arguments.js";
import { nextForCurrent } from "../../stage/next-for-current.js";
import { RELAY_SETTINGS } from "../../stage/start-command.js";
import { Board } from "../../status/board.js";
import { StepFailure } from "../loop/scripts.js";
import { realMachine } from "../real-machine.js";
import { superviseHome } from "../supervised-home.js";
import { holdHome } from "./hold-home.js";

/** Of a process that a second signal ended. */
const ENDED_AT_ONCE_EXIT = 15;

export interface RunRelayOptions {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name of the program that runs this code. */
  readonly name: string;
  /** What runs first; undefined: that of the folders. */
  readonly program: string | undefined;
  /** Programs of plans. */
  readonly upgrades: ReadonlyMap<string, string>;
  /** The file of the program that runs this code. */
  readonly own: string;
  /** `start` with CometBFT's engine, and its flags. */
  readonly args: readonly string[];
  /** All words that start the relay again. */
  readonly command: string;
  readonly log: Log;
}

/**
 * With the sidecar's settings: its variables, and `cosmovisor/config.toml`.
 * @returns the exit status
 * @throws UpgradeError UPG_STORE_LOCKED, UPG_INVALID_CONFIG, UPG_INVALID_ARGUMENT, UPG_STORE_IO; Halt, after it was recorded
 */
export async function runRelay(options: RunRelayOptions): Promise<number> {
  const { home, env, name, program, upgrades, own, args, command, log } = options;
  const read = readSettings(env, undefined, { daemon_home: home.path }, { areFoldersChecked: false });
  const given = requireSettings(read);
  const settings: Settings = {
    ...{ ...given, name: given.name || name },
    // Several relays on one machine would want the default's port.
    statusAddress: read.sources.get("statusAddress") === "default" ? "" : given.statusAddress,
    ...RELAY_SETTINGS,
  };
  for (const warning of read.warnings) log("warn", warning);
  const { isCaseKept } = settings;
  const layout = new Layout({ home: home.path, name: settings.name, program, upgrades, own, isCaseKept });
  const isInFolders =
    program === undefined && upgrades.size === 0 && realMachine.files.facts(settings.root)?.kind === "folder";
  if (!isInFolders || env[MARK] !== undefined) return holdOnce({ ...options, settings, layout });
  requireProgram(layout, settings);
  const openLog = () => log;
  return superviseHome({ settings, env, args, command, openLog, isHoldReported: true, isStoppedByHangup: true });
}

/** Without a first program the relay has not begun. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO */
function requireProgram(layout: Layout, settings: Settings): void {
  try {
    layout.current();
  } catch (cause) {
    if (!isUpgradeError(cause) || cause.code !== "UPG_INVALID_CONFIG") throw cause;
    const next = nextForCurrent(realMachine.files, settings);
    throw new UpgradeError(cause.code, `${cause.message}. Next: ${next}`, { cause });
  }
}

interface HoldOnce extends Pick<RunRelayOptions, "home" | "env" | "name" | "args" | "log"> {
  readonly settings: Settings;
  readonly layout: Layout;
}

async function holdOnce({ home, env, name, args, log, settings, layout }: HoldOnce): Promise<number> {
  requireOwnHome({ settings, args, env });
  const prefix = prefixOf(name);
  const start = startArgs(args, { env, prefix, table: readConfig(home.path, "app") });
  assert(start !== undefined, "a relay has the arguments of a start with CometBFT");
  const { comet, program, worker } = start;
  const signals = new Signals(process, true);
  signals.onLater((signal) => {
    log("warn", `a second signal (${signal}) ends the relay, its worker and CometBFT at once`);
    process.exit(ENDED_AT_ONCE_EXIT);
  }, "sidecar");
  const machine = realMachine;
  try {
    const end = await holdHome({
      ...{ settings, layout, machine, log, prefix, flags: worker, childEnv: env },
      ...{ signal: signals.signal, board: new Board(machine.clock) },
      comet: { program: findComet(program, { ...env }).path, args: comet, files: cometFiles(home) },
    });
    if (!end.failure) return end.exit;
    // Its record is an error line of the log.
    setReported(end.failure);
    throw end.failure;
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    log("error", error.message);
    return error.exit;
  } finally {
    signals.close();
  }
}
