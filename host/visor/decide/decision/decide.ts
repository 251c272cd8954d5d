/**
 * Is another program to run? From what is on disk and how the application has ended, before every start, on a change of the plan
 * file, and on each end. Pure; the table of cases is its test.
 */
import type { Plan, PlanFile } from "./plan-file.js";

/** The greatest block that the node is known to have come to, made or refused. */
export interface Reached {
  readonly height: bigint;
  readonly source: "store" | "wal" | "rpc" | "status";
}

export interface Known {
  /** What `current` links to. */
  readonly current: {
    /** Of the folder, as plans are named. */
    readonly name: string;
    /** That it was brought by; undefined: `genesis`, or nothing says. */
    readonly plan: Plan | undefined;
  };
  readonly planFile: PlanFile;
  /** The home is one of this project's chains: its halt record says which plan it ended for. */
  readonly isOurs: boolean;
  /** Of the record: it ended since the program has no handler of this plan. */
  readonly haltedFor: Plan | undefined;
  /** Of the record: it ended at the plan's height, to open its stores when it is started again. */
  readonly restartsFor: Plan | undefined;
  /** The upgrade that the state was made by, once a program has exited since it is too old for that state. */
  readonly applied?: Plan | undefined;
  /** By add-upgrade --upgrade-height. */
  readonly operatorPlans: readonly Plan[];
  readonly skips: readonly bigint[];
  /** Programs that ran when these were due have made blocks after them: they are done, or were skipped. */
  readonly passed: readonly Plan[];
  /** Undefined: nothing says. */
  readonly reached: Reached | undefined;
  /** The greatest height that the node has said to this sidecar, in any run. */
  readonly seen: bigint | undefined;
  readonly isRunning: boolean;
  /** Undefined: it runs, or was not started yet. */
  readonly ended: Ended | undefined;
  /** Is the plan's program in its folder? */
  readonly isStaged: (plan: Plan) => boolean;
}

interface Ended {
  readonly isFailure: boolean;
  /** Our exit 12: this program is too old for the state. */
  readonly isTooOld: boolean;
  /** In this run, which it ended by itself. One that was killed may have written it long before. */
  readonly hasWrittenPlan: boolean;
  /** Runs in a row, this one the last, in which it wrote the plan file and ended before it said a height. */
  readonly silentRuns: number;
}

type Origin = "chain" | "operator";

export interface Pending {
  readonly plan: Plan;
  readonly origin: Origin;
}

export type Decision =
  | ({
      readonly kind: "switch";
      readonly why: string;
      /** The state has the plan's block: its program is linked, and there is no upgrade to make. */
      readonly isMade?: boolean;
    } & Pending)
  /** The current program goes on, or is started; `pending` is what it will be switched for. */
  | { readonly kind: "go-on"; readonly pending: Pending | undefined; readonly notes: readonly string[] };

/** The plan that comes first: that of the files, or the one that the chain has scheduled and no file has yet. */
export function firstOf(found: Pending | undefined, scheduled: Pending | undefined): Pending | undefined {
  if (found?.origin !== "operator" || !scheduled) return found ?? scheduled;
  return found.plan.height < scheduled.plan.height ? found : scheduled;
}

/** A node that cannot make the block of its upgrade writes the file and ends each time it is started, before it serves. */
const SILENT_RUNS_TO_BELIEVE = 2;

export function decide(known: Known): Decision {
  const notes: string[] = [];
  const pending = candidates(known).filter((each) => isAhead(known, each, notes));
  for (const each of pending) {
    const why = whyDue(known, each);
    if (why !== undefined) return { kind: "switch", why, ...each, ...(isMade(known, each) && { isMade: true }) };
  }
  return { kind: "go-on", pending: pending[0], notes };
}

/**
 * The operator's next plan whose block the current program has not gone beyond, and is not to make. Where that block is in CometBFT's
 * store nothing says whether the program ran it.
 */
export function operatorsNext(known: Known): Plan | undefined {
  const { reached } = known;
  const isNext = (each: Pending) =>
    each.origin === "operator" && isAhead(known, each, []) && (!reached || reached.height <= each.plan.height);
  return candidates(known).find(isNext)?.plan;
}

/** The chain's plan first: an operator's that is due at the same height is of the same block. */
function candidates({ planFile, haltedFor, applied, operatorPlans }: Known): Pending[] {
  const found: Pending[] = applied ? [{ plan: applied, origin: "chain" }] : [];
  // The record says it too where the file was not written, or is half of it.
  const written = planFile.kind === "plan" ? planFile.plan : undefined;
  if (haltedFor && haltedFor.height !== written?.height) found.push({ plan: haltedFor, origin: "chain" });
  if (written) found.push({ plan: written, origin: "chain" });
  const queued = operatorPlans.map((plan) => ({ plan, origin: "operator" as const }));
  return [...found, ...queued.sort((a, b) => (a.plan.height < b.plan.height ? -1 : 1))];
}

/** Is it a plan after the current one, whose block is not in a state that the current program goes on from? */
function isAhead(known: Known, pending: Pending, notes: string[]): boolean {
  const { current, skips } = known;
  const { plan } = pending;
  if (isSame(plan.name, current.name)) return false;
  if (current.plan && plan.height <= current.plan.height) {
    notes.push(
      `the plan "${plan.name}" at height ${plan.height} is passed over: ${current.name}, which runs, came at ${current.plan.height}`,
    );
    return false;
  }
  if (skips.includes(plan.height)) {
    notes.push(`the plan "${plan.name}" at height ${plan.height} is skipped, as the application's flags say`);
    return false;
  }
  if (known.restartsFor && isSame(known.restartsFor.name, plan.name)) {
    notes.push(`the plan "${plan.name}" at height ${plan.height} is made by ${current.name}, when it is started again`);
    return false;
  }
  if (!isPassed(known, pending)) return true;
  notes.push(`the plan "${plan.name}" at height ${plan.height} is done or was skipped: the node has gone beyond it`);
  return false;
}

/** What says whether the node is beyond a plan's block. */
export type PassedFacts = Pick<Known, "haltedFor" | "ended" | "reached" | "isOurs" | "passed">;

/** Is its block in a state that the current program goes on from? */
export function isPassed(known: PassedFacts, { plan, origin }: Pending): boolean {
  const { haltedFor, ended, reached, isOurs } = known;
  if (haltedFor && isSame(haltedFor.name, plan.name)) return false;
  // A program that is too old for the state says that the plan was made by another; one that writes it again is at its height again.
  if (ended?.isTooOld || (ended?.isFailure && ended.hasWrittenPlan)) return false;
  if (isOurs && origin === "chain") return isBlockMade(reached, plan);
  // After a rollback the node is at the height again.
  if (reached && reached.height <= plan.height) return false;
  return known.passed.some(({ name, height }) => isSame(name, plan.name) && height === plan.height);
}

/** In the state, of ours: CometBFT's log has a block before it is executed. A program that cannot go on from it says so itself. */
export function isBlockMade(reached: Reached | undefined, { height }: Plan): boolean {
  if (!reached) return false;
  return reached.source === "wal" ? reached.height > height : reached.height >= height;
}

/** A program that is too old for the state exited, and the plan's block is in that state: another program made it. */
function isMade({ haltedFor, ended, isOurs, reached }: Known, { plan, origin }: Pending): boolean {
  if (!isOurs || origin !== "chain" || !ended?.isTooOld) return false;
  return !(haltedFor && isSame(haltedFor.name, plan.name)) && isBlockMade(reached, plan);
}

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Undefined: it is not due, or nothing says so. */
function whyDue(known: Known, { plan, origin }: Pending): string | undefined {
  const { ended, reached } = known;
  const height = whyReached(reached, plan);
  if (origin === "operator") return height;
  if (known.isOurs) return height && whyAnother(known, plan, height);
  return height ?? (ended && wroteAndFailed(known, ended, plan));
}

/** Of our chains' programs some have the handler of a plan without having its name: a handler may be a file. */
function whyAnother(known: Known, plan: Plan, height: string): string | undefined {
  const { haltedFor, isRunning, ended } = known;
  if (haltedFor && isSame(haltedFor.name, plan.name)) return height;
  if (isRunning || !known.isStaged(plan)) return undefined;
  return !ended || ended.isTooOld ? height : undefined;
}

function whyReached(reached: Reached | undefined, { height }: Plan): string | undefined {
  if (!reached || reached.height < height) return undefined;
  return `the node has come to height ${reached.height} (${SOURCES[reached.source]})`;
}

const SOURCES: Readonly<Record<Reached["source"], string>> = {
  store: "its store",
  wal: "CometBFT's log",
  rpc: "its RPC",
  status: "its status command",
};

/**
 * x/upgrade writes the file in the plan's own block, and fails. Where nothing says a height, that is the evidence. Where a lower one is
 * known it is none, since other programs write the file ahead: but for a node that came by old blocks, which CometBFT's log does not
 * have, and now ends at each start.
 */
function wroteAndFailed({ reached, seen }: Known, ended: Ended, { height }: Plan): string | undefined {
  if (!ended.isFailure || !ended.hasWrittenPlan) return undefined;
  const heights = [reached?.height, seen].filter((each) => each !== undefined);
  if (heights.length === 0 || heights.some((each) => each >= height - 1n))
    return "the application wrote the plan and ended";
  if (ended.silentRuns < SILENT_RUNS_TO_BELIEVE) return undefined;
  return `the application wrote the plan and ended, ${ended.silentRuns} times in a row`;
}
