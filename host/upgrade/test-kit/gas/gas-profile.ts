/** What the gas of a run went to, exactly: by place, by what it paid for, and by function. Each list adds up to the gas of the run. */
import type { WasmHandler } from "../../handler/handler.js";
import type { RunObserver } from "../../handler/run/run-position.js";
import type { HandlerReport } from "../../handler/run/sandbox.js";
import { SceneRunner } from "../run.js";
import type { Scene } from "../scene.js";
import { type FunctionGas, FunctionTrace } from "./function-trace.js";

export interface GasProfile {
  /** In order: loading, `_initialize`, `handler_run`, each scan, `handler_check`. */
  readonly phases: readonly { readonly phase: string; readonly gas: string }[];
  /** The handler's own instructions and all that the host took gas for; the greatest first. */
  readonly charges: readonly { readonly what: string; readonly gas: string }[];
  /** Functions of the handler that were called, the one with the most gas of its own first. */
  readonly functions: readonly FunctionGas[];
  /** What the host took while no function of the handler was running. */
  readonly outside: string;
}

const INSTRUCTIONS = "the handler's own instructions";

/**
 * @param run runs a handler, which is this one with counters in it, with an observer, and throws where that fails
 * @throws UpgradeError as a run does that fails
 */
export function gasProfile(
  handler: WasmHandler,
  run: (traced: WasmHandler, observer: RunObserver) => HandlerReport,
): GasProfile {
  const trace = new FunctionTrace(handler);
  const begins: { phase: string; gas: bigint }[] = [];
  const taken = new Map<string, bigint>();
  let outside = 0n;
  const { gas } = run(trace.handler, {
    onGuest: (exports) => trace.bind(exports),
    onPlace: (phase, used) => void begins.push({ phase, gas: used }),
    onCharge: (what, price) => {
      taken.set(what, (taken.get(what) ?? 0n) + BigInt(price));
      if (!trace.isRunning) outside += BigInt(price);
    },
  });
  const phases = begins.map(({ phase, gas: from }, i) => ({ phase, gas: String((begins[i + 1]?.gas ?? gas) - from) }));
  let own = gas;
  for (const price of taken.values()) own -= price;
  const charges = [...taken.set(INSTRUCTIONS, own)].sort(([, a], [, b]) => (a < b ? 1 : -1));
  return {
    phases,
    charges: charges.map(([what, price]) => ({ what, gas: String(price) })),
    functions: trace.functions(),
    outside: String(outside),
  };
}

/** Of a handler on a scene. @throws UpgradeError as a run does that fails */
export function sceneGasProfile(handler: WasmHandler, scene: Scene): GasProfile {
  return gasProfile(handler, (traced, observer) => {
    const runner = new SceneRunner(traced, scene);
    return runner.call(runner.base.branch(), { observer });
  });
}
