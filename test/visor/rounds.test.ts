/** A sample of `npm run visor:rounds`: a process of its own, since sidecars that die leave promises that nobody hears of. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../house/sources.js";

const ROUNDS = 8;

test(`visor:rounds ${ROUNDS} rounds with deaths, failing and full disks → upgraded each time, nothing lost, never the wrong program`, async () => {
  const args = [join(ROOT, "scripts/run.mjs"), join(ROOT, "test/visor/rounds-main.ts"), "--rounds", String(ROUNDS)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args, "--seed", "sample", "--json"]);
  const { rounds, failed, upgrades } = JSON.parse(stdout) as Record<string, number>;
  expect({ rounds, failed }, stderr).toEqual({ rounds: ROUNDS, failed: 0 });
  expect(upgrades).toBeGreaterThanOrEqual(ROUNDS);
});
