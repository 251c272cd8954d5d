/** `chainvisor status`: what the sidecar of this home says, or what its files say where none runs. */

import type { Machine } from "../../decide/machine.js";
import type { Settings } from "../../decide/settings.js";
import type { VisorStatus } from "../../decide/status.js";
import { statusLines } from "../../status/status-text.js";
import { askSidecar, askWhenJudged, exitOf, statusOf } from "./status-of.js";

export interface StatusCommandOptions {
  readonly settings: Settings;
  readonly machine: Machine;
  /** Writes again at each change, until `signal` is aborted or the sidecar ends. */
  readonly isWatching: boolean;
  readonly signal: AbortSignal;
  /** As JSON, or as this text. */
  readonly print: (status: VisorStatus, text: string) => void;
}

/** The sidecar does not run. */
const NONE_RUNS_EXIT = 3;
const WAIT_SECONDS = 30;

/** Returns the exit status: 30 where the node is not ready or the sidecar has failed, 3 where none runs, else 0. */
export async function statusCommand(options: StatusCommandOptions): Promise<number> {
  const { settings, machine, isWatching, signal } = options;
  let known = isWatching
    ? await askSidecar(settings, machine, { signal })
    : await askWhenJudged(settings, machine, signal);
  if (!known) {
    const found = await statusOf(settings, machine);
    show(options, found.status);
    return exitOf(found) || NONE_RUNS_EXIT;
  }
  show(options, known.status);
  while (isWatching && !signal.aborted) {
    const asked = await askSidecar(settings, machine, { etag: known.etag, waitSeconds: WAIT_SECONDS, signal });
    if (signal.aborted) break;
    if (!asked) return NONE_RUNS_EXIT;
    if (asked.etag !== known.etag) show(options, asked.status);
    known = asked;
  }
  return exitOf({ status: known.status });
}

function show({ print, isWatching, machine }: StatusCommandOptions, status: VisorStatus): void {
  const shown = { status, silentSeconds: undefined, time: new Date(machine.clock.wall()).toISOString() };
  print(status, `${statusLines(shown).join("\n")}\n${isWatching ? "\n" : ""}`);
}
