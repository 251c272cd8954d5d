/** Fixtures run through a handler: for their gas, and against what they expect. */
import type { WasmHandler } from "../handler/handler.js";
import { type BytesLike, bytes } from "../harness/bytes-like.js";
import { sameStores } from "../harness/diff.js";
import { MemoryStores } from "../harness/memory-stores.js";
import { runScene, type SceneRun } from "../harness/run.js";
import { type StandardCheck, standardChecks } from "../harness/standard-checks.js";
import type { NamedFixture } from "./project.js";
import { sceneChecks } from "./semantics.js";

export interface FixtureResult {
  readonly fixture: string;
  readonly ok: boolean;
  /** Null when the run failed. */
  readonly gas: string | null;
  readonly peak_memory: string | null;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly message: string }[];
  readonly warnings: readonly string[];
}

/** Without fixtures there is still the scene with nothing in it. */
export function withDefault(fixtures: readonly NamedFixture[]): readonly NamedFixture[] {
  return fixtures.length > 0 ? fixtures : [{ name: "empty", fixture: {} }];
}

/** Gas by fixture; the code of the error where it fails. */
export function gasOf(handler: WasmHandler, fixtures: readonly NamedFixture[]): Record<string, string> {
  return Object.fromEntries(
    withDefault(fixtures).map(({ name, fixture }) => {
      const { gas, error } = runScene(handler, fixture);
      return [name, gas === undefined ? (error?.code ?? "failed") : String(gas)];
    }),
  );
}

export function testFixture(handler: WasmHandler, { name, fixture }: NamedFixture): FixtureResult {
  const run = runScene(handler, fixture);
  const code = fixture.expect?.code;
  const checks: (StandardCheck | { name: string; ok: boolean; message: string })[] =
    code === undefined ? standardChecks(handler, fixture) : [expectedFailure(run, code)];
  checks.push(...sceneChecks(handler, fixture, run));
  for (const [store, pairs] of Object.entries(fixture.expect?.stores ?? {}))
    checks.push(expectedStore(run, store, pairs));
  return {
    fixture: name,
    ok: checks.every(({ ok }) => ok),
    gas: run.gas === undefined ? null : String(run.gas),
    peak_memory: run.peakMemory === undefined ? null : String(run.peakMemory),
    checks,
    warnings: run.warnings,
  };
}

function expectedFailure({ error }: SceneRun, code: string) {
  const ended = error ? `${error.code}: ${error.message}` : "success";
  return { name: "fails as expected", ok: error?.code === code, message: `ended with ${ended}, expected ${code}` };
}

function expectedStore(
  { stores }: SceneRun,
  name: string,
  pairs: readonly (readonly [BytesLike, BytesLike])[],
): { name: string; ok: boolean; message: string } {
  const check = `store "${name}"`;
  if (!stores.names.includes(name)) return { name: check, ok: false, message: "is absent" };
  const [expected, got] = [new MemoryStores(), new MemoryStores()];
  for (const [key, value] of pairs) expected.open(name).set(bytes(key), bytes(value));
  const to = got.open(name);
  for (const [key, value] of stores.store(name).iterate()) to.set(key, value);
  expected.open(name);
  return sameStores(expected, got)
    ? { name: check, ok: true, message: `${pairs.length} pairs as expected` }
    : { name: check, ok: false, message: "does not hold what the fixture expects" };
}
