/** What the gas of a scene went to, exactly: by place, and by what it paid for. Both lists add up to the gas of the run. */
import type { WasmHandler } from "../handler/handler.js";
import type { RunObserver } from "../handler/run/place.js";
import { type RunOptions, SceneRunner } from "./run.js";
import type { Scene } from "./scene.js";

export interface GasProfile {
  /** In order: loading, `_initialize`, `handler_run`, each scan, `handler_check`. */
  readonly phases: readonly { readonly phase: string; readonly gas: string }[];
  /** The handler's own instructions and all that the host took gas for; the greatest first. */
  readonly charges: readonly { readonly what: string; readonly gas: string }[];
}

const INSTRUCTIONS = "the handler's own instructions";

/** @throws UpgradeError as a run does that fails */
export function gasProfile(handler: WasmHandler, scene: Scene, options: RunOptions = {}): GasProfile {
  const runner = new SceneRunner(handler, scene);
  const begins: { phase: string; gas: bigint }[] = [];
  const taken = new Map<string, bigint>();
  const observer: RunObserver = {
    onPlace: (phase, gas) => void begins.push({ phase, gas }),
    onCharge: (what, price) => void taken.set(what, (taken.get(what) ?? 0n) + BigInt(price)),
  };
  const { gas } = runner.call(runner.base.branch(), { ...options, observer });
  const phases = begins.map(({ phase, gas: from }, i) => ({ phase, gas: String((begins[i + 1]?.gas ?? gas) - from) }));
  let own = gas;
  for (const price of taken.values()) own -= price;
  const charges = [...taken.set(INSTRUCTIONS, own)].sort(([, a], [, b]) => (a < b ? 1 : -1));
  return { phases, charges: charges.map(([what, price]) => ({ what, gas: String(price) })) };
}
