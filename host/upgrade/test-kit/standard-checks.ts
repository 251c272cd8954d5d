/** What must hold of every handler, whatever it does: checks that its author gets for a scene. */
import { isUpgradeError } from "../../base/errors/errors.js";
import { BATCH_BYTES } from "../../base/types/limits.js";
import type { WasmHandler } from "../handler/handler.js";
import { sameStores } from "./diff.js";
import { failureLines } from "./failure/failure-lines.js";
import { limitsBeforeHostCalls, seededLimits } from "./gas-points.js";
import { checkMemory, MEMORY_PAIRS } from "./memory-check.js";
import { SceneRunner } from "./run.js";
import type { Scene } from "./scene.js";
import type { StandardCheck } from "./standard-check.js";

export interface StandardCheckOptions {
  /** Gas limits tried besides those at host calls; 200 when left out. */
  readonly gasPoints?: number;
  readonly seed?: number;
  /** Pairs that each scan is handed, the scene's again and again, to see whether memory grows; 50,000 when left out. */
  readonly memoryPairs?: number;
}

/** A frame alone, some, and as the chain has them. */
const BATCH_SIZES = [1, 1_000, BATCH_BYTES];

/**
 * Runs the scene in every way that must make no difference, or must leave nothing. Stops at a handler that fails.
 *
 * @example
 * import { readFileSync } from "node:fs";
 * const checks = standardChecks(openHandler(readFileSync("handler.wasm")), {}, { gasPoints: 2 });
 * console.log(checks.map(({ name, ok }) => `${name} ${ok}`)[0]); // → runs true
 */
export function standardChecks(
  handler: WasmHandler,
  scene: Scene = {},
  { gasPoints = 200, seed = 1, memoryPairs = MEMORY_PAIRS }: StandardCheckOptions = {},
): StandardCheck[] {
  const runner = new SceneRunner(handler, scene);
  const { ok, error, gas, failure } = runner.explained(runner.run());
  if (!ok || gas === undefined) {
    const where = failure ? `\n${failureLines(failure).join("\n")}` : "";
    return [{ name: "runs", ok: false, message: `${error?.code}: ${error?.message}${where}` }];
  }
  return [
    { name: "runs", ok: true, message: `gas ${gas}` },
    checkBatchSizes(runner),
    checkOutOfGas(runner, gas, seededLimits(seed, gasPoints, gas)),
    checkMemory(runner, memoryPairs),
    ...(scene.idempotent ? [checkIdempotence(runner)] : []),
    checkLayouts(runner),
  ];
}

/**
 * Runs the standard checks and throws where one does not hold: the one line that every test of a handler should have.
 *
 * @throws Error that names every standard check which does not hold
 *
 * @example
 * import { readFileSync } from "node:fs";
 * assertStandardChecks(openHandler(readFileSync("handler.wasm")), { height: 7 }, { gasPoints: 2 });
 */
export function assertStandardChecks(handler: WasmHandler, scene?: Scene, options?: StandardCheckOptions): void {
  const broken = standardChecks(handler, scene, options).filter(({ ok }) => !ok);
  if (broken.length === 0) return;
  throw new Error(broken.map(({ name, message }) => `${name}: ${message}`).join("\n"));
}

function checkBatchSizes(runner: SceneRunner): StandardCheck {
  const runs = BATCH_SIZES.map((batchBytes) => runner.run({ batchBytes }));
  const [first] = runs;
  const differing = BATCH_SIZES.filter((_, i) => {
    const run = runs[i];
    return !run?.ok || !first?.ok || !sameStores(run.stores, first.stores);
  });
  const sizes = BATCH_SIZES.join(", ");
  return differing.length === 0
    ? { name: "batch sizes", ok: true, message: `batches of ${sizes} bytes agree` }
    : { name: "batch sizes", ok: false, message: `the result depends on where a batch ends (${sizes} bytes)` };
}

function checkOutOfGas(runner: SceneRunner, gas: bigint, seeded: readonly bigint[]): StandardCheck {
  const atCalls = limitsBeforeHostCalls(runner, gas);
  const limits = [...atCalls, ...seeded, gas - 1n].filter((limit) => limit > 0n && limit < gas);
  const before = runner.base.copy();
  for (const gasLimit of limits) {
    const { error } = runner.run({ gasLimit });
    if (error?.code !== "UPG_MIGRATION_OUT_OF_GAS") {
      const end = error?.code ?? "success";
      return { name: "out of gas", ok: false, message: `with ${gasLimit} of ${gas} gas it ended with ${end}` };
    }
  }
  if (!sameStores(runner.base, before)) return { name: "out of gas", ok: false, message: "it left something behind" };
  const message = `stopped at ${atCalls.length} host calls and ${limits.length - atCalls.length} other points, nothing stayed`;
  return { name: "out of gas", ok: true, message };
}

function checkIdempotence(runner: SceneRunner): StandardCheck {
  const first = runner.base.branch();
  runner.call(first, {});
  const second = first.branch();
  try {
    runner.call(second, { base: first });
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return { name: "idempotent", ok: false, message: `a second run ends with ${error.code}: ${error.message}` };
  }
  return sameStores(first, second)
    ? { name: "idempotent", ok: true, message: "a second run changes nothing" }
    : { name: "idempotent", ok: false, message: "a second run changes the result of the first" };
}

/** Every module that the manifest names, at a version that it does not take. */
function checkLayouts(runner: SceneRunner): StandardCheck {
  const accepted: string[] = [];
  const { versions } = runner.handler.manifest;
  for (const [module, { from, to }] of versions) {
    const wrong = new Map(runner.versions);
    if (from) wrong.delete(module);
    else wrong.set(module, to);
    const later = new Map(runner.versions).set(module, to + 1n);
    for (const stored of [wrong, later]) {
      if (runner.run({}, stored).error?.code !== "UPG_HANDLER_LAYOUT") accepted.push(module);
    }
  }
  return accepted.length === 0
    ? { name: "layout", ok: true, message: `${versions.size} modules at a wrong version are refused` }
    : { name: "layout", ok: false, message: `runs on a wrong version of ${accepted.join(", ")}` };
}
