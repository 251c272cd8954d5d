import fc from "fast-check";
import { expect, test } from "vitest";
import { isUpgradeError } from "../../../host/base/errors/errors.js";
import { FLAG_ABSENT, FLAG_COMMIT, FLAG_NIL } from "../../../host/chain/comet-types/commit.js";
import { advance } from "../../../host/verify/light.js";
import { MadeChain, type Members, timeOf } from "./made-chain.js";

const members: fc.Arbitrary<Members> = fc
  .uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 })
  .chain((seeds) => fc.tuple(...seeds.map((seed) => fc.integer({ min: 1, max: 5 }).map((power) => ({ seed, power })))));
const flags = fc.array(fc.constantFrom(FLAG_COMMIT, FLAG_COMMIT, FLAG_COMMIT, FLAG_NIL, FLAG_ABSENT), {
  minLength: 7,
  maxLength: 7,
});

const sum = (list: Members, isCounted: (seed: number) => boolean) =>
  list.reduce((total, { seed, power }) => total + (isCounted(seed) ? power : 0), 0);
const all = (list: Members) => sum(list, () => true);

test("advance() over a jump, of random sets, powers and votes → the verdict of sums: two thirds of its own, a third of the trusted", async () => {
  const seen = { trusted: 0, UPG_PROOF_COMMIT: 0, UPG_PROOF_TRUST: 0 };
  await fc.assert(
    fc.asyncProperty(members, members, flags, async (before, after, votes) => {
      const flag = (_height: number, seed: number) => votes[seed] ?? FLAG_ABSENT;
      const chain = new MadeChain({ blocks: 3, members: (height) => (height === 1 ? before : after), flag });
      const signed = (seed: number) => votes[seed] === FLAG_COMMIT && after.some((each) => each.seed === seed);
      const decides = 3 * sum(after, signed) > 2 * all(after);
      const carries = 3 * sum(before, signed) > all(before);
      const due = !decides ? "UPG_PROOF_COMMIT" : !carries ? "UPG_PROOF_TRUST" : "trusted";
      const options = { now: timeOf(9), trustingPeriod: 1_000n, verifySignature: () => true };
      const verdict = await advance(chain.at(1), chain.at(3), options).then(
        () => "trusted",
        (error: unknown) => (isUpgradeError(error) ? error.code : String(error)),
      );
      expect(verdict).toBe(due);
      seen[due]++;
    }),
    { numRuns: 50, seed: 12 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(3);
});
