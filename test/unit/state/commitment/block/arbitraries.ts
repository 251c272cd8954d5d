/** Random blocks and their parts for property tests; everything obeys the rules that need no state. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { EMPTY } from "../../../../../host/base/text/bytes.js";
import { ZERO_TIME } from "../../../../../host/base/time/time.js";
import { INT64_MAX } from "../../../../../host/base/types/limits.js";
import type { Sha256, Timestamp } from "../../../../../host/base/types/types.js";
import { type BlockId, NIL_BLOCK_ID } from "../../../../../host/chain/comet-types/block-id.js";
import {
  type Commit,
  type CommitSig,
  FLAG_ABSENT,
  FLAG_COMMIT,
  FLAG_NIL,
} from "../../../../../host/chain/comet-types/commit.js";
import type { DuplicateVoteEvidence } from "../../../../../host/chain/comet-types/evidence.js";
import { BLOCK_PROTOCOL, type Header } from "../../../../../host/chain/comet-types/header.js";
import type { ValidatorUpdate } from "../../../../../host/chain/comet-types/validator-updates.js";
import type { Vote } from "../../../../../host/chain/comet-types/vote.js";

/** Answers plain arrays, so that results compare equal however they came about. */
export const sha256: Sha256 = (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());

export const bytes = (minLength: number, maxLength = minLength): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength, maxLength });

const hash = bytes(32);
const address = bytes(20);
const maybeHash = fc.oneof(hash, fc.constant(EMPTY));
const height = fc.bigInt({ min: 1n, max: INT64_MAX });
const round = fc.integer({ min: 0, max: 0x7fff_ffff });

export const time: fc.Arbitrary<Timestamp> = fc.record({
  seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }),
  nanos: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999 })),
});

export const blockId: fc.Arbitrary<BlockId> = fc.record({
  hash,
  parts: fc.record({ total: fc.integer({ min: 1, max: 0xffff_ffff }), hash }),
});

export const header: fc.Arbitrary<Header> = fc.record({
  version: fc.record({ block: fc.constant(BLOCK_PROTOCOL), app: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }) }),
  chainId: fc.string({ unit: "grapheme", maxLength: 12 }),
  height,
  time,
  lastBlockId: fc.oneof(blockId, fc.constant(NIL_BLOCK_ID)),
  lastCommitHash: maybeHash,
  dataHash: maybeHash,
  validatorsHash: hash,
  nextValidatorsHash: maybeHash,
  consensusHash: maybeHash,
  appHash: bytes(0, 40),
  lastResultsHash: maybeHash,
  evidenceHash: maybeHash,
  proposerAddress: address,
});

const absent: CommitSig = {
  flag: FLAG_ABSENT,
  validatorAddress: EMPTY,
  timestamp: ZERO_TIME,
  signature: EMPTY,
};

const commitSig: fc.Arbitrary<CommitSig> = fc.oneof(
  fc.constant(absent),
  fc.record({
    flag: fc.constantFrom(FLAG_COMMIT, FLAG_NIL),
    validatorAddress: address,
    timestamp: time,
    signature: bytes(1, 64),
  }),
);

export const commit: fc.Arbitrary<Commit> = fc.record({
  height,
  round,
  blockId,
  signatures: fc.array(commitSig, { minLength: 1, maxLength: 6 }),
});

/** Prevotes, precommits with and without extension, and votes for nil. */
export const vote: fc.Arbitrary<Vote> = fc
  .record({
    height,
    round,
    timestamp: time,
    validatorAddress: address,
    validatorIndex: round,
    signature: bytes(1, 64),
  })
  .chain((common) =>
    fc
      .oneof(
        fc.record({ type: fc.constant(2 as const), blockId, extension: bytes(0, 9), extensionSignature: bytes(64) }),
        fc.record({
          type: fc.constantFrom(1 as const, 2 as const),
          blockId: fc.oneof(blockId, fc.constant(NIL_BLOCK_ID)),
          extension: fc.constant(EMPTY),
          extensionSignature: fc.constant(EMPTY),
        }),
      )
      .map((rest): Vote => ({ ...common, ...rest })),
  );

const int64 = fc.bigInt({ min: -INT64_MAX - 1n, max: INT64_MAX });

export const duplicateVote: fc.Arbitrary<DuplicateVoteEvidence> = fc.record({
  kind: fc.constant("duplicate-vote" as const),
  voteA: vote,
  voteB: vote,
  totalPower: int64,
  validatorPower: int64,
  timestamp: time,
});

/** Updates of distinct ed25519 keys, picked from a small pool so that they meet each other again. */
export const updates = (minPower: number, minLength: number): fc.Arbitrary<ValidatorUpdate[]> =>
  fc
    .uniqueArray(
      fc.record({ key: fc.integer({ min: 0, max: 15 }), power: fc.integer({ min: minPower, max: 1_000 }) }),
      {
        selector: ({ key }) => key,
        minLength,
        maxLength: 10,
      },
    )
    .map((list) => list.map(({ key, power }) => update(key, BigInt(power))));

/** The validator of a number; its key is no curve point, which only signatures would need. */
export function update(key: number, power: bigint): ValidatorUpdate {
  return { publicKey: { type: "ed25519", bytes: sha256(Uint8Array.of(key & 0xff, key >> 8)) }, power };
}
