/**
 * What can be known of a home while no sidecar runs there: the very decision that `chainvisor run` would begin with, from the same
 * files. Nothing is written, and no process is started.
 */

import { basename, join, relative, resolve } from "node:path";
import { messageOf } from "../../errors.js";
import { Board } from "../../panel/board.js";
import { haltRecordOf } from "../../panel/node-form.js";
import { Layout, type Program } from "../../programs/layout.js";
import { lostLink } from "../../programs/lost-link.js";
import type { Decision, Pending } from "../../sidecar/decision/decide.js";
import { placesOf } from "../../sidecar/decision/place.js";
import { askRpc } from "../../sidecar/heights/node-status.js";
import type { Machine } from "../../sidecar/machine.js";
import type { Settings } from "../../sidecar/settings.js";
import type { Readiness, VisorStatus } from "../../sidecar/status.js";
import { hasDownload, nextCommand, orHandler, pinnedHandler, staged } from "../../staging/plan-way.js";
import { layoutOf } from "../../staging/stage-plan.js";
import { childEnv } from "../run/child-env.js";
import { Look } from "../run/look.js";
import { type FailureRecord, readFailure } from "./failure-record.js";

const RUN = "chainvisor run start";

/** Never rejects. */
export async function statusFromDisk(settings: Settings, real: Machine): Promise<VisorStatus> {
  const files = { ...real.files, chmod: () => undefined };
  const machine: Machine = { ...real, files };
  const { home, name, isCaseKept } = settings;
  const layout = new Layout({ home, name, program: undefined, upgrades: new Map(), own: name, isCaseKept, files });
  const board = new Board(machine.clock);
  const halt = haltRecordOf(home, files);
  try {
    const current = currentOf(settings, files);
    const { name: folder, file } = current;
    const look = new Look({
      ...{ settings, args: [], env: {}, machine, board, askRpc, layout, places: placesOf(settings) },
      ...{ childEnv: childEnv({ settings, env: {} }), signal: new AbortController().signal, log: () => undefined },
    });
    const decision = await look.beforeStart(current);
    const reached = await look.heights.ofHome(look.isOurs, undefined);
    const pending = decision.kind === "switch" ? decision : decision.pending;
    const readiness = pending ? programReadiness(pending, settings, files) : undefined;
    const lacks = readiness?.next ?? undefined;
    const failed = readFailure(files, placesOf(settings).failureFile);
    board.update({
      ...{ phase: failed ? "failed" : "stopped", program: { name: folder, file, pid: null } },
      height: reached ? { value: String(reached.height), source: reached.source } : null,
      plan: pending ? planStatus(pending) : null,
      readiness: readiness ? [readiness] : [],
      message: messageFor(decision, failed, halt?.message),
      // Nothing that is started goes on without what is missing.
      next: lacks === undefined ? nextWithout(readiness, failed, halt?.commands) : [lacks, RUN],
    });
  } catch (error) {
    const failed = readFailure(files, placesOf(settings).failureFile);
    const message = [NONE_RUNS, failed ? failureText(failed) : messageOf(error)].join(" ");
    const next = failed && failed.next.length > 0 ? failed.next : ["chainvisor doctor"];
    board.update({ phase: failed ? "failed" : "stopped", message, next });
  }
  return board.current;
}

const NONE_RUNS = "No sidecar runs on this home; this is what its files say.";

const failureText = ({ exit, time, message }: FailureRecord) =>
  `The sidecar ended by itself with ${exit}, at ${time}: ${message}.`;

function messageFor(decision: Decision, failed: FailureRecord | undefined, halt: string | undefined): string {
  const due =
    decision.kind === "switch" ? `The plan is due, and the next start switches to its program: ${decision.why}.` : "";
  return [NONE_RUNS, failed ? failureText(failed) : "", due, halt ? `The node ended: ${halt}` : ""]
    .filter(Boolean)
    .join(" ");
}

/** Where the plan that it failed for is in no file, what it said then is what is known. */
function nextWithout(
  readiness: Readiness | undefined,
  failed: FailureRecord | undefined,
  commands: readonly string[] = [],
): readonly string[] {
  return !readiness && failed && failed.next.length > 0 ? failed.next : [RUN, ...commands];
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

function programReadiness({ plan }: Pending, settings: Settings, files: Machine["files"]): Readiness {
  const { file } = layoutOf({ settings, machine: { files } }).of(plan.name);
  const problem = problemOf(file, files);
  const what = "program";
  if (problem === undefined) return { what, state: "ready", detail: file, next: null };
  const pinned = files.facts(file) ? undefined : pinnedHandler(files, settings.home, plan);
  if (pinned?.file !== undefined)
    return { what, state: "ready", detail: staged({ ...pinned, file: pinned.file }), next: null };
  const next = hasDownload(plan) ? "chainvisor prepare" : nextCommand(plan, pinned);
  if (!pinned) return { what, state: "missing", detail: problem, next };
  return { what: "handler", state: "missing", detail: `${problem}; ${orHandler(pinned)}`, next };
}

const planStatus = ({ plan: { name, height, info }, origin }: Pending) => ({
  ...{ name, height: String(height), info, origin },
});
