/** Every example on its scenes: what must come of them, and the checks that every handler must pass. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { HandlerProject } from "../../../host/cli/author/project.js";
import { testFixture } from "../../../host/cli/author/testing/fixture-runs.js";
import { openHandler, runScene, type Scene, type WasmHandler } from "../../../host/upgrade/test-kit/index.js";
import { names, namesScene } from "./names.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../../..");
const EXAMPLES = readdirSync(join(ROOT, "examples")).filter((name) =>
  existsSync(join(ROOT, "examples", name, "assembly/index.ts")),
);

const example = (name: string) => openHandler(readFileSync(join(ROOT, "build/examples", `${name}.wasm`)));
const pairsOf = (handler: WasmHandler, scene: Scene, store: string) => {
  const run = runScene(handler, scene);
  expect(run.error).toBeUndefined();
  return [...run.stores.store(store).iterate()].map(([key, value]) => [...key, 0x3a, ...value].join());
};

describe("examples", () => {
  test("there are the five of the documentation", () => {
    expect(EXAMPLES).toEqual(["backfill-index", "module-genesis", "prefix-delete", "re-key", "split-balances"]);
  });

  for (const name of EXAMPLES) {
    const fixtures = new HandlerProject(join(ROOT, "examples", name)).fixtures();
    test(`${name} has a scene`, () => expect(fixtures.length).toBeGreaterThan(0));
    for (const fixture of fixtures) {
      test(`${name} on ${fixture.name} → what the scene expects, and the standard checks hold`, () => {
        const { checks } = testFixture(example(name), fixture);
        expect(checks.filter(({ ok }) => !ok)).toEqual([]);
      });
    }
  }
});

describe("re-key", () => {
  test("any names → each under its owner's length and owner, nothing else", () => {
    const handler = example("re-key");
    fc.assert(
      fc.property(names, (pairs) => {
        const expected = pairs.map(([owner, name]) => [0x02, owner.length, ...owner, 0x3a, ...name].join()).sort();
        expect(pairsOf(handler, namesScene(pairs), "names").sort()).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});
