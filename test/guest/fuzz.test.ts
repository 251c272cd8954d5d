/** Mutated handlers: a short campaign; `npm run fuzz:handlers` is the long one. */
import { expect, test } from "vitest";
import { campaign } from "./fuzz/campaign.js";

const ROUNDS = 4_000;

test("4,000 mutated handlers → refused with findings, or run metered to an orderly end, twice the same", () => {
  const { refused, ran, stopped, codes } = campaign({ rounds: ROUNDS, seed: 20_261 });
  expect(refused + ran + stopped).toBe(ROUNDS);
  expect(refused).toBeGreaterThan(ROUNDS / 4);
  expect(ran).toBeGreaterThan(50);
  expect(stopped).toBeGreaterThan(50);
  expect(Object.keys(codes).length).toBeGreaterThan(6);
});
