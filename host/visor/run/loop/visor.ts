/**
 * The sidecar: decides which program runs from what is on disk, runs it, and decides again when the plan's file changes and when
 * the program ends.
 */

import { isUpgradeError, messageOf } from "../../../base/errors/errors.js";
import { completeText } from "../../../base/text/program-text.js";
import { Layout } from "../../../node/programs/layout.js";
import { childEnv } from "../../decide/child-env.js";
import { placesOf } from "../../decide/decision/paths.js";
import { removeFailure, writeFailure } from "../../decide/failure-record.js";
import { askRpc } from "../../decide/heights/node-status.js";
import { ofOwnChain } from "../../decide/heights/own-chain.js";
import { VISOR_PROGRAM } from "../../decide/program-variables.js";
import { takeRestartRequest } from "../../decide/restart-request.js";
import { besideSidecar, keepStart, lastStart, type StartCommands } from "../../stage/start-command.js";
import type { Shared, VisorOptions } from "./options.js";
import { StepFailure } from "./scripts.js";
import { VisorLoop } from "./visor-loop.js";

export type { VisorOptions } from "./options.js";

const ANY_FAILURE = 1;
/** How often a sidecar that holds looks for a request to restart. */
const LOOK_MILLIS = 500;

/** Runs until there is nothing left to supervise. Never rejects. @returns the sidecar's exit status */
export async function runVisor(options: VisorOptions): Promise<number> {
  const { settings, machine, board, log } = options;
  const { home, name, isCaseKept } = settings;
  const layout = new Layout({
    ...{ home, name, isCaseKept, files: machine.files },
    ...{ program: undefined, upgrades: new Map(), own: name },
  });
  const ask = ofOwnChain(options.askRpc ?? askRpc, { machine, home, log });
  const places = placesOf(settings);
  const starts = startsOf(options, places.startFile);
  const env = { ...childEnv(options), CHAINVISOR_START: starts.run, CHAINVISOR_SERVICE: starts.service };
  const shared: Shared = { ...options, askRpc: ask, layout, places, starts, childEnv: env };
  const loop = new VisorLoop(shared);
  const { failureFile } = shared.places;
  quietly(log, () => removeFailure(machine.files, failureFile));
  quietly(log, () => void takeRestartRequest(machine.files, shared.places.restartFile));
  try {
    const exit = await loop.run();
    if (board.current.phase !== "failed") board.update({ phase: "stopped", program: null });
    return exit;
  } catch (error) {
    await loop.endApp();
    if (error instanceof StepFailure && error.exit === 0) {
      board.update({ phase: "stopped", program: null });
      log("info", error.message);
      return 0;
    }
    const exit = error instanceof StepFailure ? error.exit : isUpgradeError(error) ? error.kind.exit : ANY_FAILURE;
    const message = messageWithCode(error);
    board.update({ phase: "failed", program: null, message });
    const { next } = board.current;
    if (settings.isHeldOnFailure) board.update({ next: besideSidecar(next, shared) });
    const time = new Date(machine.clock.wall()).toISOString();
    const record = { time, exit, message, next };
    quietly(log, () => writeFailure(machine.files, failureFile, record));
    log("error", message);
    if (await isAskedWhileHeld(options, places.restartFile)) {
      board.update({ phase: "starting", message: "", next: [] });
      return runVisor(options);
    }
    return exit;
  }
}

function messageWithCode(error: unknown): string {
  const message = completeText(messageOf(error), VISOR_PROGRAM);
  return isUpgradeError(error) && !message.includes(`[${error.code}]`) ? `${message} [${error.code}]` : message;
}

/** Nothing is decided from it. */
function startsOf({ settings, machine, args, env, command, log }: VisorOptions, path: string): StartCommands {
  try {
    return keepStart(machine.files, path, { settings, args, env, command });
  } catch (error) {
    log("warn", `${path} cannot be written: ${messageOf(error)}`);
    return lastStart(machine.files, path, settings);
  }
}

/** The record is for people: nothing is decided from it. */
function quietly(log: VisorOptions["log"], work: () => void): void {
  try {
    work();
  } catch (error) {
    log("warn", messageOf(error));
  }
}

/** Where CHAINVISOR_HOLD is set: waits for a signal, or for `chainvisor restart`. @returns a start was asked for */
async function isAskedWhileHeld(
  { settings, machine, log, signal }: VisorOptions,
  restartFile: string,
): Promise<boolean> {
  if (!settings.isHeldOnFailure || signal.aborted) return false;
  log("info", "holds, with its status served, until a signal or `chainvisor restart` (CHAINVISOR_HOLD)");
  while (!signal.aborted) {
    if (takeRestartRequest(machine.files, restartFile)) return true;
    await machine.clock.sleep(LOOK_MILLIS, signal);
  }
  return false;
}
