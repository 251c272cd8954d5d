/** Light blocks that no RPC's JSON could have been: objects that a caller of `advance()` and `startAt()` was handed by others. */
import { describe, expect, test } from "vitest";
import type { LightBlock } from "../../../host/chain/comet-types/light-block.js";
import type { ValidatorSet } from "../../../host/chain/comet-types/validator-set.js";
import { type AdvanceOptions, advance, startAt } from "../../../host/verify/light.js";
import { MadeChain, timeOf } from "./made-chain.js";

const options: AdvanceOptions = { now: timeOf(10), trustingPeriod: 86_400n };
const honest = new MadeChain({ blocks: 9, members: () => [{ seed: 1, power: 10 }] });
/** The same chain's name and times, with a validator of an enemy. */
const enemy = new MadeChain({ blocks: 9, members: () => [{ seed: 66, power: 10 }] });
const malformed = expect.objectContaining({ code: "UPG_PROOF_MALFORMED" });

const [trusted, forged] = [honest.at(1), enemy.at(5)];
const addressOfTrusted = trusted.validators.validators[0]?.address as Uint8Array;

/** The enemy's own block, signed by its own key, with the address of a validator that is trusted. */
function withAddress({ signedHeader, validators }: LightBlock, address: Uint8Array): LightBlock {
  const { commit } = signedHeader;
  const signatures = commit.signatures.map((each) => ({ ...each, validatorAddress: address }));
  const members = validators.validators.map((each) => ({ ...each, address }));
  return {
    signedHeader: { ...signedHeader, commit: { ...commit, signatures } },
    validators: { ...validators, validators: members },
  };
}

const withSet = (block: LightBlock, change: Partial<ValidatorSet>): LightBlock => ({
  ...block,
  validators: { ...block.validators, ...change },
});

describe("advance() to or from a block that was forged", () => {
  test("an own key under the address of a trusted validator → UPG_PROOF_MALFORMED", async () => {
    await expect(advance(trusted, withAddress(forged, addressOfTrusted), options)).rejects.toEqual(malformed);
    await expect(advance(trusted, forged, options)).rejects.toMatchObject({ details: { reason: "power" } });
  });

  test("the trusted block with the enemy's address, or a sum of powers that is none → UPG_PROOF_MALFORMED", async () => {
    const address = forged.validators.validators[0]?.address as Uint8Array;
    await expect(advance(withAddress(trusted, address), forged, options)).rejects.toEqual(malformed);
    for (const totalPower of [0n, 1n, 11n, -10n]) {
      await expect(advance(withSet(trusted, { totalPower }), honest.at(5), options)).rejects.toEqual(malformed);
      await expect(advance(trusted, withSet(honest.at(5), { totalPower }), options)).rejects.toEqual(malformed);
    }
  });

  test("members that change when they are read again → those that were checked count", async () => {
    let reads = 0;
    const block: LightBlock = {
      signedHeader: honest.at(5).signedHeader,
      get validators() {
        return reads++ === 0 ? honest.at(5).validators : forged.validators;
      },
    };
    const { lightBlock } = await advance(trusted, block, options);
    expect(lightBlock.validators.validators).toEqual(honest.at(5).validators.validators);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: what a caller without types hands in
const wrong: readonly [string, any][] = [
  ["null", null],
  ["nothing", undefined],
  ["a text", "block"],
  ["an empty object", {}],
  ["a height that is a text", change((it) => (it.signedHeader.header.height = "5"))],
  ["a hash that is an ArrayBuffer", change((it) => (it.signedHeader.header.appHash = new ArrayBuffer(32)))],
  ["a hash that is a proxy", change((it) => (it.signedHeader.header.appHash = new Proxy(new Uint8Array(32), {})))],
  ["a list with a hole", change((it) => (it.signedHeader.commit.signatures = new Array(1)))],
  ["a key of another type", change((it) => (it.validators.validators[0].publicKey.type = "constructor"))],
  ["nanoseconds of a second and more", change((it) => (it.signedHeader.header.time.nanos = 1e9))],
  ["seconds beyond 64 bits", change((it) => (it.signedHeader.header.time.seconds += 1n << 64n))],
];

// biome-ignore lint/suspicious/noExplicitAny: as above
function change(make: (copy: any) => unknown): any {
  const copy = structuredClone(honest.at(5));
  make(copy);
  return copy;
}

describe("advance(), startAt() of wrong types → a code", () => {
  test.each(wrong)("%s for a block → UPG_PROOF_MALFORMED", async (_what, block) => {
    await expect(advance(trusted, block, options)).rejects.toEqual(malformed);
    await expect(advance(block, honest.at(6), options)).rejects.toEqual(malformed);
    expect(() => startAt(block, honest.trust(5))).toThrow(malformed);
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["no clock", { ...options, now: undefined }],
    ["a number for a period", { ...options, trustingPeriod: 9 }],
    ["a verifier that is none", { ...options, verifySignature: true }],
  ])("%s for options → UPG_INVALID_ARGUMENT", async (_what, given) => {
    const refused = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
    await expect(advance(trusted, honest.at(5), given as AdvanceOptions)).rejects.toEqual(refused);
    expect(() => startAt(trusted, given as never)).toThrow(refused);
  });
});
