/** Samples of `npm run witness:rounds`. */
import { expect, test } from "vitest";
import { rounds } from "../../../witness/rounds.js";

test("recordStore() random trees and blocks → the witness gives the same answers and the same next root", () => {
  const counts = rounds(200, 1);
  expect(counts.rounds).toBe(200);
  expect(counts.openLeaves).toBeGreaterThan(500);
  expect(counts.stubs).toBeGreaterThan(500);
});
