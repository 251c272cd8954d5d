/**
 * Is a node ready for its scheduled plan? The only definition: status, doctor, plan, prepare, preflight, metrics and the page all use
 * it. What is not known is not ready.
 */
import type { Readiness, VisorStatus } from "./status.js";

/** Exit status of every command that found a node that is not ready. */
export const NOT_READY_EXIT = 30;

export const isLacking = ({ state }: Readiness): boolean => state !== "ready" && state !== "skipped";

/** Nothing is lacking of what was looked at, and something was. */
export const isReady = (readiness: readonly Readiness[]): boolean => readiness.length > 0 && !readiness.some(isLacking);

/** Of a plan whose program already makes its block, nothing is lacking any more. */
export const lackingIn = ({ phase, readiness }: Pick<VisorStatus, "phase" | "readiness">): readonly Readiness[] =>
  phase === "migrating" ? [] : readiness.filter(isLacking);

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
export function verdictOf({ plan, phase, readiness }: Pick<VisorStatus, "plan" | "phase" | "readiness">): Verdict {
  if (phase === "failed") return "not ready";
  if (plan === null) return "none";
  if (phase === "migrating") return "ready";
  return isReady(readiness) ? "ready" : "not ready";
}
