/** What can be known of a home while no sidecar runs there: from its files alone, without a promise that they stay as they are. */

import { basename, join, relative, resolve } from "node:path";
import { messageOf } from "../../errors.js";
import { Layout, type Program } from "../../programs/layout.js";
import { parseUpgradeInfo } from "../../upgrade/upgrade-info.js";
import type { Machine } from "../machine.js";
import type { Settings } from "../settings.js";
import type { PlanStatus, Readiness, VisorStatus } from "../status.js";
import { haltRecordOf } from "./node-form.js";

const PLAN_BYTES_MAX = 1_048_576;

interface StatusCommandMachine {
  readonly files: Machine["files"];
  readonly clock: Pick<Machine["clock"], "wall">;
}

type Known = Pick<Settings, "home" | "root" | "name" | "isCaseKept">;

export function statusFromDisk(settings: Known, machine: StatusCommandMachine): VisorStatus {
  const { home } = settings;
  const layout = new Layout({
    ...{ home, name: settings.name, program: undefined, upgrades: new Map(), own: settings.name },
    ...{ isCaseKept: settings.isCaseKept, files: machine.files },
  });
  const current = orProblem(() => currentOf(settings, machine.files));
  const plan = planOf(`${home}/data/upgrade-info.json`, machine.files);
  const halt = haltRecordOf(home, machine.files);
  const isDone = plan && typeof current !== "string" && isPast(plan, current, settings.root, machine.files);
  const due = plan && !isDone ? plan : null;
  return {
    v: 1,
    phase: "stopped",
    since: new Date(machine.clock.wall()).toISOString(),
    program: typeof current === "string" ? null : { name: current.name, file: current.file, pid: null },
    height: halt ? { value: halt.last_committed_height, source: "store" } : null,
    plan: due,
    ...{ eta: null, progress: null, upgrades: 0, restarts: 0 },
    readiness: due ? [programReadiness(due, layout, machine.files)] : [],
    message: messageFor(current, halt?.message),
    next: nextFor(current, halt?.commands),
  };
}

const RUN = "chainvisor run start";

/** As `current` links to it, else that of genesis, without a link or a mode that is changed. @throws Error in words */
function currentOf({ root, name }: Known, files: Machine["files"]): Program {
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

function messageFor(current: Program | string, halt: string | undefined): string {
  const words = [typeof current === "string" ? current : "", halt ? `The node ended: ${halt}` : ""];
  return ["No sidecar runs on this home; this is what its files say.", ...words].filter(Boolean).join(" ");
}

const nextFor = (current: Program | string, commands: readonly string[] = []): readonly string[] =>
  typeof current === "string" ? ["chainvisor init PROGRAM"] : [RUN, ...commands];

function programReadiness(plan: PlanStatus, layout: Layout, files: Machine["files"]): Readiness {
  const program = orProblem(() => layout.of(plan.name));
  if (typeof program === "string") return { what: "program", state: "wrong", detail: program, next: null };
  const problem = problemOf(program.file, files);
  if (problem === undefined) return { what: "program", state: "ready", detail: program.file, next: null };
  return { what: "program", state: "missing", detail: problem, next: "chainvisor prepare" };
}

/** The plan that the application wrote last; a half-written file says nothing. */
function planOf(path: string, files: Machine["files"]): PlanStatus | undefined {
  try {
    const bytes = files.read(path, PLAN_BYTES_MAX);
    const plan = bytes && parseUpgradeInfo(bytes);
    return plan && { name: plan.name, height: String(plan.height), info: plan.info ?? "", origin: "chain" };
  } catch {
    return undefined;
  }
}

/** Is the program that runs that of this plan, or of a later one? */
function isPast(plan: PlanStatus, { name, folder }: Program, root: string, files: Machine["files"]): boolean {
  if (folder === undefined || folder === "genesis") return false;
  if (decodedName(name).toLowerCase() === plan.name.toLowerCase()) return true;
  const own = planOf(`${root}/${folder}/upgrade-info.json`, files);
  return own !== undefined && BigInt(own.height) >= BigInt(plan.height);
}

/** Folders have names as in addresses. */
function decodedName(folder: string): string {
  try {
    return decodeURIComponent(folder);
  } catch {
    return folder;
  }
}

function orProblem<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return messageOf(error);
  }
}
