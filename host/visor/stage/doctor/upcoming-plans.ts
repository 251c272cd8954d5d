/** Upcoming upgrades, by what is on disk: the plan of the node, the heights of operators, and the program of each. */
import { join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { type MachineName, programProblem } from "../../../node/programs/executable.js";
import { Layout } from "../../../node/programs/layout.js";
import { isPassed } from "../../decide/decision/decide.js";
import { readPassed } from "../../decide/decision/past-plans-file.js";
import { placesOf } from "../../decide/decision/paths.js";
import { type Plan, planIn, readPlanFile } from "../../decide/decision/plan-file.js";
import { isSame, isSamePlan, readQueue } from "../../decide/decision/queue.js";
import { returnedHeights } from "../../decide/decision/returned.js";
import type { NodeFacts } from "../../decide/heights/node-facts.js";
import type { Settings } from "../../decide/settings.js";
import type { Readiness } from "../../decide/status.js";
import { nextCommand, orHandler, pinnedHandler, staged } from "../plan-way.js";

export interface UpcomingPlan {
  readonly name: string;
  readonly height: bigint;
  readonly info: string;
  /** `chain`: the node wrote it when it reached the height; `operator`: add-upgrade, or a batch of Cosmovisor's. */
  readonly origin: "chain" | "operator";
  /** Where it is looked for. */
  readonly program: string;
  /** Why it cannot be run, in words; undefined: it can, as far as can be seen. */
  readonly problem: string | undefined;
  /** The program's file, or, in words, why none is needed. */
  readonly by: string;
  /** Of a problem: the command that fits. */
  readonly next: string;
}

/** What the sidecar that runs has of the node. */
export interface Scheduled {
  readonly plan: Plan;
  readonly origin: "chain" | "operator";
  readonly readiness: readonly Readiness[];
}

export interface UpcomingPlans {
  /** That brought the current program; undefined: genesis. */
  readonly current: Plan | undefined;
  /** By height. */
  readonly plans: readonly UpcomingPlan[];
  /** Plans that are passed over: each with the reason, in words. */
  readonly past: readonly string[];
  /** Files that cannot be read as such, in words. */
  readonly problems: readonly string[];
}

/** Of the node; what is absent is not known. */
export interface NodeSays {
  /** By the sidecar that runs. */
  readonly scheduled?: Scheduled | undefined;
  /** By the state of the home. */
  readonly chain?: Plan | undefined;
  readonly node?: NodeFacts | undefined;
}

/** @throws what the system says */
export function upcomingPlans(
  files: Files,
  settings: Settings,
  machine: MachineName,
  { scheduled, chain, node = { isOurs: false, reached: undefined } }: NodeSays,
): UpcomingPlans {
  const { home, root, isCaseKept } = settings;
  const current = planIn(files, join(root, "current", "upgrade-info.json"), isCaseKept);
  const file = join(home, "data", "upgrade-info.json");
  const written = readPlanFile(files, file, isCaseKept);
  const queue = readQueue(files, settings);
  const all = [
    ...(written.kind === "plan" ? [{ ...written.plan, origin: "chain" as const }] : []),
    ...(chain ? [{ ...chain, origin: "chain" as const }] : []),
    ...(scheduled ? [{ ...scheduled.plan, origin: scheduled.origin }] : []),
    ...queue.plans.map((plan) => ({ ...plan, origin: "operator" as const })),
  ];
  const { passedFile, returnedFile } = placesOf(settings);
  const facts = {
    ...{ ...node, current, scheduled, chain },
    passed: readable(() => readPassed(files, passedFile)),
    returned: readable(() => returnedHeights(files, returnedFile)),
  };
  const past: string[] = [];
  const plans = all.filter((plan, at) => {
    const reason = whyPast(plan, facts) ?? (all.slice(0, at).some((other) => isSamePlan(other, plan)) ? "" : undefined);
    if (reason) past.push(reason);
    return reason === undefined;
  });
  const ahead = plans.map((plan) => withProgram(plan, files, settings, machine, scheduled));
  const torn = written.kind === "torn" ? [`${file} is no plan yet: ${written.why}`] : [];
  return {
    ...{ current, past: [...new Set(past)], problems: [...torn, ...queue.problems] },
    plans: ahead.toSorted((a, b) => (a.height < b.height ? -1 : a.height > b.height ? 1 : 0)),
  };
}

/** A file that cannot be read passes over nothing; `chainvisor run` says what is wrong with it. */
function readable<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

interface PastFacts extends NodeFacts {
  readonly current: Plan | undefined;
  readonly passed: readonly Plan[];
  readonly returned: readonly bigint[];
  readonly scheduled: Scheduled | undefined;
  readonly chain: Plan | undefined;
}

/** As the sidecar judges it: after a rollback the node is before plans that it had passed. */
function whyPast({ origin, ...plan }: Known, facts: PastFacts): string | undefined {
  const { current, scheduled, chain } = facts;
  const { name, height } = plan;
  // What the state has scheduled is ahead, whatever program an operator has linked meanwhile.
  if (chain && isSamePlan(chain, plan)) return undefined;
  const isAhead = scheduled !== undefined && isSamePlan(scheduled.plan, plan);
  if (!isAhead && isPassed({ ...facts, haltedFor: undefined, ended: undefined }, { plan, origin }))
    return `"${name}" at height ${height} is done or was skipped: the node has gone beyond it`;
  if (!isAhead && facts.returned.includes(height))
    return `"${name}" at height ${height} is skipped: the node went on there with the program before`;
  if (!current) return undefined;
  if (isSame(name, current.name)) return `"${name}" brought the program that runs`;
  if (height > current.height) return undefined;
  return `"${name}" at height ${height} is not after "${current.name}" at height ${current.height}, whose program runs`;
}

type Known = Pick<UpcomingPlan, "name" | "height" | "info" | "origin">;

function withProgram(
  { name, height, info, origin }: Known,
  files: Files,
  settings: Settings,
  machine: MachineName,
  scheduled: Scheduled | undefined,
): UpcomingPlan {
  const { home, name: own, isCaseKept } = settings;
  const layout = new Layout({ home, name: own, program: undefined, upgrades: new Map(), own: "", isCaseKept, files });
  const program = layout.of(name).file;
  const known = { name, height, info, origin, program };
  const problem = programProblem(files, program, machine);
  if (problem === undefined || files.linkFacts(program)) {
    return { ...known, problem, by: program, next: nextCommand(known, undefined) };
  }
  const pinned = pinnedHandler(files, home, known);
  const by = pinned?.file === undefined ? bySidecar(known, scheduled) : staged({ ...pinned, file: pinned.file });
  const next = nextCommand(known, pinned);
  if (by !== undefined) return { ...known, problem: undefined, by, next };
  return { ...known, problem: pinned ? `${problem}; ${orHandler(pinned)}` : problem, by: program, next };
}

/** It has asked the program that runs, which may need no other. */
function bySidecar({ name, height }: Known, scheduled: Scheduled | undefined): string | undefined {
  if (!scheduled || !isSamePlan(scheduled.plan, { name, height })) return undefined;
  return scheduled.readiness.find(({ what, state }) => what === "program" && state === "ready")?.detail;
}
