/** What the end of the application means, where no plan is due. Pure. */
import type { ProcessEnd } from "../../sidecar/machine.js";
import { endText } from "../run/scripts.js";

export type AfterEnd =
  /** Nothing is left to do; `exit` is the sidecar's. */
  | { readonly kind: "finished"; readonly exit: number; readonly why: string }
  /** The same program again, at once. */
  | { readonly kind: "again"; readonly why: string }
  | { readonly kind: "crashed"; readonly exit: number; readonly why: string }
  /** The new version does not apply the upgrade: the operator's policy decides. */
  | { readonly kind: "refused"; readonly exit: number; readonly why: string }
  /** A start again would end the same way. */
  | { readonly kind: "failed"; readonly exit: number; readonly why: string };

/** Of this project's programs (docs/errors.md). */
const HALT_HEIGHT = 13;
const RESTART = 14;
const REFUSALS: ReadonlySet<number> = new Set([20, 21, 30]);
const LASTING: ReadonlyMap<number, string> = new Map([
  [2, "a setting, flag or file is wrong"],
  [10, "a plan is due, and the program that runs cannot make its block"],
  [11, "the program has the handler of a plan that is not due: run the old version until the height"],
  [12, "the program is too old for this state"],
  [18, "this node's state differs from the network's: a restart ends the same way"],
  [70, "a defect of the program"],
]);
const ANY_FAILURE = 1;

export interface EndContext {
  readonly isOurs: boolean;
  /** The height that it has come to is the operator's own `--halt-height`; false: the sidecar's. */
  readonly isOwnHeight: boolean;
}

export function afterEnd(end: ProcessEnd, { isOurs, isOwnHeight }: EndContext): AfterEnd {
  const { exit, error } = end;
  const text = endText(end);
  if (error) return { kind: "failed", exit: ANY_FAILURE, why: text };
  if (exit === 0) return { kind: "finished", exit, why: "the application has ended with 0" };
  if (!isOurs || exit === null) return { kind: "crashed", exit: exit ?? ANY_FAILURE, why: text };
  if (exit === RESTART) return { kind: "again", why: "it asks to be started again (14)" };
  if (exit === HALT_HEIGHT && !isOwnHeight)
    return { kind: "again", why: "the height that it was to stop at is no plan's any more (13)" };
  if (exit === HALT_HEIGHT) return { kind: "finished", exit, why: "the height of --halt-height is reached (13)" };
  if (REFUSALS.has(exit)) return { kind: "refused", exit, why: text };
  const lasting = LASTING.get(exit);
  return lasting === undefined
    ? { kind: "crashed", exit, why: text }
    : { kind: "failed", exit, why: `${text}: ${lasting}` };
}
