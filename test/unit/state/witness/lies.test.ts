/** A sample of `npm run witness:lies`. */
import { expect, test } from "vitest";
import { lies } from "../../../witness/lies.js";

test("decodeWitness() a server that hides, swaps and changes nodes → refused, or nothing but true answers", () => {
  const counts = lies(1_500, 1);
  expect(counts.decoded).toBeGreaterThan(200);
  expect(counts.answers).toBeGreaterThan(1_000);
  expect(counts.hidden).toBeGreaterThan(1_000);
  expect(Object.keys(counts.refused).sort()).toEqual(["UPG_WITNESS_MALFORMED", "UPG_WITNESS_ROOT"]);
});
