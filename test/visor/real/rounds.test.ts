/** A sample of `npm run visor:rounds -- --real`. */
import { expect, test } from "vitest";
import { sampled } from "../../sample.js";
import { runRealCampaign } from "./campaign.js";

const ROUNDS = sampled(1, 20);

test(`visor:rounds --real ${ROUNDS} rounds, processes killed → one node at a time, the right program, the same app hash`, async () => {
  const failures: string[] = [];
  const onFailure = (text: string) => void failures.push(text);
  const { rounds, failed, lives } = await runRealCampaign({ rounds: ROUNDS, seed: "sample", onFailure });
  expect({ rounds, failed }, failures.join("\n")).toEqual({ rounds: ROUNDS, failed: 0 });
  expect(lives).toBeGreaterThanOrEqual(ROUNDS);
}, 600_000);
