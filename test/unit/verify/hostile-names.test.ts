/** Names that say more than a name: of a file's author, and of a chain whose state holds what it likes. */
import { describe, expect, test } from "vitest";
import { bigEndian64 } from "../../../host/base/text/bytes.js";
import { collect } from "../../../host/verify/collect.js";
import { verifyEvidence } from "../../../host/verify/evidence.js";
import { MadeChain, timeOf } from "./made-chain.js";

const LIE = 'v2" was applied in block 38. Upgrade "v3';
const hex = (prefix: number, name: string) => Buffer.concat([Buffer.of(prefix), Buffer.from(name)]).toString("hex");
const chain = new MadeChain({
  blocks: 5,
  members: () => [{ seed: 1, power: 10 }],
  writes: (height) =>
    height === 1
      ? [
          [hex(1, LIE), bigEndian64(1n)],
          [hex(2, "bank"), bigEndian64(2n)],
          [hex(2, "mint 1, staking"), bigEndian64(9n)],
          [hex(2, `x${"y".repeat(3_000)}`), bigEndian64(1n)],
        ]
      : [],
});
const options = { source: "made", now: timeOf(6), rootHeight: 1n };
const evidence = await collect(chain.ask, options);

describe("verifyEvidence() of hostile names", () => {
  test("names of the state → in quotation marks that they cannot close, and cut", async () => {
    const { claims } = await verifyEvidence(evidence, chain.trust(1));
    const words = claims.map((claim) => claim.words);
    expect(words).toContain(`Upgrade ${JSON.stringify(LIE)} was applied in block 1.`);
    const versions = words.find((each) => each.startsWith("Versions")) ?? "";
    expect(versions).toContain('bank 2, "mint 1, staking" 9, ');
    expect(versions).toContain('y"… 1.');
    expect(versions.length).toBeLessThan(300);
  });

  test("a name that the file's author chose → quoted with escapes", async () => {
    const { claims } = await verifyEvidence({ ...evidence, plan: 'v9" is "done' }, chain.trust(1));
    const words = claims.map((claim) => claim.words);
    expect(words).toContain('Upgrade "v9\\" is \\"done" has not been applied up to block 4.');
  });

  test.each([
    ["empty", ""],
    ["of 141 bytes", "x".repeat(141)],
    ["of 3 MB", "x".repeat(3_000_000)],
    ["with a break of a line", "v2\nPROVEN"],
    ["with half a letter", "v\ud800"],
  ])("a plan's name that is %s → UPG_PROOF_MALFORMED", async (_what, plan) => {
    await expect(verifyEvidence({ ...evidence, plan }, chain.trust(1))).rejects.toMatchObject({
      code: "UPG_PROOF_MALFORMED",
    });
  });
});
