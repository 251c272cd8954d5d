/**
 * Runs code of modules on a small part of the native stack first, and compares the result with that on the whole stack. The host
 * cannot see recursion inside a module, and a module may catch the engine's refusal: its result then depends on where the engine
 * refuses. Messages and modules that promise `isBounded` need no trial.
 *
 * Two nodes commit different results only if the recursion fits in the part on one of them, and does not fit in the whole stack on
 * the other. The frames of the second must then be larger by the ratio of whole to part. The parts are absolute, so a larger
 * stack only increases this ratio. `npm run recursion` measures how much frames differ between a node that has optimized its code
 * and one that has not (`inlining.ts`).
 */

import { withinEngineLimits, withStackLeft } from "../../base/errors/engine-limit.js";
import { UpgradeError } from "../../base/errors/errors.js";
import { toHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import type { CacheMultiStore } from "../../state/branch/kv/cache-multi-store.js";
import { writesDigest } from "../../state/branch/kv/writes-digest.js";
import { describeError } from "../values/tx-error.js";

/** What messages, or a hook of a block, did to a branch. `Event`: of the chain. */
export interface MessagesRun<Event> {
  readonly branch: CacheMultiStore;
  readonly events: readonly Event[];
  readonly gasUsed: bigint;
  /** The encoded responses, or what was thrown. */
  readonly outcome: { readonly data: Uint8Array } | { readonly error: unknown };
}

/**
 * KiB of stack that the trial leaves to messages. V8 compiles a function only where 40 KiB are left, so a cold process needs 42 for
 * any message, 63 for 120 branches in one another, and 91 for those inside 32 messages. `proposal` is also the trial of CheckTx: smaller,
 * because a transaction that barely fits must not get into a block.
 */
export const TRIAL_KIB = { proposal: 68, block: 104 } as const;

/** A hook that is tried may run messages that are to be tried: that one trial is theirs, too. */
let isTrying = false;

/** @throws UpgradeError UPG_BUG_ENGINE_LIMIT when it is too little */
export function tryOnStack<Event>(where: keyof typeof TRIAL_KIB, run: () => MessagesRun<Event>): MessagesRun<Event> {
  const isOutermost = !isTrying;
  isTrying = true;
  try {
    return withinEngineLimits(() => {
      const done = isOutermost ? withStackLeft(TRIAL_KIB[where], run) : run();
      // Also when the messages caught it, or another error has it as its cause.
      if ("error" in done.outcome) describeError(done.outcome.error);
      return done;
    });
  } finally {
    isTrying = !isOutermost;
  }
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

/**
 * @param what ran, for the message
 * @param again what it does on the small part of the stack once more; undefined: it cannot run again
 * @throws UpgradeError UPG_BUG_ENGINE_LIMIT; UPG_INVALID_NONDETERMINISTIC where the size of the stack is not the reason
 */
export function requireSame(what: string, digest: string, onLess: string, again?: () => string): void {
  if (digest === onLess) return;
  if (again && again() !== onLess) {
    throw new UpgradeError(
      "UPG_INVALID_NONDETERMINISTIC",
      `${what} ran more than once on the same state, and the runs wrote, emitted or returned different things, or used different gas. Its ` +
        "module is not deterministic: it reads something other than state and the transaction, such as a variable of its own",
    );
  }
  throw new UpgradeError(
    "UPG_BUG_ENGINE_LIMIT",
    `${what} gives another result on a small part of the stack, so another node could decide otherwise. A module catches the engine's ` +
      "RangeError, or reads what no block has (a clock, random numbers, its own variables). The node stops before the block is " +
      "committed; correct the module",
  );
}
