/** `chaind relay`: the hot switch without a sidecar's loop around it. When it ends, the next start is somebody else's. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { StopRequests } from "../../../base/terminal/stop-requests.js";
import type { Log } from "../../../base/text/log-line.js";
import { envPrefix } from "../../../base/text/program-text.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { Layout } from "../../../node/programs/layout.js";
import { placesOf } from "../../decide/decision/paths.js";
import { readQueue } from "../../decide/decision/queue.js";
import { nodeFacts } from "../../decide/heights/node-facts.js";
import type { Machine } from "../../decide/machine.js";
import { takeRestartRequest } from "../../decide/restart-request.js";
import { readSettings, requireSettings } from "../../decide/settings/read.js";
import type { Settings } from "../../decide/settings.js";
import type { HoldOptions } from "../../hot/hold-connections.js";
import { chainvisorOf } from "../../stage/supervision.js";
import { Board } from "../../status/board.js";
import { openStatus } from "../../status/server.js";
import { StepFailure } from "../loop/scripts.js";
import { holdHome } from "./hold-home.js";

/** Of a process that a second signal ended. */
const ENDED_AT_ONCE_EXIT = 15;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export interface RunRelayOptions extends Pick<HoldOptions, "home" | "flags" | "comet" | "log"> {
  readonly machine: Machine;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name of the program that runs this code. */
  readonly name: string;
  /** What runs first; undefined: that of the folders. */
  readonly program: string | undefined;
  /** Programs of plans. */
  readonly upgrades: ReadonlyMap<string, string>;
  /** The file of the program that runs this code. */
  readonly own: string;
}

/**
 * With the sidecar's settings: its variables, and `cosmovisor/config.toml`.
 * @returns the exit status
 * @throws Halt, UpgradeError UPG_STORE_FULL, after it was recorded; UPG_STORE_LOCKED, UPG_INVALID_CONFIG, UPG_STORE_IO
 */
export async function runRelay(options: RunRelayOptions): Promise<number> {
  const { home, log, machine, env, name, program, upgrades, own, flags, comet } = options;
  const read = readSettings(env, undefined, { daemon_home: home.path }, { areFoldersChecked: false });
  const given = requireSettings(read);
  const settings = { ...given, name: given.name || name };
  for (const warning of read.warnings) log("warn", warning);
  const { files } = machine;
  const isInFolders = program === undefined && upgrades.size === 0 && files.facts(settings.root)?.kind === "folder";
  const isStaged = isInFolders && chainvisorOf(settings) === undefined;
  const board = new Board(machine.clock);
  // Several relays on one machine would want the default's port.
  const statusAddress = read.sources.get("statusAddress") === "default" ? "" : settings.statusAddress;
  const stopping = new AbortController();
  let endSignals: (() => void) | undefined;
  // Where another relay has the home, its socket stays, and so does what is asked of it.
  const begin = async () => {
    endSignals ??= onSignals(stopping, log);
    if (!isStaged) return async () => undefined;
    await requireNoQueuedHeight(files, settings);
    takeRestartRequest(files, placesOf(settings).restartFile);
    const status = await openStatus({ board, settings: { ...settings, statusAddress }, machine, args: flags, log });
    return () => status.close();
  };
  try {
    const { isCaseKept } = settings;
    const layout = new Layout({ home: home.path, name: settings.name, program, upgrades, own, isCaseKept });
    const of = { settings, machine, board, log, signal: stopping.signal, childEnv: env, layout, isStaged };
    const hold = () => holdHome({ ...of, flags, comet, prefix: envPrefix(name) }, begin);
    let end = await hold();
    while (end.isRestart && !stopping.signal.aborted) end = await hold();
    if (end.failure) throw end.failure;
    return end.exit;
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    log("error", error.message);
    return error.exit;
  } finally {
    endSignals?.();
  }
}

/** The program that runs would make the block of such a height. @throws UpgradeError UPG_INVALID_CONFIG */
async function requireNoQueuedHeight(files: Files, settings: Settings): Promise<void> {
  const { plans } = readQueue(files, settings);
  if (plans.length === 0) return;
  const { reached } = await nodeFacts({ files, settings, sidecar: undefined });
  const next = plans.find(({ height }) => height > (reached?.height ?? 0n));
  if (!next) return;
  const { name, height } = next;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `"${name}" is queued for height ${height} (add-upgrade --upgrade-height), which a relay does not stop before: run the node by \`chainvisor run\`, or take the height back with \`chainvisor add-upgrade ${shellWord(name)} NEW_PROGRAM --upgrade-height 0 --force\``,
  );
}

/** The first one asks the relay to stop; a second one ends it at once, and its children with it. Returns what undoes it. */
function onSignals(stopping: AbortController, log: Log): () => void {
  const requests = new StopRequests();
  const hear = (signal: NodeJS.Signals) => {
    if (requests.take(signal) === "at once") {
      log("warn", `a second signal (${signal}) ends the relay, its worker and CometBFT at once`);
      process.exit(ENDED_AT_ONCE_EXIT);
    }
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  return () => {
    for (const signal of SIGNALS) process.off(signal, hear);
  };
}
