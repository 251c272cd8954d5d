/** A sample of rounds over an upgrade: kills, power that goes, disks that fail or are full. `npm run sim` has as many as are wanted. */
import { expect, test } from "vitest";
import { sampled } from "../sample.js";
import { HAS_FAULTS } from "./faults/library.js";
import { type RoundKind, simulate } from "./simulate.js";

const seed = process.env["SIM_SEED"] ?? "chain-upgrade";
const rounds = Number(process.env["SIM_ROUNDS"] ?? sampled(60, 240));
const MILLIS_PER_ROUND_MAX = 3_000;
/** Rounds of which any kind is seen. */
const MANY = 60;

test(`${rounds} rounds, seed ${seed} → nothing lost, nothing diverged`, {
  timeout: 60_000 + rounds * MILLIS_PER_ROUND_MAX,
}, async () => {
  const damage: string[] = [];
  const result = await simulate({ rounds, seed, onDamage: (text) => damage.push(text) });
  const { summary, roundsByScene, roundsByKind } = result;
  process.stderr.write(`sim: ${JSON.stringify(summary)}\n`);
  expect(damage).toEqual([]);
  expect(summary).toMatchObject({ rounds, lost: 0, diverged: 0, seed });
  // Most kills find a process that is alive, and each of those is started again.
  const of = (kind: RoundKind) => roundsByKind.get(kind) ?? 0;
  expect(summary.kills).toBeGreaterThan(of("kill") / 2);
  expect(summary.restarts).toBe(summary.kills);
  expect(summary.replays).toBe(of("replay"));
  expect(roundsByScene.size).toBeGreaterThan(rounds >= MANY ? 8 : 0);
  if (rounds < MANY || !HAS_FAULTS) return;
  // Most faults meet the process, and every kind of moment is met.
  expect(summary.refusals).toBeGreaterThan((of("EIO") + of("ENOSPC")) / 2);
  const { moments } = summary;
  for (const phase of ["start-up", "before", "staging", "commit", "after"] as const) {
    expect(moments[phase], phase).toBeGreaterThan(0);
  }
  const inBlock = moments.handler + moments.staging + moments.commit;
  expect(inBlock).toBeGreaterThan(moments["start-up"] + moments.before + moments.after);
});

test.skipIf(!HAS_FAULTS)("power that goes, EIO and ENOSPC are among the rounds (needs Linux and gcc)", () => {
  expect(HAS_FAULTS).toBe(true);
});
