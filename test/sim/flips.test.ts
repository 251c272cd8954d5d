/** Damage of the database: all of it is found, none of it is served. 200 positions: `npm run verify:flips`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyHome } from "../../host/cli/offline/verify.js";
import { sampled } from "../sample.js";
import { countFlips, makeUpgradedHome } from "./flips.js";

const ROUNDS = sampled(24, 40);

test(`${ROUNDS} flipped bits and zeroed pages → verify finds each, a started node never gives a wrong value`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-test-"));
  try {
    const home = join(folder, "home");
    makeUpgradedHome(home);
    expect(verifyHome(home, () => undefined)).toMatchObject({ ok: true, blocks: "23" });
    const missed: string[] = [];
    const onMiss = (what: string) => void missed.push(what);
    const seed = "flips";
    const count = await countFlips({ home, handlers: "dist/handlers", rounds: ROUNDS, seed, onMiss });
    expect(missed, `seed ${seed}`).toEqual([]);
    expect(count).toMatchObject({ flips: ROUNDS / 2, zeroed: ROUNDS / 2, found: ROUNDS, wrong: 0 });
    expect(count.same + count.refused).toBe(ROUNDS);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
