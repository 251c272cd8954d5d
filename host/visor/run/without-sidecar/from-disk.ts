/**
 * What can be known of a home while no sidecar runs there: the very decision that `chainvisor run` would begin with, from the same
 * files. Nothing is written; the program of a plan is asked for its version and by `pre-upgrade`, which change nothing.
 */

import { basename, join, relative, resolve } from "node:path";
import { isUpgradeError, messageOf } from "../../../base/errors/errors.js";
import { interruptedRollback } from "../../../node/home/data-copies.js";
import { chainvisorFor } from "../../../node/home/supervised-start.js";
import { Layout, type Program } from "../../../node/programs/layout.js";
import { lostLink } from "../../../node/programs/lost-link.js";
import type { HaltRecord } from "../../../upgrade/module/halt.js";
import { backupReadiness } from "../../backup/space-check.js";
import { childEnv } from "../../decide/child-env.js";
import { type Decision, firstOf } from "../../decide/decision/decide.js";
import { placesOf } from "../../decide/decision/paths.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { type FailureRecord, readFailure } from "../../decide/failure-record.js";
import { nodeFacts } from "../../decide/heights/node-facts.js";
import { askRpc } from "../../decide/heights/node-status.js";
import type { Machine } from "../../decide/machine.js";
import { isLacking } from "../../decide/readiness.js";
import type { Settings } from "../../decide/settings.js";
import type { Readiness, VisorStatus } from "../../decide/status.js";
import { planStatus } from "../../decide/unseen-plan.js";
import { earlyProblem, linkedPlan } from "../../stage/current-link.js";
import { foreignTo } from "../../stage/files-readiness.js";
import { currentFits, needsOtherProgram, otherProgram, unfitIn } from "../../stage/other-program.js";
import { planInState } from "../../stage/plan-in-state.js";
import { nextCommand, pinnedHandler } from "../../stage/plan-way.js";
import { stagePlan } from "../../stage/stage-plan.js";
import { commandsAfter, lastStart, ofLastSupervisor } from "../../stage/start-command.js";
import { Board } from "../../status/board.js";
import { haltRecordOf } from "../../status/node-form.js";
import { Observations } from "../loop/observations.js";

/** Never rejects. @param silentPid of a sidecar that runs and does not respond; undefined: none runs */
export async function statusFromDisk(settings: Settings, real: Machine, silentPid?: string): Promise<VisorStatus> {
  const begin = silentPid === undefined ? NONE_RUNS : silentText(silentPid);
  const files = { ...real.files, chmod: () => undefined };
  const machine: Machine = { ...real, files };
  const { home, name, isCaseKept } = settings;
  const layout = new Layout({ home, name, program: undefined, upgrades: new Map(), own: name, isCaseKept, files });
  const board = new Board(machine.clock);
  const halt = haltRecordOf(home, files);
  const starts = lastStart(files, placesOf(settings).startFile, settings);
  const interrupted = interruptedRollback(files, settings);
  if (interrupted) {
    board.update({ phase: "failed", message: `${begin} ${interrupted.detail}.`, next: [interrupted.next] });
    return board.current;
  }
  try {
    const current = currentOf(settings, files);
    const { name: folder, file } = current;
    const look = new Observations({
      ...{ settings, args: [], env: {}, machine, board, askRpc, layout, places: placesOf(settings) },
      ...{
        starts,
        childEnv: childEnv({ settings, env: {} }),
        signal: new AbortController().signal,
        log: () => undefined,
      },
    });
    const decision = await look.decideBeforeStart(current);
    const reached = await look.heights.ofHome(look.isOurs, undefined);
    const inState = await planInState(files, settings);
    const { restartsFor } = look;
    const made = restartsFor && { plan: restartsFor, origin: "chain" as const };
    const pending = decision.kind === "switch" ? decision : (made ?? firstOf(decision.pending, inState));
    const asked = { settings, real, program: current, isOurs: look.isOurs, start: starts.start };
    const fit = decision.kind === "switch" ? undefined : await currentFit(asked);
    const planned = pending ? await stagedReadiness(settings, real, pending.plan, fit?.asked) : [];
    // Without a plan ahead nothing is to be done before the start.
    const isShown = fit?.row && (fit.fits === "no" || pending);
    const isSaid = (each: Readiness) => unfitIn(each) !== undefined || each.detail === fit?.row?.detail;
    const readiness = isShown && fit.row ? [fit.row, ...planned.filter((each) => !isSaid(each))] : planned;
    const lacks = readiness.find((each) => isLacking(each) && each.next !== null)?.next ?? undefined;
    const kept = readFailure(files, placesOf(settings).failureFile);
    const isThereNow = pending
      ? lacks === undefined && isForLackOf(kept, pending.plan, settings, files)
      : fit !== undefined && fit.fits !== "no" && halt !== undefined && needsOtherProgram(halt.code);
    const failed = isThereNow ? undefined : kept;
    const open = isThereNow ? undefined : halt;
    const other = decision.kind === "switch" ? undefined : otherProgram(open, { settings, files });
    board.update({
      ...{ phase: failed || isHaltOfFailure(open) ? "failed" : "stopped", program: { name: folder, file, pid: null } },
      height: reached ? { value: String(reached.height), source: reached.source } : null,
      plan: pending ? planStatus(pending) : null,
      readiness,
      message: messageFor(begin, { decision, restartsFor, failed, halt }),
      // Nothing that is started goes on without what is missing.
      next:
        lacks === undefined
          ? nextWithout(starts.start, { failed, halt: open, other })
          : [...new Set([lacks, starts.start])],
    });
  } catch (error) {
    const failed = readFailure(files, placesOf(settings).failureFile);
    const message = [begin, failed ? failureText(failed) : messageOf(error)].join(" ");
    const next = failed && failed.next.length > 0 ? failed.next : ["chainvisor doctor"];
    // Damaged files of its own: no start succeeds.
    board.update({ phase: failed || isUpgradeError(error) ? "failed" : "stopped", message, next });
  }
  return board.current;
}

/** Ends that an upgrade or an operator has asked for. */
const ORDINARY: ReadonlySet<string> = new Set(["UPG_HALT_UPGRADE_NEEDED", "UPG_HALT_RESTART", "UPG_HALT_HEIGHT"]);

/** The node ended by itself, and has made no block since. */
export const isHaltOfFailure = (halt: HaltRecord | undefined): halt is HaltRecord =>
  halt !== undefined && !ORDINARY.has(halt.code);

const NONE_RUNS = "No sidecar runs on this home; this is what its files say.";
const silentText = (pid: string) =>
  `chainvisor (pid ${pid}) runs on this home and does not respond; this is what the files say.`;

const failureText = ({ exit, time, message }: FailureRecord) =>
  `The sidecar ended by itself with ${exit}, at ${time}: ${message.replace(/\.+$/, "")}.`;

interface Situation {
  readonly decision: Decision;
  readonly restartsFor: Plan | undefined;
  readonly failed: FailureRecord | undefined;
  readonly halt: HaltRecord | undefined;
}

function messageFor(begin: string, { decision, restartsFor, failed, halt }: Situation): string {
  const due =
    decision.kind === "switch"
      ? `The plan is due, and the next start switches to its program: ${decision.why}.`
      : restartsFor
        ? "The plan is due, and the next start makes its block with the same program."
        : "";
  return [begin, failed ? failureText(failed) : "", due, halt ? `The node ended: ${haltWords(halt)}` : ""]
    .filter(Boolean)
    .join(" ");
}

/** The sidecar ended since a file was missing. When it is there, what the sidecar said leads nowhere any more. */
function isForLackOf(
  failed: FailureRecord | undefined,
  plan: Plan,
  settings: Settings,
  files: Machine["files"],
): boolean {
  const way = nextCommand(plan, pinnedHandler(files, settings.home, plan), chainvisorFor(settings));
  return failed?.next[0] === way;
}

/** The message; where the record has no command to paste, also its line on what to do next. */
export const haltWords = ({ message, next, commands }: HaltRecord): string =>
  commands.length > 0 ? message : `${message.replace(/\.$/, "")}. ${next}`;

/** What a sidecar that failed has said leads out; a start alone would end as the last one did. */
function nextWithout(
  start: string,
  { failed, halt, other }: Pick<Situation, "failed" | "halt"> & { readonly other: string | undefined },
): readonly string[] {
  if (failed && failed.next.length > 0) return failed.next;
  return commandsAfter(halt, [start], other);
}

/** As `current` links to it, else that of genesis, without a link that is made. @throws Error in words */
function currentOf({ root, name }: Settings, files: Machine["files"]): Program {
  const link = join(root, "current");
  const lost = lostLink(files, root);
  if (lost) throw new Error(lost.problem);
  const target = files.linkFacts(link) ? files.readLink(link) : "genesis";
  const folder = relative(root, resolve(root, target));
  const file = join(root, folder, "bin", name);
  const problem = problemOf(file, files);
  if (problem !== undefined) throw new Error(problem);
  return { name: basename(folder), file, folder };
}

function problemOf(file: string, files: Machine["files"]): string | undefined {
  const found = files.facts(file);
  if (!found) return `${file} is missing`;
  return found.kind === "file" ? undefined : `${file} is no regular file`;
}

interface CurrentOf {
  readonly settings: Settings;
  readonly real: Machine;
  readonly program: Program;
  readonly isOurs: boolean;
  /** Command that starts the sidecar. */
  readonly start: string;
}

/** The program that the next start begins with may be too old for the state. Never throws. */
const currentFit = ({ settings, real, program, isOurs, start }: CurrentOf) =>
  currentFits(
    {
      ...{ settings, program, isOurs, home: settings.home, files: real.files, processes: real.processes },
      ...{ env: childEnv({ settings, env: process.env }), signal: new AbortController().signal },
    },
    start,
  );

/**
 * What the plan needs, by what is there: nothing is fetched, changed or removed. Never throws.
 * @param saidByCurrent what the current program has said a moment ago; undefined: it is asked where that is needed
 */
export async function stagedReadiness(
  given: Settings,
  real: Machine,
  plan: Plan,
  saidByCurrent?: Readiness,
): Promise<readonly Readiness[]> {
  const settings = ofLastSupervisor(real.files, given);
  const nothing = () => undefined;
  const machine: Machine = { ...real, files: { ...real.files, chmod: nothing, remove: nothing } };
  const linked = linkedPlan(machine.files, settings);
  const { reached } = await nodeFacts({ files: machine.files, settings, sidecar: undefined });
  const chain = await planInState(machine.files, settings);
  const early = earlyProblem(machine.files, settings, reached?.height, chain?.plan, linked);
  const { readiness } = await stagePlan({
    ...{ settings: { ...settings, isDownloadAllowed: false }, machine, plan, isReadOnly: true },
    ...{ env: childEnv({ settings, env: process.env }), signal: new AbortController().signal },
    ...{ log: nothing, onProgress: nothing, saidByCurrent },
  });
  const all = [...readiness, await backupFrom(settings, real)];
  if (!early) return all;
  return [...all, { what: "current", state: "wrong", detail: early.problem, next: early.next }];
}

/** Permissions of the user who asks say nothing of the node's. */
async function backupFrom(settings: Settings, real: Pick<Machine, "files">): Promise<Readiness> {
  const found = await backupReadiness({ settings, machine: real }, false);
  return found.state === "wrong" && foreignTo(real.files, settings) ? { ...found, state: "unknown" } : found;
}
