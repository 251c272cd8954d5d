/** What core-calls.json holds: the inputs from elsewhere, the outcomes from core.wasm. */
import { createHash } from "node:crypto";
import { CORE_WASM } from "../../../host/upgrade/core/core-wasm.js";
import { RawCore } from "../../core/raw-core.js";
import { loadVectors, type VectorCase } from "../harness.js";
import { runHistories } from "../histories.js";
import { runPlan } from "../plan.js";
import { type HexPair, pairsOf, performCall, type RecordedCall } from "./call.js";
import type { GivenCase } from "./call-builders.js";
import { pureCases } from "./pure-calls.js";
import { callsOf, type SeenCall } from "./record.js";
import { storeCases } from "./store-calls.js";

const TRANSITIONS: readonly string[] = ["plan_schedule", "plan_clear", "apply", "version_map_set", "receipt_set"];

export function coreCalls(): { head: VectorCase; cases: VectorCase[] } {
  const given = [...behind("histories", runHistories), ...behind("plan", runPlan), ...pureCases(), ...storeCases()];
  const writer = new Writer();
  const cases = given.map(({ label, calls }) => ({ label, calls: writer.performed(calls) }));
  const sha256 = createHash("sha256").update(CORE_WASM()).digest("hex");
  return {
    head: { source: `chain-upgrade/core.wasm, SHA-256 ${sha256}`, note: "calls of core.wasm; see README.md" },
    cases: cases.filter(({ calls }) => calls.length > 0),
  };
}

function behind(file: string, runner: (vector: VectorCase) => unknown): GivenCase[] {
  return loadVectors(file).map((vector, index) => ({
    label: `${file} ${index}: ${vector["label"] ?? vector["kind"]}`,
    calls: callsOf(() => runner(vector)),
  }));
}

class Writer {
  #core = new RawCore(CORE_WASM());
  /** Pure calls of all cases. */
  readonly #pure = new Set<string>();

  /** Without those that were made before of the same store, or of none: they show nothing more. */
  performed(calls: readonly SeenCall[]): RecordedCall[] {
    const seen = new Set<string>();
    const list: RecordedCall[] = [];
    this.#core.reset();
    for (const { pairs, call, args } of calls) {
      const asked = JSON.stringify([call, args, pairs]);
      const known = pairs ? seen : this.#pure;
      if (known.has(asked) && !TRANSITIONS.includes(call)) continue;
      known.add(asked);
      const before = pairs && !this.#has(pairs) ? { before: pairs } : {};
      list.push({ ...before, call, args, ...this.#perform({ ...before, call, args }) });
    }
    return list;
  }

  #has(pairs: readonly HexPair[]): boolean {
    return JSON.stringify(pairs) === JSON.stringify(pairsOf(this.#core.store));
  }

  #perform(given: Pick<RecordedCall, "before" | "call" | "args">) {
    const outcome = performCall(this.#core, given);
    if (outcome.result !== "trap") return outcome;
    const { store } = this.#core;
    this.#core = this.#core.fresh();
    this.#core.reset(store);
    return outcome;
  }
}
