/** Engines whose Wasm has no SIMD: the handed-in SHA-256 does all of it, and NodeOutput makes the trees. */
import { expect, test, vi } from "vitest";
import { lies } from "../../../witness/lies.js";
import { rounds } from "../../../witness/rounds.js";

const asked = vi.hoisted(() => ({ times: 0 }));

vi.mock("../../../../host/state/commitment/sha256-lanes.js", async (load) => ({
  ...(await load<object>()),
  hashModule: () => undefined,
  openSha256Lanes: () => {
    asked.times++;
    return undefined;
  },
}));

test("decodeWitness() without SIMD → the same answers and roots, and no lie is believed", () => {
  expect(rounds(40, 5_000).rounds).toBe(40);
  expect(lies(200, 5_000).decoded).toBeGreaterThan(20);
  expect(asked.times).toBeGreaterThan(40);
});
