/** The simulator can fail: nodes that do not sync what they say is durable are caught by it. */
import { expect, test } from "vitest";
import { sampled } from "../sample.js";
import { HAS_FAULTS } from "./faults/library.js";
import { type SimulationOptions, simulate } from "./simulate.js";

const ROUNDS = 24;
const LOST_FILE = /lost: .*(upgrade-info|halt)\.json/;
const LOST_BLOCKS = /lost: .*block [1-9] was reported, the last one is 0/;
const WHY = HAS_FAULTS ? "" : " (skipped: needs Linux and gcc)";

/** Rounds end where `endsAt` is found: one finding is enough. */
async function damageOf(options: Partial<SimulationOptions>) {
  const damage: string[] = [];
  const { summary } = await simulate({
    ...{ rounds: ROUNDS, seed: "mutants", kind: "replay", onDamage: (text) => damage.push(text) },
    ...options,
  });
  process.stderr.write(`sim: ${JSON.stringify(summary)}\n`);
  return { damage, ...summary };
}

test.skipIf(!HAS_FAULTS)(`a database that is not synced → caught${WHY}`, { timeout: 300_000 }, async () => {
  const { damage, lost, diverged } = await damageOf({
    scenes: ["upgrade", "rename-large"],
    faults: { swallow: "chain.mdb" },
    endsAt: /./,
  });
  expect(lost + diverged).toBeGreaterThan(0);
  expect(damage.length).toBeGreaterThan(0);
});

test.skipIf(!HAS_FAULTS)(`files of our own that are not synced → caught${WHY}`, { timeout: 300_000 }, async () => {
  const { damage, lost } = await damageOf({
    scenes: ["halt"],
    env: { SIM_MUTANT: "files are not synced" },
    endsAt: LOST_FILE,
  });
  expect(lost).toBeGreaterThan(0);
  expect(damage.join("\n")).toMatch(LOST_FILE);
});

test.skipIf(!HAS_FAULTS)(`folders that are not synced → caught${WHY}`, { timeout: 300_000 }, async () => {
  const { damage, lost } = await damageOf({
    scenes: ["halt"],
    env: { SIM_MUTANT: "folders are not synced" },
    endsAt: LOST_FILE,
  });
  expect(lost).toBeGreaterThan(0);
  expect(damage.join("\n")).toMatch(LOST_FILE);
});

test.skipIf(!HAS_FAULTS)(
  `a new database whose folder is not synced → the first blocks are lost${WHY}`,
  { timeout: 300_000 },
  async () => {
    const { damage, lost } = await damageOf({
      scenes: ["genesis"],
      env: { SIM_MUTANT: "folders are not synced" },
      endsAt: LOST_BLOCKS,
    });
    expect(lost).toBeGreaterThan(0);
    expect(damage.join("\n")).toMatch(LOST_BLOCKS);
  },
);

test.skipIf(!HAS_FAULTS)(`the same scenes, synced → nothing${WHY}`, { timeout: 300_000 }, async () => {
  const { damage } = await damageOf({
    scenes: ["upgrade", "rename-large", "halt", "genesis"],
    rounds: sampled(ROUNDS, 3 * ROUNDS),
  });
  expect(damage).toEqual([]);
});
