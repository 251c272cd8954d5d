import { sha256 } from "@noble/hashes/sha2.js";
import { describe, expect, test } from "vitest";
import { compareBytes } from "../../../host/base/text/bytes.js";
import { FLAG_ABSENT, FLAG_COMMIT, FLAG_NIL } from "../../../host/chain/comet-types/commit.js";
import type { Header } from "../../../host/chain/comet-types/header.js";
import type { LightBlock } from "../../../host/chain/comet-types/light-block.js";
import { type ValidatorSet, validatorSetHash } from "../../../host/chain/comet-types/validator-set.js";
import { type AdvanceOptions, advance, startAt } from "../../../host/verify/light.js";
import { pathTo } from "../../../host/verify/path.js";
import { MadeChain, type Members, timeOf } from "./made-chain.js";

const BLOCKS = 9;
const options: AdvanceOptions = { now: timeOf(BLOCKS + 1), trustingPeriod: 86_400n };
const refused = (code: string, reason: string) => expect.objectContaining({ code, details: { reason } });

const same = (powers: readonly number[]): Members => powers.map((power, at) => ({ seed: at + 1, power }));
const made = (members: (height: number) => Members, flag?: ConstructorParameters<typeof MadeChain>[0]["flag"]) =>
  new MadeChain({ blocks: BLOCKS, members, ...(flag ? { flag } : {}) });

const four = made(() => same([10, 10, 10, 10]));
/** Each block has one newcomer instead of the one who is there longest. */
const moving = made((height) => [0, 1, 2, 3].map((at) => ({ seed: height + at, power: 10 })));

function withHeader(chain: MadeChain, height: number, change: Partial<Header>, set?: ValidatorSet): LightBlock {
  const { signedHeader, validators } = chain.at(height);
  return chain.signed({ ...signedHeader.header, ...change }, set ?? validators);
}

describe("advance()", () => {
  test.each([2, 3, BLOCKS])(
    "validators that stay, from 1 to %i → trusted, with the fewest signatures",
    async (height) => {
      const { signatures, steps, lightBlock } = await advance(four.at(1), four.at(height), options);
      // Three of four are more than two thirds, and among them is more than a third.
      expect([signatures, steps, lightBlock.signedHeader.header.height]).toEqual([3, 1, BigInt(height)]);
    },
  );

  test("greatest power first → one signature decides where one has almost all", async () => {
    const one = made(() => same([1, 2, 100, 3]));
    expect((await advance(one.at(1), one.at(5), options)).signatures).toBe(1);
  });

  test("half of the validators are others → by the half that stays; three of four others → UPG_PROOF_TRUST power", async () => {
    expect((await advance(moving.at(1), moving.at(3), options)).signatures).toBeGreaterThan(2);
    await expect(advance(moving.at(1), moving.at(4), options)).rejects.toEqual(refused("UPG_PROOF_TRUST", "power"));
    await expect(advance(moving.at(1), moving.at(9), options)).rejects.toEqual(refused("UPG_PROOF_TRUST", "power"));
  });

  test("exactly a third of the trusted power → UPG_PROOF_TRUST; exactly two thirds of its own → UPG_PROOF_COMMIT", async () => {
    const third = made((height) =>
      height < 3 ? same([10, 10, 10]) : [{ seed: 1, power: 10 }, ...same([0, 0, 0, 10, 10]).slice(3)],
    );
    await expect(advance(third.at(1), third.at(5), options)).rejects.toEqual(refused("UPG_PROOF_TRUST", "power"));
    const silent = (flag: typeof FLAG_ABSENT | typeof FLAG_NIL) =>
      made(
        () => same([10, 10, 10]),
        (_height, seed) => (seed === 3 ? flag : FLAG_COMMIT),
      );
    for (const flag of [FLAG_ABSENT, FLAG_NIL] as const) {
      for (const height of [2, 5]) {
        const chain = silent(flag);
        await expect(advance(chain.at(1), chain.at(height), options)).rejects.toEqual(
          refused("UPG_PROOF_COMMIT", "power"),
        );
      }
    }
  });

  test("a validator with secp256k1 → part of the set's hash and power, its vote not counted", async () => {
    const mixed = (power: number) =>
      made(() => [...same([10, 10, 10]), { seed: 9, power, type: "secp256k1" as const }]);
    const [fewer, more] = [mixed(10), mixed(15)];
    expect((await advance(fewer.at(1), fewer.at(5), options)).signatures).toBe(3);
    await expect(advance(more.at(1), more.at(5), options)).rejects.toEqual(refused("UPG_PROOF_COMMIT", "power"));
  });

  test("the next header with other validators than the trusted one names → UPG_PROOF_TRUST validators", async () => {
    const other = withHeader(
      four,
      2,
      { validatorsHash: moving.at(7).signedHeader.header.validatorsHash },
      moving.setAt(7),
    );
    const signed = moving.signed(other.signedHeader.header, moving.setAt(7));
    await expect(advance(four.at(1), signed, options)).rejects.toEqual(refused("UPG_PROOF_TRUST", "validators"));
  });

  test("heights and times that do not go forward, or too far → UPG_PROOF_HEADER", async () => {
    const trusted = four.at(5);
    await expect(advance(trusted, four.at(5), options)).rejects.toEqual(refused("UPG_PROOF_HEADER", "height"));
    await expect(advance(trusted, four.at(3), options)).rejects.toEqual(refused("UPG_PROOF_HEADER", "height"));
    const early = withHeader(four, 7, { time: timeOf(5) });
    await expect(advance(trusted, early, options)).rejects.toEqual(refused("UPG_PROOF_HEADER", "time"));
    const at = (seconds: bigint): AdvanceOptions => ({
      ...options,
      now: { seconds: timeOf(7).seconds + seconds, nanos: timeOf(7).nanos },
    });
    // Ten seconds of drift: at exactly ten it is from the future, as in CometBFT.
    await expect(advance(trusted, four.at(7), at(-10n))).rejects.toEqual(refused("UPG_PROOF_HEADER", "future"));
    await advance(trusted, four.at(7), at(-9n));
    await expect(advance(trusted, four.at(7), { ...at(0n), maxClockDrift: 0n })).rejects.toEqual(
      refused("UPG_PROOF_HEADER", "future"),
    );
  });

  test("the trusting period, to the nanosecond → UPG_PROOF_TRUST expired", async () => {
    const { seconds, nanos } = timeOf(1);
    const at = (now: { seconds: bigint; nanos: number }) =>
      advance(four.at(1), four.at(5), { now, trustingPeriod: 100n });
    await at({ seconds: seconds + 100n, nanos: nanos - 1 });
    await expect(at({ seconds: seconds + 100n, nanos })).rejects.toEqual(refused("UPG_PROOF_TRUST", "expired"));
  });

  test("a header of another commit, set or chain → UPG_PROOF_HEADER", async () => {
    const { signedHeader, validators } = four.at(5);
    const [trusted, commit] = [four.at(1), signedHeader.commit];
    const otherHeader = { signedHeader: { header: four.at(6).signedHeader.header, commit }, validators };
    await expect(advance(trusted, otherHeader, options)).rejects.toEqual(refused("UPG_PROOF_HEADER", "commit"));
    const otherSet = { signedHeader, validators: moving.setAt(5) };
    await expect(advance(trusted, otherSet, options)).rejects.toEqual(refused("UPG_PROOF_HEADER", "validators"));
    const otherChain = withHeader(four, 5, { chainId: "other" });
    await expect(advance(trusted, otherChain, options)).rejects.toEqual(refused("UPG_PROOF_HEADER", "chain"));
  });

  test("votes that repeat one validator's address → counted once", async () => {
    const { signedHeader, validators } = four.at(5);
    const [first] = signedHeader.commit.signatures;
    const signatures = signedHeader.commit.signatures.map((each) => first ?? each);
    const repeated = { signedHeader: { ...signedHeader, commit: { ...signedHeader.commit, signatures } }, validators };
    await expect(advance(four.at(1), repeated, options)).rejects.toEqual(refused("UPG_PROOF_COMMIT", "address"));
  });

  test("a set that lists a validator twice → UPG_PROOF_HEADER, though its hash is the header's", async () => {
    const set = four.setAt(5);
    const twice = { ...set, validators: [...set.validators.slice(0, 1), ...set.validators], totalPower: 50n };
    const block = withHeader(four, 5, { validatorsHash: validatorSetHash(sha256, twice) }, twice);
    await expect(advance(four.at(1), block, options)).rejects.toEqual(refused("UPG_PROOF_HEADER", "validators"));
  });

  test("any signature that is needed is not genuine → UPG_PROOF_COMMIT signature; one that is not needed is not asked", async () => {
    const { signedHeader, validators } = four.at(5);
    const forged = (at: number): LightBlock => {
      const signatures = signedHeader.commit.signatures.map((each, index) =>
        index === at ? { ...each, signature: new Uint8Array(64).fill(1) } : each,
      );
      return { signedHeader: { ...signedHeader, commit: { ...signedHeader.commit, signatures } }, validators };
    };
    for (const at of [0, 1, 2]) {
      await expect(advance(four.at(1), forged(at), options)).rejects.toEqual(refused("UPG_PROOF_COMMIT", "signature"));
    }
    await advance(four.at(1), forged(3), options);
  });
});

describe("startAt()", () => {
  test("the block of the hash → trusted; any other hash, height or chain → refused", () => {
    const { root } = four.trust(3);
    expect(startAt(four.at(3), { root }).steps).toBe(0);
    expect(() => startAt(four.at(4), { root })).toThrow(refused("UPG_PROOF_TRUST", "root"));
    expect(() => startAt(four.at(3), { root: { ...root, hash: new Uint8Array(0) } })).toThrow(
      refused("UPG_PROOF_TRUST", "root"),
    );
    expect(() => startAt(four.at(3), { root: { ...root, chainId: "" } })).toThrow(refused("UPG_PROOF_HEADER", "chain"));
  });
});

describe("pathTo()", () => {
  const walk = async (chain: MadeChain, from: number, to: number) => {
    const asked: bigint[] = [];
    const block = (height: number | bigint) => ({
      lightBlock: chain.at(height),
      json: { signed_header: null, validators: null },
    });
    const ask = async (height: bigint) => {
      asked.push(height);
      return block(height);
    };
    const verify = (trusted: LightBlock, next: LightBlock) => advance(trusted, next, options);
    const path = await pathTo(block(from), block(to), { ask, verify });
    return { path: path.map(({ lightBlock }) => lightBlock), asked };
  };

  test("validators that stay → no header between is asked for", async () => {
    expect((await walk(four, 1, BLOCKS)).asked).toEqual([]);
  });

  test("validators that move → headers between, over which advance() carries trust", async () => {
    const { path, asked } = await walk(moving, 1, BLOCKS);
    expect(asked.length).toBeGreaterThan(2);
    let trusted = moving.at(1);
    for (const next of path) trusted = (await advance(trusted, next, options)).lightBlock;
    expect(compareBytes(trusted.signedHeader.header.appHash, moving.at(BLOCKS).signedHeader.header.appHash)).toBe(0);
  });
});
