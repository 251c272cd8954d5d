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

/** `none`: no plan is known, and nothing has failed. */
export type Verdict = "none" | "ready" | "not ready";

/** Also of a sidecar that does not run, by what its files say. */
export function verdictOf({ plan, phase, readiness }: Pick<VisorStatus, "plan" | "phase" | "readiness">): Verdict {
  if (phase === "failed") return "not ready";
  if (plan === null) return "none";
  return isReady(readiness) ? "ready" : "not ready";
}
