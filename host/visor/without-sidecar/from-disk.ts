/**
 * What can be known of a home while no sidecar runs there: the very decision that `chainvisor run` would begin with, from the same
 * files. Nothing is written, and no process is started.
 */
import { basename, join, relative, resolve } from "node:path";
import { messageOf } from "../../errors.js";
import { Board } from "../../panel/board.js";
import { haltRecordOf } from "../../panel/node-form.js";
import { Layout, type Program } from "../../programs/layout.js";
import type { Decision, Pending } from "../../sidecar/decision/decide.js";
import { placesOf } from "../../sidecar/decision/place.js";
import { askRpc } from "../../sidecar/heights/node-status.js";
import type { Machine } from "../../sidecar/machine.js";
import type { Settings } from "../../sidecar/settings.js";
import type { Readiness, VisorStatus } from "../../sidecar/status.js";
import { childEnv } from "../run/child-env.js";
import { Look } from "../run/look.js";

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
    board.update({
      ...{ phase: "stopped", program: { name: folder, file, pid: null } },
      height: reached ? { value: String(reached.height), source: reached.source } : null,
      plan: pending ? planStatus(pending) : null,
      readiness: pending ? [programReadiness(pending, layout, files)] : [],
      message: messageFor(decision, halt?.message),
      next: [RUN, ...(halt?.commands ?? [])],
    });
  } catch (error) {
    board.update({ phase: "stopped", message: `${NONE_RUNS} ${messageOf(error)}`, next: ["chainvisor doctor"] });
  }
  return board.current;
}

const NONE_RUNS = "No sidecar runs on this home; this is what its files say.";

function messageFor(decision: Decision, halt: string | undefined): string {
  const due =
    decision.kind === "switch" ? `The plan is due, and the next start switches to its program: ${decision.why}.` : "";
  return [NONE_RUNS, due, halt ? `The node ended: ${halt}` : ""].filter(Boolean).join(" ");
}

/** As `current` links to it, else that of genesis, without a link that is made. @throws Error in words */
function currentOf({ root, name }: Settings, files: Machine["files"]): Program {
  const link = join(root, "current");
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

function programReadiness({ plan }: Pending, layout: Layout, files: Machine["files"]): Readiness {
  const { file } = layout.of(plan.name);
  const problem = problemOf(file, files);
  if (problem === undefined) return { what: "program", state: "ready", detail: file, next: null };
  return { what: "program", state: "missing", detail: problem, next: "chainvisor prepare" };
}

const planStatus = ({ plan: { name, height, info }, origin }: Pending) => ({
  ...{ name, height: String(height), info, origin },
});
