/**
 * From the old program to the new one, while no application runs. Each step may be the last that is made: the next start
 * decides the same, and begins again with what is not done.
 */

import { messageOf } from "../../../base/errors/errors.js";
import { writeWhole } from "../../../base/files/whole-file.js";
import { type Program, problemOf } from "../../../node/programs/layout.js";
import type { Decision, Pending } from "../../decide/decision/decide.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { unqueuePlan } from "../../decide/decision/queue.js";
import { linkProgram, planBytes } from "../../stage/layout/link-program.js";
import { lackOf } from "../../stage/plan-way.js";
import { fetchPlan } from "./fetch.js";
import type { Shared } from "./options.js";
import { appPreUpgrade, customPreUpgrade, StepFailure } from "./scripts.js";

const PLAN_FILE_MODE = 0o600;

export interface Switching {
  readonly shared: Shared;
  readonly current: Program;
  readonly isOurs: boolean;
  /** Undefined: backups are skipped. */
  readonly backup: ((plan: Plan) => Promise<void>) | undefined;
  /** It is known of the program's file, without asking it again, that it has no `pre-upgrade`, or that it has been asked and waits. */
  readonly isWithoutPreUpgrade: (program: Program) => boolean;
}

type Due = Pending & Pick<Extract<Decision, { kind: "switch" }>, "isMade">;

/**
 * The program that is linked when it returns. Where the upgrade's block is made, there is no backup, which would be one of later data
 * under the name of a program that is too old for it, and the operator's script does not run again.
 * @throws StepFailure; the link is the old one then
 */
export async function switchProgram(switching: Switching, pending: Due): Promise<Program> {
  const { shared, current, backup } = switching;
  const { settings, machine, board, log, signal, places } = shared;
  const { plan, origin, isMade = false } = pending;
  if (settings.restartDelay > 0) {
    log("info", `waits ${settings.restartDelay / 1_000} s (DAEMON_RESTART_DELAY)`);
    await machine.clock.sleep(settings.restartDelay, signal);
  }
  requireGoingOn(signal);
  requireObtainable(shared, plan);
  if (backup && !isMade) {
    board.update({ phase: "backing up" });
    await step(signal, "error while taking data backup", () => backup(plan));
    requireGoingOn(signal);
  }
  board.update({ phase: "switching", progress: null });
  // The script and the program read it where the application writes it.
  if (origin === "operator" && !switching.isOurs) {
    await step(signal, "cannot write the plan", () =>
      writeWhole(machine.files, places.planFile, planBytes(plan), PLAN_FILE_MODE),
    );
  }
  const scripts = { settings, machine, env: shared.childEnv, signal, log };
  if (!isMade) await step(signal, "", () => customPreUpgrade(scripts, plan));
  requireGoingOn(signal);
  const program = await staged(shared, plan);
  if (!switching.isWithoutPreUpgrade(program)) await step(signal, "", () => appPreUpgrade(scripts, program.file));
  requireGoingOn(signal);
  await step(signal, "cannot link the program", () =>
    linkProgram(machine.files, settings.root, current, program, plan),
  );
  log("info", `switched from ${current.name} to ${program.name} at height ${plan.height}`);
  return program;
}

/** One that stays is passed over: its height is that of the program that runs. */
export function unqueue({ machine, settings, log }: Shared, { name }: Plan): void {
  try {
    unqueuePlan(machine.files, settings.root, name);
  } catch (error) {
    log("warn", messageOf(error));
  }
}

/** A backup for a switch that cannot be made would take the place of one that is needed. @throws StepFailure */
function requireObtainable(shared: Shared, plan: Plan): void {
  const { layout, machine, settings } = shared;
  // The script may bring it.
  if (settings.isDownloadAllowed || settings.customPreUpgrade !== "") return;
  const problem = problemOf(layout.of(plan.name), machine.files);
  if (problem !== undefined) throw lacking(`binary not present, downloading disabled: ${problem}`, shared, plan);
}

/** The plan's program, in its folder. @throws StepFailure with Cosmovisor's texts */
export async function staged(shared: Shared, plan: Plan): Promise<Program> {
  const { layout, machine, settings, log, board, signal } = shared;
  const program = layout.of(plan.name);
  const problem = problemOf(program, machine.files);
  if (problem === undefined) return program;
  if (!settings.isDownloadAllowed) throw lacking(`binary not present, downloading disabled: ${problem}`, shared, plan);
  log("info", "no upgrade binary found, beginning to download it");
  const { phase } = board.current;
  board.update({ phase: "downloading" });
  try {
    await step(signal, "cannot download binary", () => fetchPlan(shared, plan, signal));
  } catch (cause) {
    throw signal.aborted ? cause : lacking(messageOf(cause), shared, plan);
  }
  board.update({ phase, progress: null });
  log("info", "downloading binary complete");
  const after = problemOf(program, machine.files);
  if (after !== undefined) throw new StepFailure(`downloaded binary doesn't check out: ${after}`);
  return program;
}

/** It ends here: its last line has what to do before the next start. */
function lacking(why: string, { machine, settings, board, starts: { start } }: Shared, plan: Plan): StepFailure {
  const lack = lackOf(machine.files, settings, plan, why);
  board.update({ next: lack ? [lack.next, start] : [start] });
  if (lack) return new StepFailure(`${lack.problem}. Next: ${lack.next}`);
  return new StepFailure(`${why}; the handler that the plan pins is staged by now. Next: ${start}`);
}

async function step(signal: AbortSignal, what: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    // It ended since it was to: no failure of the step.
    requireGoingOn(signal);
    if (cause instanceof StepFailure) throw cause;
    throw new StepFailure(what === "" ? messageOf(cause) : `${what}: ${messageOf(cause)}`);
  }
}

/** The next start makes what is not done. @throws StepFailure */
function requireGoingOn(signal: AbortSignal): void {
  if (signal.aborted) throw new StepFailure("stopped by a signal before the switch was made", 0);
}
