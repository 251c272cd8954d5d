/**
 * Messages run on less of the native stack than a block has, and the results compared. Recursion inside a module is seen
 * by nobody, and a module may catch the engine's refusal: its result then depends on where the engine refuses, so it is another
 * one on another stack. A message whose kind promises `isBounded` needs no trial.
 */
import type { CacheMultiStore } from "../branch/kv/cache-multi-store.js";
import { writesDigest } from "../branch/kv/writes-digest.js";
import { toHex } from "../bytes.js";
import { onPartOfStack, withinEngineLimits } from "../engine-limit.js";
import { UpgradeError } from "../errors.js";
import type { Sha256 } from "../types.js";
import { describeError } from "../values/tx-error.js";

/** What messages did to a branch. `Event`: of the chain. */
export interface MessagesRun<Event> {
  readonly branch: CacheMultiStore;
  readonly events: readonly Event[];
  readonly gasUsed: bigint;
  /** The encoded responses, or what was thrown. */
  readonly outcome: { readonly data: Uint8Array } | { readonly error: unknown };
}

/** @throws UpgradeError UPG_BUG_ENGINE_LIMIT when a part of the stack is too little */
export function tryOnStack<Event>(part: "half" | "quarter", run: () => MessagesRun<Event>): MessagesRun<Event> {
  return withinEngineLimits(() => {
    const done = onPartOfStack(part, run);
    // Also when the messages caught it, or another error has it as its cause.
    if ("error" in done.outcome) describeError(done.outcome.error);
    return done;
  });
}

/** Of everything that the block's hash or a client can see. */
export function digestOf({ branch, events, gasUsed, outcome }: MessagesRun<unknown>, sha256: Sha256): string {
  if ("error" in outcome) {
    const { code, codespace } = describeError(outcome.error);
    return JSON.stringify([codespace, code, String(gasUsed)]);
  }
  const writes = branch.written().map(([name, store]) => [name, toHex(writesDigest(store, sha256))]);
  return JSON.stringify([toHex(outcome.data), String(gasUsed), events, writes]);
}

/** @throws UpgradeError UPG_BUG_ENGINE_LIMIT */
export function requireSame(digest: string, onLess: string): void {
  if (digest === onLess) return;
  throw new UpgradeError(
    "UPG_BUG_ENGINE_LIMIT",
    "a transaction's messages give another result on a part of the stack, so another node could decide otherwise. A module catches " +
      "the engine's RangeError, or reads what no block has (a clock, random numbers, its own variables). The node stops before " +
      "the block is committed; correct the module",
  );
}
