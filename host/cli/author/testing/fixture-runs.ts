/** Fixtures run through a handler: for their gas, and against what they expect. */
import type { WasmHandler } from "../../../upgrade/handler/handler.js";
import { failureLines } from "../../../upgrade/test-kit/failure/failure-lines.js";
import { type GasProfile, sceneGasProfile } from "../../../upgrade/test-kit/gas/gas-profile.js";
import { type LogLine, runScene, type SceneRun } from "../../../upgrade/test-kit/run.js";
import { standardChecks } from "../../../upgrade/test-kit/standard-checks.js";
import type { NamedFixture } from "../project.js";
import { sceneChecks } from "../semantics.js";
import { expectedStore, type StoreExpectation } from "./expected-stores.js";
import { type FailureAnswer, failureAnswer } from "./failure-answer.js";

export interface FixtureResult {
  readonly fixture: string;
  readonly ok: boolean;
  /** Null when the run failed. */
  readonly gas: string | null;
  /** Bytes of the handler's memory at its largest; null when the run failed. */
  readonly guest_memory: string | null;
  readonly checks: readonly StoreExpectation[];
  readonly warnings: readonly string[];
  /** What the handler logged. */
  readonly logs: readonly LogLine[];
  /** Where the run failed; null when it did not. */
  readonly failure: FailureAnswer | null;
  /** Only where it was asked for, and the run did not fail. */
  readonly gas_profile?: GasProfile;
}

/** Without fixtures there is still the scene with nothing in it. */
export function withDefault(fixtures: readonly NamedFixture[]): readonly NamedFixture[] {
  return fixtures.length > 0 ? fixtures : [{ name: "empty", fixture: {} }];
}

export interface SceneGas {
  /** By fixture; the code of the error where it fails. */
  readonly gas: Readonly<Record<string, string>>;
  /** The error in words, of fixtures where it fails. */
  readonly failures: Readonly<Record<string, string>>;
}

export function gasOf(handler: WasmHandler, fixtures: readonly NamedFixture[]): SceneGas {
  const runs = withDefault(fixtures).map(({ name, fixture }) => ({ name, ...runScene(handler, fixture) }));
  const failed = runs.flatMap(({ name, error }) => (error ? [[name, `${error.code}: ${error.template}`]] : []));
  return {
    gas: Object.fromEntries(runs.map(({ name, gas, error }) => [name, error?.code ?? String(gas)])),
    failures: Object.fromEntries(failed) as Record<string, string>,
  };
}

export interface FixtureOptions {
  /** What the gas went to, too. */
  readonly gas?: boolean;
}

export function testFixture(
  handler: WasmHandler,
  { name, fixture }: NamedFixture,
  { gas = false }: FixtureOptions = {},
): FixtureResult {
  const run = runScene(handler, fixture);
  const code = fixture.expect?.code;
  const checks: StoreExpectation[] =
    code === undefined ? standardChecks(handler, fixture) : [expectedFailure(run, code)];
  checks.push(...sceneChecks(handler, fixture, run));
  for (const [store, pairs] of Object.entries(fixture.expect?.stores ?? {}))
    checks.push(expectedStore(run.stores, store, pairs));
  return {
    fixture: name,
    ok: checks.every(({ ok }) => ok),
    gas: run.gas === undefined ? null : String(run.gas),
    guest_memory: run.guestMemory === undefined ? null : String(run.guestMemory),
    checks,
    warnings: run.warnings,
    logs: run.logs,
    failure: run.failure ? failureAnswer(run.failure) : null,
    ...(gas && run.ok ? { gas_profile: sceneGasProfile(handler, fixture) } : {}),
  };
}

function expectedFailure({ error, failure }: SceneRun, code: string): StoreExpectation {
  const where = failure ? `\n${failureLines(failure).join("\n")}` : "";
  const ended = error ? `${error.code}: ${error.template}` : "success";
  if (error?.code === code) return { name: "fails as expected", ok: true, message: `ended with ${ended}` };
  return { name: "fails as expected", ok: false, message: `ended with ${ended}, expected ${code}${where}` };
}
