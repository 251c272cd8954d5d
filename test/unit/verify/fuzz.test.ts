import { expect, test } from "vitest";
import { campaign } from "../../verify/campaign.js";

test("campaign() of mutated evidence and proofs, a sample (the rest: npm run fuzz:verify) → codes, nothing untrue believed", async () => {
  const { codes, harmless, rounds } = await campaign({ rounds: 400, seed: 12 });
  const refused = Object.values(codes).reduce((sum, count) => sum + count, 0);
  expect(refused + harmless).toBe(rounds);
  expect(refused).toBeGreaterThan(harmless);
  // Every check of the way is reached.
  for (const code of ["MALFORMED", "KEY", "VALUE", "ROOT", "RANGE", "HEADER", "TRUST", "COMMIT"]) {
    expect(codes, code).toHaveProperty(`UPG_PROOF_${code}`);
  }
});
