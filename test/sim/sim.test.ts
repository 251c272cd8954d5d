/** 200 crash rounds over an upgrade. $SIM_SEED and $SIM_ROUNDS choose others. */
import { expect, test } from "vitest";
import { simulate } from "./simulate.js";

const seed = process.env["SIM_SEED"] ?? "chain-upgrade";
const rounds = Number(process.env["SIM_ROUNDS"] ?? "200");
const MILLIS_PER_ROUND_MAX = 3_000;

test(`${rounds} rounds, seed ${seed} → nothing lost, nothing diverged`, {
  timeout: 60_000 + rounds * MILLIS_PER_ROUND_MAX,
}, async () => {
  const damage: string[] = [];
  const { summary, roundsByScene } = await simulate({ rounds, seed, onDamage: (text) => damage.push(text) });
  process.stderr.write(`sim: ${JSON.stringify(summary)}\n`);
  expect(damage).toEqual([]);
  expect(summary).toMatchObject({ rounds, lost: 0, diverged: 0, seed });
  // Most kills find a process that is alive, and each of those is started again.
  expect(summary.kills).toBeGreaterThan(rounds / 2);
  expect(summary.restarts).toBe(summary.kills);
  expect(roundsByScene.size).toBeGreaterThan(rounds >= 200 ? 8 : 0);
});
