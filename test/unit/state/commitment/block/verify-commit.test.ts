import { beforeAll, describe, expect, test } from "vitest";
import { EMPTY, toHex } from "../../../../../host/base/text/bytes.js";
import { ZERO_TIME } from "../../../../../host/base/time/time.js";
import { type BlockId, NIL_BLOCK_ID } from "../../../../../host/chain/comet-types/block-id.js";
import {
  type BlockIdFlag,
  type Commit,
  type CommitSig,
  commitSignBytes,
  FLAG_ABSENT,
  FLAG_COMMIT,
  FLAG_NIL,
} from "../../../../../host/chain/comet-types/commit.js";
import { type KeyType, publicKeyOf, sign, type VerifySignature } from "../../../../../host/chain/comet-types/keys.js";
import type { ValidatorSet } from "../../../../../host/chain/comet-types/validator-set.js";
import { createValidatorSet } from "../../../../../host/chain/comet-types/validator-updates.js";
import { verifyCommit } from "../../../../../host/chain/comet-types/verify-commit.js";
import { sha256 } from "./arbitraries.js";

const CHAIN = "chain-1";
const HEIGHT = 9n;
const BLOCK: BlockId = {
  hash: new Uint8Array(32).fill(1),
  parts: { total: 1, hash: new Uint8Array(32).fill(2) },
};
const ABSENT: CommitSig = { flag: FLAG_ABSENT, validatorAddress: EMPTY, timestamp: ZERO_TIME, signature: EMPTY };
const because = (reason: string) => expect.objectContaining({ code: "UPG_PROOF_COMMIT", details: { reason } });

interface Chain {
  readonly set: ValidatorSet;
  /** A commit in which the validator at each place did what its flag says, and signed it truly. */
  readonly commit: (flags: readonly BlockIdFlag[], block?: BlockId) => Commit;
}

/** Powers in descending order, so that a place in them is the place in the set. */
function chainOf(powers: readonly number[], typeOf: (index: number) => KeyType = () => "ed25519"): Chain {
  const secrets = new Map<string, { type: KeyType; secret: Uint8Array }>();
  const set = createValidatorSet(
    sha256,
    powers.map((power, index) => {
      const type = typeOf(index);
      const secret = new Uint8Array(32).fill(index + 1);
      const publicKey = publicKeyOf(type, secret);
      secrets.set(toHex(publicKey.bytes), { type, secret });
      return { publicKey, power: BigInt(power) };
    }),
  );
  const commit = (flags: readonly BlockIdFlag[], blockId = BLOCK): Commit => {
    const unsigned: Commit = { height: HEIGHT, round: 2, blockId, signatures: [] };
    const signatures = set.validators.map(({ address, publicKey }, index): CommitSig => {
      const flag = flags[index] ?? FLAG_ABSENT;
      const key = secrets.get(toHex(publicKey.bytes));
      if (flag === FLAG_ABSENT || !key) return ABSENT;
      const vote = {
        flag,
        validatorAddress: address,
        timestamp: { seconds: BigInt(index), nanos: 1 },
        signature: EMPTY,
      };
      return { ...vote, signature: sign(key.type, key.secret, commitSignBytes(CHAIN, unsigned, vote)) };
    });
    return { ...unsigned, signatures };
  };
  return { set, commit };
}

const verify =
  ({ set }: Chain, commit: Commit) =>
  () =>
    verifyCommit(set, CHAIN, BLOCK, HEIGHT, commit);

describe("verifyCommit()", () => {
  let three: Chain;
  let whole: Commit;
  beforeAll(() => {
    three = chainOf([5, 4, 3]);
    whole = three.commit([FLAG_COMMIT, FLAG_COMMIT, FLAG_COMMIT]);
  });

  const withSignature = (index: number, change: Partial<CommitSig>): Commit => {
    const old = whole.signatures[index] ?? ABSENT;
    return { ...whole, signatures: whole.signatures.with(index, { ...old, ...change }) };
  };

  test("accepts a commit that all have signed, and one that more than two thirds have", () => {
    verify(three, whole)();
    verify(three, three.commit([FLAG_COMMIT, FLAG_COMMIT, FLAG_ABSENT]))();
    verify(three, three.commit([FLAG_COMMIT, FLAG_COMMIT, FLAG_NIL]))();
  });

  test.each([
    [[8, 4], [FLAG_COMMIT, FLAG_ABSENT], "exactly two thirds of 12", false],
    [[9, 4], [FLAG_COMMIT, FLAG_ABSENT], "9 of 13, more than two thirds", true],
    [[8, 5], [FLAG_COMMIT, FLAG_ABSENT], "8 of 13, less than two thirds", false],
    [[7, 4], [FLAG_COMMIT, FLAG_ABSENT], "7 of 11, less than two thirds", false],
    [[8, 3], [FLAG_COMMIT, FLAG_ABSENT], "8 of 11, more than two thirds", true],
    [[1], [FLAG_COMMIT], "the only one", true],
    [[1], [FLAG_ABSENT], "nobody", false],
    [[8, 4], [FLAG_COMMIT, FLAG_NIL], "two thirds, the others for nil", false],
    [[8, 4], [FLAG_NIL, FLAG_NIL], "all, for nil", false],
  ] as const)("with powers %j and flags %j (%s; %s is %s)", (powers, flags, _, holds) => {
    const chain = chainOf(powers);
    const attempt = verify(chain, chain.commit(flags));
    if (holds) attempt();
    else expect(attempt).toThrow(because("power"));
  });

  test("verifies every signature, also those for nil and those that are not needed", () => {
    const commit = three.commit([FLAG_COMMIT, FLAG_COMMIT, FLAG_NIL]);
    const forged = (signature: Uint8Array) => signature.map((byte, at) => (at === 40 ? byte ^ 1 : byte));
    commit.signatures.forEach((old, index) => {
      const signatures = commit.signatures.with(index, { ...old, signature: forged(old.signature) });
      expect(verify(three, { ...commit, signatures }), `signature ${index}`).toThrow(because("signature"));
    });
  });

  test("with a vote for nil passed off as one for the block → refused", () => {
    const commit = three.commit([FLAG_COMMIT, FLAG_COMMIT, FLAG_NIL]);
    const last = commit.signatures[2] ?? ABSENT;
    const signatures = commit.signatures.with(2, { ...last, flag: FLAG_COMMIT });
    expect(verify(three, { ...commit, signatures })).toThrow(because("signature"));
  });

  test("with anything changed that was signed → refused", () => {
    const other = { set: three.set, commit: three.commit };
    expect(() => verifyCommit(other.set, "chain-2", BLOCK, HEIGHT, whole)).toThrow(because("signature"));
    expect(verify(three, { ...whole, round: 3 })).toThrow(because("signature"));
    expect(verify(three, withSignature(0, { timestamp: { seconds: 0n, nanos: 2 } }))).toThrow(because("signature"));
  });

  test("for another height or block → refused", () => {
    expect(() => verifyCommit(three.set, CHAIN, BLOCK, HEIGHT + 1n, whole)).toThrow(because("height"));
    const otherParts = { ...BLOCK, parts: { ...BLOCK.parts, total: 2 } };
    expect(() => verifyCommit(three.set, CHAIN, otherParts, HEIGHT, whole)).toThrow(because("block"));
    expect(() => verifyCommit(three.set, CHAIN, NIL_BLOCK_ID, HEIGHT, whole)).toThrow(because("block"));
  });

  test("with signatures in another order, too many or too few → refused", () => {
    const [a = ABSENT, b = ABSENT, c = ABSENT] = whole.signatures;
    expect(verify(three, { ...whole, signatures: [b, a, c] })).toThrow(because("address"));
    expect(verify(three, { ...whole, signatures: [a, a, a] })).toThrow(because("address"));
    expect(verify(three, { ...whole, signatures: [a, b] })).toThrow(because("size"));
    expect(verify(three, { ...whole, signatures: [a, b, c, c] })).toThrow(because("size"));
  });

  test("with a commit that breaks its own rules → UPG_INVALID_ARGUMENT", () => {
    const refused = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
    expect(verify(three, { ...whole, signatures: [] })).toThrow(refused);
    expect(verify(three, { ...whole, blockId: NIL_BLOCK_ID })).toThrow(refused);
    expect(verify(three, withSignature(0, { signature: EMPTY }))).toThrow(refused);
    expect(verify(three, withSignature(0, { flag: FLAG_ABSENT }))).toThrow(refused);
  });

  test("of an empty set or of height 0 → refused", () => {
    const nothing: Commit = { height: 0n, round: 0, blockId: NIL_BLOCK_ID, signatures: [] };
    const nobody = createValidatorSet(sha256, []);
    expect(() => verifyCommit(nobody, CHAIN, NIL_BLOCK_ID, 0n, nothing)).toThrow(because("power"));
  });

  test("with keys of both types → accepted", () => {
    const mixed = chainOf([5, 4, 3], (index) => (index === 1 ? "secp256k1" : "ed25519"));
    verify(mixed, mixed.commit([FLAG_COMMIT, FLAG_COMMIT, FLAG_NIL]))();
  });

  test("uses the verifier that is handed in, and only when the power suffices", () => {
    const seen: string[] = [];
    const watcher: VerifySignature = (key) => {
      seen.push(toHex(key.bytes));
      return true;
    };
    const short = three.commit([FLAG_COMMIT, FLAG_NIL, FLAG_ABSENT]);
    expect(() => verifyCommit(three.set, CHAIN, BLOCK, HEIGHT, short, watcher)).toThrow(because("power"));
    expect(seen).toEqual([]);
    verifyCommit(three.set, CHAIN, BLOCK, HEIGHT, three.commit([FLAG_COMMIT, FLAG_COMMIT, FLAG_NIL]), watcher);
    expect(seen).toEqual(three.set.validators.map(({ publicKey }) => toHex(publicKey.bytes)));
  });
});
