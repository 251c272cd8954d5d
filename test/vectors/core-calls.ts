/** core-calls.json: the calls of core.wasm that histories.json and plan.json lead to, and others with arguments good and bad. */
import { CORE_WASM } from "../../host/upgrade/core/core-wasm.js";
import { RawCore } from "../core/raw-core.js";
import { performCall, type RecordedCall } from "./core-calls/call.js";
import { type CaseRunner, expectEqual } from "./harness.js";

let core = new RawCore(CORE_WASM());

export const runCoreCalls: CaseRunner = (vector) => {
  core.reset();
  for (const [index, recorded] of (vector["calls"] as RecordedCall[]).entries()) {
    const { before, call, args, ...expected } = recorded;
    const outcome = performCall(core, { call, args, ...(before ? { before } : {}) });
    // A trap poisons an instance; its store stays.
    if (outcome.result === "trap") {
      const { store } = core;
      core = core.fresh();
      core.reset(store);
    }
    // Most are equal as they are written; the other comparison takes longer and says where.
    if (JSON.stringify(outcome) !== JSON.stringify(expected)) expectEqual(outcome, expected, `call ${index} ${call}`);
  }
  return [];
};
