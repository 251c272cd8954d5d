/**
 * Is a node ready for its scheduled plan? The only definition: status, doctor, plan, prepare, preflight, metrics and the page all use
 * it. What is not known is not ready.
 */
import { BEFORE_HEIGHT, type Phase, type Readiness, type VisorStatus } from "./status.js";

/** Exit status of every command that found a node that is not ready. */
export const NOT_READY_EXIT = 30;

export const isLacking = ({ state }: Readiness): boolean => state !== "ready" && state !== "skipped";

/** Nothing is lacking of what was looked at, and something was. */
export const isReady = (readiness: readonly Readiness[]): boolean => readiness.length > 0 && !readiness.some(isLacking);

/** What was in place before the height says nothing about these phases: the upgrade's block has not been made yet. */
const UNDER_WAY: ReadonlySet<Phase> = new Set<Phase>(["backing up", "switching", "migrating"]);

/** A halted node that lacks something waits for that; one that lacks nothing has still to make the block. */
export const isUnderWay = ({ phase, readiness }: Pick<VisorStatus, "phase" | "readiness">): boolean =>
  UNDER_WAY.has(phase) || (phase === "halted" && !readiness.some(isLacking));

/** What keeps the node from being ready for its plan; while the upgrade is under way, the block that is not made. */
export function lackingIn(status: Judged): readonly Readiness[] {
  if (isUnderWay(status)) return [blockNotMade(status)];
  const lacking = status.readiness.filter(isLacking);
  return isDown(status) ? [notRunning(status), ...lacking] : lacking;
}

type Judged = Pick<VisorStatus, "phase" | "readiness" | "plan" | "program" | "message">;

/** It ended by itself, and has not responded since: nobody knows whether it runs when the height comes. */
const isDown = ({ phase, program }: Judged): boolean =>
  phase === "starting" || (BEFORE_HEIGHT.has(phase) && program?.pid === null);

function notRunning({ message, phase }: Judged): Readiness {
  const what =
    phase === "starting" ? "the application was started, and has not responded yet" : "the application does not run";
  const detail = message === "" ? what : `${what}: ${message}`;
  return { what: "program", state: "wrong", detail, next: "chainvisor status --watch" };
}

function blockNotMade({ plan }: Pick<VisorStatus, "plan">): Readiness {
  const which = plan === null ? "the upgrade" : `the upgrade "${plan.name}"`;
  const detail = `${which} is under way, and its block has not been made yet`;
  return { what: "program", state: "unknown", detail, next: "chainvisor status --watch" };
}

/** The answer comes by itself in a few seconds: the sidecar reads the plan, or tries its program. */
export const isPending = ({ what, state, next }: Readiness): boolean =>
  state === "unknown" && (what === "plan" || (what === "program" && next === null));

const FRESH_MILLIS_MIN = 15_000;
const FRESH_MILLIS_MAX = 600_000;
/** Where nobody knows when the height comes. */
const FRESH_MILLIS_UNKNOWN = 60_000;

/**
 * How old a finding may be: what was in order may not be any more, and not every change shows in a file. A tenth of the time that is
 * left, so that what is reported before the height was looked at shortly before.
 */
export function freshMillis(eta: VisorStatus["eta"]): number {
  if (!eta) return FRESH_MILLIS_UNKNOWN;
  return Math.min(FRESH_MILLIS_MAX, Math.max(FRESH_MILLIS_MIN, eta.seconds * 100));
}

/** `none`: no plan is known, and nothing has failed. */
export type Verdict = "none" | "ready" | "not ready";

/** Also of a sidecar that does not run, by what its files say. */
export function verdictOf(status: Judged): Verdict {
  const { plan, phase, readiness } = status;
  if (phase === "failed" || isUnderWay(status)) return "not ready";
  if (plan === null) return "none";
  return isReady(readiness) && !isDown(status) ? "ready" : "not ready";
}
