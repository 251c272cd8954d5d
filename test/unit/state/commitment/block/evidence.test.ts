import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY, fromHex, toHex } from "../../../../../host/base/text/bytes.js";
import { NIL_BLOCK_ID } from "../../../../../host/chain/comet-types/block-id.js";
import {
  type DuplicateVoteEvidence,
  decodeEvidence,
  type Evidence,
  encodeEvidence,
  evidenceHash,
  evidenceListHash,
  type LightClientAttackEvidence,
  validateEvidence,
} from "../../../../../host/chain/comet-types/evidence.js";
import { headerHash } from "../../../../../host/chain/comet-types/header.js";
import { type Vote, validateVote } from "../../../../../host/chain/comet-types/vote.js";
import { sha256, vote } from "./arbitraries.js";
import { ATTACK_HASH, ATTACK_LIST_HASH, ATTACK_PROTO } from "./light-client-attack.js";

const REFUSED = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
const filled = (byte: number, length: number): Uint8Array => new Uint8Array(length).fill(byte);

const VOTE: Vote = {
  type: 2,
  height: 9n,
  round: 0,
  blockId: { hash: filled(1, 32), parts: { total: 1, hash: filled(2, 32) } },
  timestamp: { seconds: 0n, nanos: 0 },
  validatorAddress: filled(3, 20),
  validatorIndex: 0,
  signature: filled(4, 64),
  extension: EMPTY,
  extensionSignature: EMPTY,
};
const LATER: Vote = { ...VOTE, blockId: { hash: filled(1, 32), parts: { total: 2, hash: filled(2, 32) } } };

const DUPLICATE: DuplicateVoteEvidence = {
  kind: "duplicate-vote",
  voteA: VOTE,
  voteB: LATER,
  totalPower: 10n,
  validatorPower: 3n,
  timestamp: { seconds: 1n, nanos: 0 },
};

function attack(): LightClientAttackEvidence {
  const evidence = decodeEvidence(fromHex(ATTACK_PROTO));
  if (evidence.kind !== "light-client-attack") throw new Error("the fixture is another kind of evidence");
  return evidence;
}

describe("validateVote()", () => {
  const attempt = (change: Partial<Vote>) => () => validateVote({ ...VOTE, ...change });

  test("takes every vote that obeys the rules", () => {
    fc.assert(
      fc.property(vote, (sound) => {
        validateVote(sound);
      }),
    );
  });

  test.each<[string, Partial<Vote>]>([
    ["height 0", { height: 0n }],
    ["a negative round", { round: -1 }],
    ["a block id that is neither nil nor complete", { blockId: { ...VOTE.blockId, hash: EMPTY } }],
    ["a block id of no parts", { blockId: { ...VOTE.blockId, parts: { total: 0, hash: filled(2, 32) } } }],
    ["a block id of a part set hash alone", { blockId: { hash: EMPTY, parts: { total: 0, hash: filled(2, 32) } } }],
    ["a block id of a hash alone", { blockId: { hash: filled(1, 32), parts: { total: 0, hash: EMPTY } } }],
    ["a block id of a number of parts alone", { blockId: { hash: EMPTY, parts: { total: 1, hash: EMPTY } } }],
    ["an address of 19 bytes", { validatorAddress: filled(3, 19) }],
    ["a negative validator index", { validatorIndex: -1 }],
    ["no signature", { signature: EMPTY }],
    ["a signature of 65 bytes", { signature: filled(4, 65) }],
    ["an extension in a prevote", { type: 1, extension: filled(1, 1), extensionSignature: filled(1, 64) }],
    ["an extension's signature in a vote for nil", { blockId: NIL_BLOCK_ID, extensionSignature: filled(1, 64) }],
    ["an extension that nobody signed", { extension: filled(1, 1) }],
    ["an extension's signature of 65 bytes", { extensionSignature: filled(1, 65) }],
  ])("with %s → UPG_INVALID_ARGUMENT", (_, change) => {
    expect(attempt(change)).toThrow(REFUSED);
  });
});

describe("validateEvidence()", () => {
  const check = (evidence: Evidence) => () => validateEvidence(sha256, evidence);

  test("takes two votes in the order of their block ids, and refuses them the other way round or equal", () => {
    check(DUPLICATE)();
    expect(check({ ...DUPLICATE, voteA: LATER, voteB: VOTE })).toThrow(REFUSED);
    expect(check({ ...DUPLICATE, voteB: VOTE })).toThrow(REFUSED);
  });

  test("with a vote that breaks its rules → UPG_INVALID_ARGUMENT", () => {
    expect(check({ ...DUPLICATE, voteA: { ...VOTE, height: 0n } })).toThrow(REFUSED);
    expect(check({ ...DUPLICATE, voteB: { ...LATER, round: -1 } })).toThrow(REFUSED);
  });

  test("takes an attack that CometBFT takes", () => {
    check(attack())();
    check({ ...attack(), commonHeight: 1n, totalPower: 1n })();
    check({ ...attack(), commonHeight: attack().conflictingBlock.signedHeader.header.height })();
  });

  test.each<[string, (evidence: LightClientAttackEvidence) => Partial<LightClientAttackEvidence>]>([
    ["no power", () => ({ totalPower: 0n })],
    ["common height 0", () => ({ commonHeight: 0n })],
    [
      "a common height above the conflicting block",
      ({ conflictingBlock }) => ({ commonHeight: conflictingBlock.signedHeader.header.height + 1n }),
    ],
    [
      "a header that the commit does not name",
      ({ conflictingBlock: { signedHeader, validators } }) => {
        const header = { ...signedHeader.header, chainId: "another" };
        return { conflictingBlock: { signedHeader: { ...signedHeader, header }, validators } };
      },
    ],
    [
      "a commit of another height",
      ({ conflictingBlock: { signedHeader, validators } }) => {
        const commit = { ...signedHeader.commit, height: signedHeader.commit.height + 1n };
        return { conflictingBlock: { signedHeader: { ...signedHeader, commit }, validators } };
      },
    ],
    [
      "a header that breaks its rules",
      ({ conflictingBlock: { signedHeader, validators } }) => {
        const header = { ...signedHeader.header, proposerAddress: EMPTY };
        const blockId = { ...signedHeader.commit.blockId, hash: headerHash(sha256, header) };
        return {
          conflictingBlock: { signedHeader: { header, commit: { ...signedHeader.commit, blockId } }, validators },
        };
      },
    ],
    [
      "a commit that breaks its rules",
      ({ conflictingBlock: { signedHeader, validators } }) => {
        const commit = { ...signedHeader.commit, round: -1 };
        return { conflictingBlock: { signedHeader: { ...signedHeader, commit }, validators } };
      },
    ],
    [
      "a validator set without proposer",
      ({ conflictingBlock: { signedHeader, validators } }) => {
        return { conflictingBlock: { signedHeader, validators: { ...validators, proposer: undefined } } };
      },
    ],
    [
      "a validator set that the header does not name",
      ({ conflictingBlock: { signedHeader, validators } }) => {
        const changed = validators.validators.map((validator) => ({ ...validator, power: validator.power + 1n }));
        return { conflictingBlock: { signedHeader, validators: { ...validators, validators: changed } } };
      },
    ],
  ])("with an attack of %s → UPG_INVALID_ARGUMENT", (_, change) => {
    expect(check({ ...attack(), ...change(attack()) })).toThrow(REFUSED);
  });
});

describe("evidenceHash()", () => {
  test("of an attack is CometBFT's, and so is the hash of a list", () => {
    expect(toHex(encodeEvidence(attack()))).toBe(ATTACK_PROTO);
    expect(toHex(evidenceHash(sha256, attack()))).toBe(ATTACK_HASH);
    expect(toHex(evidenceListHash(sha256, [attack()]))).toBe(ATTACK_LIST_HASH);
  });

  test("of an attack depends on header and common height alone, that of a list on everything", () => {
    const other = { ...attack(), byzantineValidators: [], totalPower: 99n };
    expect(toHex(evidenceHash(sha256, other))).toBe(ATTACK_HASH);
    expect(toHex(evidenceHash(sha256, { ...attack(), commonHeight: attack().commonHeight + 1n }))).not.toBe(
      ATTACK_HASH,
    );
    expect(toHex(evidenceListHash(sha256, [other]))).not.toBe(ATTACK_LIST_HASH);
  });

  test("of two votes changes with either vote", () => {
    const hashes = [DUPLICATE, { ...DUPLICATE, voteA: LATER }, { ...DUPLICATE, voteB: VOTE }];
    expect(new Set(hashes.map((evidence) => toHex(evidenceHash(sha256, evidence)))).size).toBe(3);
  });
});
