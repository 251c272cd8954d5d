/** Metered modules do what they did before, and cost what their instructions cost: on modules made at random. */
import { describe, expect, test } from "vitest";
import { sampled } from "../sample.js";
import { randomModule } from "./random/random-module.js";
import { type Ending, runTwins } from "./random/twin-runs.js";

const MODULES = sampled(250, 600);
const LAYERED = sampled(70, 150);

function endings(firstSeed: number, isPlain: boolean, isLayered = false, modules = MODULES): Record<Ending, number> {
  const seen: Record<Ending, number> = { done: 0, trap: 0, stack: 0 };
  for (let seed = firstSeed; seed < firstSeed + modules; seed++) {
    const module = randomModule(seed, isPlain, isLayered);
    expect(WebAssembly.validate(module.bytes), `seed ${seed}`).toBe(true);
    const { difference, ending } = runTwins(module, isPlain);
    expect(difference, `seed ${seed}`).toBeUndefined();
    seen[ending]++;
  }
  return seen;
}

describe("meterModule() on random modules", () => {
  test("results, memory, globals and calls of imports are those of the module as it came", () => {
    const { done, trap } = endings(1_000_000, false);
    expect(done).toBeGreaterThan(MODULES / 4);
    expect(trap).toBeGreaterThan(MODULES / 50);
  });

  test("gas is the sum of the prices of the instructions that ran", () => {
    const { done } = endings(2_000_000, true);
    expect(done).toBeGreaterThan(MODULES / 4);
  });

  test("gas is that sum where callers pay ahead for functions, and the memory becomes large in between", () => {
    const { done } = endings(3_000_000, true, true, LAYERED);
    expect(done).toBeGreaterThan(LAYERED / 4);
  });
});
