/** Whether the handler that is here can make the plan's block: the one judgement of the node's log, metrics and status. */
import { messageOf } from "../errors.js";
import { requireLayout } from "../handler/run/sandbox.js";
import type { MultiStore, Plan } from "../types.js";
import type { FoundHandler } from "./handler-set.js";
import { type Keeper, UPGRADE_STORE } from "./keeper.js";

/**
 * @param stores as committed: the handler must take the versions that are stored now
 * @param failedRehearsal what the last rehearsal of the file with this hash found wrong, if it did
 */
export function handlerReadiness(
  keeper: Keeper,
  stores: MultiStore,
  plan: Plan,
  failedRehearsal: (hash: string | undefined) => string | undefined,
): FoundHandler {
  const found = keeper.findHandler(plan);
  const { handler, state } = found;
  if (state !== "ready" || !handler) return found;
  const { wasm } = handler;
  const unfit = (problem: string): FoundHandler => ({ ...found, state: "unfit", problem });
  try {
    if (wasm && stores.names.includes(UPGRADE_STORE))
      requireLayout(wasm.manifest, keeper.core.versionMap(stores.store(UPGRADE_STORE)));
  } catch (error) {
    return unfit(messageOf(error));
  }
  const failed = failedRehearsal(wasm?.hash);
  return failed === undefined ? found : unfit(`its last rehearsal here failed: ${failed}`);
}
