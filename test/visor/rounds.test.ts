/** A sample of `npm run visor:rounds`: a process of its own, since sidecars that die leave promises that nobody hears of. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../house/sources.js";

const ROUNDS = 8;

async function campaign(...flags: string[]) {
  const args = [join(ROOT, "scripts/run.mjs"), join(ROOT, "test/visor/rounds-main.ts"), ...flags, "--json"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return { ...(JSON.parse(stdout) as Record<"rounds" | "failed" | "upgrades", number>), stderr };
}

test(`visor:rounds ${ROUNDS} rounds with deaths, failing and full disks → upgraded each time, nothing lost, never the wrong program`, async () => {
  const { rounds, failed, upgrades, stderr } = await campaign("--rounds", String(ROUNDS), "--seed", "sample");
  expect({ rounds, failed }, stderr).toEqual({ rounds: ROUNDS, failed: 0 });
  expect(upgrades).toBeGreaterThanOrEqual(ROUNDS);
});

test("killed between a backup's rename and its sync, then the power goes → the backup that the switch relied on is there", async () => {
  expect(await campaign("--seed", "x2", "--only", "160")).toMatchObject({ failed: 0, upgrades: 2 });
});

test("killed between the link and its sync, then the power goes → the program is there that the link leads to", async () => {
  expect(await campaign("--seed", "night", "--only", "1661")).toMatchObject({ failed: 0, upgrades: 2 });
});
