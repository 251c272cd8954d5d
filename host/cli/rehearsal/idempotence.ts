/** A handler that its author declares to be idempotent, run once more on what its block has left. */

import { isUpgradeError } from "../../base/errors/errors.js";
import type { Height, KVReader, Plan, Timestamp } from "../../base/types/types.js";
import type { Core } from "../../upgrade/core/core.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import { runHandler } from "../../upgrade/handler/run/sandbox.js";
import { isWritten } from "../../upgrade/module/guards.js";
import type { RehearsedBlock } from "./block/rehearse-block.js";

interface AgainFacts {
  readonly handler: WasmHandler;
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
}

/** @returns what a second run does, in words; undefined: it changes nothing */
export function changedByAgain(
  { app, result }: RehearsedBlock,
  plan: Plan,
  core: Core,
  { handler, ...facts }: AgainFacts,
): string | undefined {
  const versionMap = result.applied?.versionsBefore ?? new Map<string, bigint>();
  const base = app.multiStore.loaded();
  const stores = app.multiStore.branch();
  try {
    runHandler(handler, { ...facts, stores, base, versionMap, planBytes: core.encodePlan(plan) });
    const changed = stores.names.find(
      (name) => isWritten(stores, name) && !isAlike(base.store(name), stores.store(name)),
    );
    return changed === undefined ? undefined : `a second run of the handler changes the store "${changed}"`;
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return `a second run of the handler ends with ${error.code}: ${error.template}`;
  } finally {
    stores.discard();
  }
}

/** The same pairs in both? */
function isAlike(before: KVReader, after: KVReader): boolean {
  const [a, b] = [before.iterate(), after.iterate()];
  for (;;) {
    const [x, y] = [a.next(), b.next()];
    if (x.done || y.done) return x.done === y.done;
    if (Buffer.compare(x.value[0], y.value[0]) !== 0 || Buffer.compare(x.value[1], y.value[1]) !== 0) return false;
  }
}
