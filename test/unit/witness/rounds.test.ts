/** Samples of `npm run witness:rounds`. */
import { expect, test } from "vitest";
import { rounds } from "../../witness/rounds.js";

test("recordStore() random trees and blocks → the witness gives the same answers and the same next root", () => {
  const counts = rounds(400, 1);
  expect(counts.rounds).toBe(400);
  expect(counts.openLeaves).toBeGreaterThan(1_000);
  expect(counts.stubs).toBeGreaterThan(1_000);
});
