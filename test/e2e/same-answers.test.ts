/** A sample of `npm run same-answers`: one program through the upgrade, every twentieth request. */
import { expect, test } from "vitest";
import { story } from "../same-answers/story.js";
import { cometbft } from "./cometbft.js";

test("a chain of CometBFT's, made again by the embedded engine → the same blocks, verdicts and responses (needs CometBFT, or Go and its module proxy)", async (context) => {
  const comet = cometbft();
  if (!comet) return context.skip("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
  const result = await story({ comet, seed: 1, transfers: 6, halts: false, every: 20 });
  expect(result.differences).toEqual([]);
  expect(result.equalBlocks).toBe(result.blocks);
  expect(result.refusals).toBe(14);
  expect(result.good).toBeGreaterThan(25);
  expect(result.txs).toBeGreaterThan(20);
}, 240_000);
