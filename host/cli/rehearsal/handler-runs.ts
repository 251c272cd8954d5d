/** Further runs of a Wasm handler on what its block begins with: for the gas by place, and for why it failed. */

import { isUpgradeError, type UpgradeError } from "../../base/errors/errors.js";
import type { Height, Timestamp } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import type { Core } from "../../upgrade/core/core.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import { type HandlerInput, runHandler } from "../../upgrade/handler/run/sandbox.js";
import { UPGRADE_STORE } from "../../upgrade/module/upgrade-store.js";
import { explainFailure, type Failure } from "../../upgrade/test-kit/failure/explain.js";
import { type GasProfile, gasProfile } from "../../upgrade/test-kit/gas/gas-profile.js";

export interface HandlerRunFacts {
  /** Loaded, its block not made. */
  readonly app: App;
  readonly core: Core;
  readonly handler: WasmHandler;
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
}

/** What the handler is given in the block, but for its branch. */
function inputOf({ app, core, chainId, height, time }: HandlerRunFacts): Omit<HandlerInput, "stores"> {
  const store = app.multiStore.branch().store(UPGRADE_STORE);
  const planBytes = core.planBytes(store) ?? new Uint8Array();
  return { chainId, height, time, planBytes, versionMap: core.versionMap(store), base: app.multiStore.loaded() };
}

/** Undefined where the handler fails: the block itself will say it. */
export function gasOf(facts: HandlerRunFacts): GasProfile | undefined {
  const input = inputOf(facts);
  const stores = facts.app.multiStore.branch();
  try {
    return gasProfile(facts.handler, (traced, observer) => runHandler(traced, { ...input, stores, observer }));
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return undefined;
  } finally {
    stores.discard();
  }
}

/** Undefined: it did not fail in the handler. */
export function whyItFailed(facts: HandlerRunFacts, error: UpgradeError): Failure | undefined {
  if (!error.details["phase"]) return undefined;
  const input = inputOf(facts);
  const again = (changes: Partial<HandlerInput>) =>
    void runHandler(facts.handler, { ...input, stores: facts.app.multiStore.branch(), ...changes });
  return explainFailure(facts.handler, error, again);
}
