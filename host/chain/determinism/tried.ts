/**
 * Runs code of modules outside of transactions on a branch: begin and end blockers, the messages of passed proposals, upgrade handlers.
 * Nothing has refused it before, as CheckTx refuses transactions, so code that needs more than the trial's part of the stack stops the
 * node.
 */

import { assert, messageOf } from "../../base/errors/errors.js";
import { EMPTY, utf8 } from "../../base/text/bytes.js";
import type { MultiStore, Sha256, VersionMap } from "../../base/types/types.js";
import { drop, finish } from "../../state/branch/finish.js";
import { CacheMultiStore } from "../../state/branch/kv/cache-multi-store.js";
import type { UpgradeContext, UpgradeHandler } from "../../upgrade/module/upgrade-handler.js";
import type { ChainEvent, Emit } from "../values/events.js";
import { describeError } from "../values/tx-error.js";
import { digestOf, type MessagesRun, requireSame, tryOnStack } from "./stack-trial.js";

/** Of the context of a module's function: what a trial needs. */
interface Context {
  readonly stores: MultiStore;
  readonly sha256: Sha256;
  over(stores: MultiStore, events: ChainEvent[]): this;
  readonly emit: Emit;
}

/** Code of a module; what it writes and emits is dropped when it throws. */
type Code<C> = (inside: C) => void;

/**
 * Runs code of a module on a part of the stack first, drops what that did, and runs it on the whole stack. Both must write, emit and
 * throw the same.
 * @param what the code, for messages
 * @throws UpgradeError UPG_BUG_ENGINE_LIMIT; what `code` throws
 */
export function runTried<C extends Context>(what: string, context: C, code: Code<C>): void {
  const { sha256 } = context;
  const tried = tryOnStack("block", () => runOn(context, code));
  const onLess = digestWithLog(tried, sha256);
  drop(tried.branch);
  const run = runOn(context, code);
  requireSame(what, digestWithLog(run, sha256), onLess);
  keep(context, run);
}

/** The same for code that promises to be bounded: it runs once. @throws what `code` throws */
export function runOnBranch<C extends Context>(context: C, code: Code<C>): void {
  keep(context, runOn(context, code));
}

function runOn<C extends Context>(context: C, code: Code<C>): MessagesRun<ChainEvent> {
  const branch = new CacheMultiStore(context.stores);
  const events: ChainEvent[] = [];
  const done = { branch, events, gasUsed: 0n };
  try {
    code(context.over(branch, events));
    return { ...done, outcome: { data: EMPTY } };
  } catch (error) {
    return { ...done, outcome: { error } };
  }
}

/** Governance writes what a message threw into state. */
function digestWithLog(run: MessagesRun<ChainEvent>, sha256: Sha256): string {
  const log = "error" in run.outcome ? describeError(run.outcome.error).log : "";
  return `${digestOf(run, sha256)} ${log}`;
}

function keep({ emit }: Context, { branch, events, outcome }: MessagesRun<ChainEvent>): void {
  if ("error" in outcome) throw outcome.error;
  finish(branch);
  for (const { type, attributes } of events) {
    emit(type, ...attributes.map(({ key, value }) => [key, value] as const));
  }
}

/** A handler that does the same on a part of the stack, without a word, before it runs. */
export function triedHandler(sha256: Sha256, handler: UpgradeHandler): UpgradeHandler {
  return (context, plan, versions) => {
    // What the handler writes to the context's own branch, which is empty, is compared.
    const whole = context.stores;
    assert(whole instanceof CacheMultiStore, "a handler runs on a branch of its own");
    const part = whole.branch();
    const run = (on: CacheMultiStore, inside: UpgradeContext) => {
      let returned: VersionMap | Error | undefined;
      const done = { branch: on, events: [], gasUsed: 0n };
      try {
        returned = handler(inside, plan, new Map(versions));
        return { returned, ...done, outcome: { data: utf8(describeReturned(returned)) } };
      } catch (error) {
        return { returned, ...done, outcome: { error } };
      }
    };
    const onLess = digestWithLog(
      tryOnStack("block", () => run(part, silentOver(part, context))),
      sha256,
    );
    drop(part);
    const done = run(whole, context);
    requireSame(`handler "${plan.name}"`, digestWithLog(done, sha256), onLess);
    if ("error" in done.outcome) throw done.outcome.error;
    return done.returned as VersionMap | Error;
  };
}

function silentOver(stores: MultiStore, context: UpgradeContext): UpgradeContext {
  const silent = () => undefined;
  return { ...context, stores, store: (name) => stores.store(name), log: silent, progress: silent };
}

/** What is no map fails the upgrade where the handler was called. */
function describeReturned(returned: unknown): string {
  if (!(returned instanceof Map)) return returned instanceof Error ? messageOf(returned) : typeof returned;
  return [...returned]
    .map(([module, version]) => `${String(module)} ${String(version)}`)
    .sort()
    .join();
}
