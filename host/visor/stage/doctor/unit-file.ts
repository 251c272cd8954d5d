/** A unit file for systemd that runs the sidecar, and what a unit file must have. */

import { NO_RESTART } from "../../decide/program-end.js";
import { valueText } from "../../decide/settings/detail.js";
import type { ReadSettings } from "../../decide/settings/read.js";
import { VARIABLES } from "../../decide/settings/variables.js";
import type { Settings } from "../../decide/settings.js";

/** An upgrade's block may take minutes, and is finished at SIGTERM. */
const STOP_SECONDS_MIN = 30 * 60;
/** For the sidecar itself, after the node's end. */
const STOP_SECONDS_MORE = 60;

/** Peers, databases and streams of an ordinary node. */
export const OPEN_FILES_MIN = 65_536;

export interface UnitOptions {
  readonly settings: ReadSettings;
  /** The words of the command before `run`. */
  readonly command: readonly string[];
  /** After `run`: the application's. */
  readonly args: readonly string[];
  readonly user: string;
}

export function stopSeconds({ shutdownGrace }: Pick<Settings, "shutdownGrace">): number {
  return Math.max(STOP_SECONDS_MIN, Math.ceil(shutdownGrace / 1000) + STOP_SECONDS_MORE);
}

export function unitFile({ settings, command, args, user }: UnitOptions): string {
  return `[Unit]
Description=${settings.settings.name} under chainvisor
After=network-online.target
Wants=network-online.target

[Service]
# Ready when the node runs; its process may report, too.
Type=notify
NotifyAccess=all
User=${user}
${environmentLines(settings).join("\n")}
ExecStart=${[...command, "run", ...args].map(commandWord).join(" ")}
# The sidecar starts a node that crashed by itself. After these a restart ends the same way.
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=${NO_RESTART.join(" ")}
# SIGTERM goes to the sidecar alone, which passes it on; what is left at the end is killed.
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${stopSeconds(settings.settings)}
# A backup and an upgrade's block may be under way.
TimeoutStartSec=infinity
LimitNOFILE=${OPEN_FILES_MIN}
NoNewPrivileges=true

[Install]
WantedBy=multi-user.target
`;
}

/** Home and name always; of the rest, what is neither a default nor in the file. */
function environmentLines({ settings, sources }: ReadSettings): string[] {
  const isSet = (field: (typeof VARIABLES)[number]["field"]) => ["env", "flag"].includes(sources.get(field) ?? "");
  return VARIABLES.filter(({ field }) => field === "home" || field === "name" || isSet(field)).map(
    (variable) => `Environment=${unitWord(`${variable.env}=${valueText(variable, settings)}`)}`,
  );
}

/** One word as systemd reads it, where `%` begins a specifier. */
function unitWord(text: string): string {
  const escaped = text.replaceAll("%", "%%");
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, "\\$&")}"`;
}

/** A command's words have variables, too. */
const commandWord = (text: string) => unitWord(text.replaceAll("$", "$$$$"));
