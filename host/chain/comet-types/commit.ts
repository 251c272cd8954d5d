/** Commits: the precommits that decided a block, one per validator in the order of the set. */

import { ADDRESS_BYTES } from "../../base/text/bytes.js";
import { compareTimes, ZERO_TIME } from "../../base/time/time.js";
import type { Height, Sha256, Timestamp } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields, invalid, rule } from "../../base/wire/wire-fields.js";
import { merkleRoot } from "../../state/commitment/merkle.js";
import { type BlockId, decodeBlockId, encodeBlockId, isNilBlockId, NIL_BLOCK_ID, validateBlockId } from "./block-id.js";
import { PRECOMMIT, voteSignBytes } from "./canonical.js";
import { validateSignature } from "./vote.js";
import { encodeTime, timeOf } from "./wire-time.js";

/** `tendermint.types.BlockIDFlag`: no vote arrived; a vote for the block; a vote for nil. */
export const FLAG_ABSENT = 1;
export const FLAG_COMMIT = 2;
export const FLAG_NIL = 3;

export type BlockIdFlag = typeof FLAG_ABSENT | typeof FLAG_COMMIT | typeof FLAG_NIL;

export interface CommitSig {
  readonly flag: BlockIdFlag;
  /** 20 bytes; empty when absent. */
  readonly validatorAddress: Uint8Array;
  /** ZERO_TIME when absent. */
  readonly timestamp: Timestamp;
  /** At most 64 bytes; empty when absent. */
  readonly signature: Uint8Array;
}

/** Block 1 carries the empty one: height 0, no block, no signatures. */
export interface Commit {
  readonly height: Height;
  /** int32 */
  readonly round: number;
  readonly blockId: BlockId;
  readonly signatures: readonly CommitSig[];
}

/** Merkle root over the signatures: a header's `lastCommitHash`. */
export function commitHash(sha256: Sha256, commit: Commit): Uint8Array {
  return merkleRoot(sha256, commit.signatures.map(encodeCommitSig));
}

/** What the validator of one of the commit's signatures has signed. */
export function commitSignBytes(chainId: string, commit: Commit, signature: CommitSig): Uint8Array {
  const { height, round } = commit;
  const blockId = signature.flag === FLAG_COMMIT ? commit.blockId : NIL_BLOCK_ID;
  return voteSignBytes(chainId, { type: PRECOMMIT, height, round, blockId, timestamp: signature.timestamp });
}

/** `tendermint.types.Commit` */
export function encodeCommit(commit: Commit): Uint8Array {
  const writer = new WireWriter().int(1, commit.height).int(2, commit.round).message(3, encodeBlockId(commit.blockId));
  for (const signature of commit.signatures) writer.message(4, encodeCommitSig(signature));
  return writer.finish();
}

/** The form alone; {@link validateCommit} has the rules. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeCommit(bytes: Uint8Array): Commit {
  const fields = new Fields(bytes, "Commit", ["varint", "varint", "bytes", "list"]);
  return {
    height: fields.int64(1),
    round: fields.int32(2),
    blockId: decodeBlockId(fields.bytes(3)),
    signatures: fields.list(4).map(decodeCommitSig),
  };
}

/** What every commit must obey; signatures are not verified here. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function validateCommit(commit: Commit): void {
  rule(commit.height >= 0n, `commit: height ${commit.height} is negative`);
  rule(commit.round >= 0, `commit: round ${commit.round} is negative`);
  validateBlockId(commit.blockId, "commit's block id");
  if (commit.height === 0n) return;
  rule(!isNilBlockId(commit.blockId), "commit: it names no block");
  rule(commit.signatures.length > 0, "commit: it has no signatures");
  commit.signatures.forEach(validateCommitSig);
}

function validateCommitSig(signature: CommitSig, index: number): void {
  const what = `commit: signature ${index}`;
  if (signature.flag === FLAG_ABSENT) {
    const isEmpty = signature.validatorAddress.length === 0 && signature.signature.length === 0;
    rule(isEmpty && compareTimes(signature.timestamp, ZERO_TIME) === 0, `${what} is absent and yet holds something`);
    return;
  }
  rule(signature.validatorAddress.length === ADDRESS_BYTES, `${what}: a validator address has 20 bytes`);
  validateSignature(signature.signature, what);
}

/** `tendermint.types.CommitSig` */
function encodeCommitSig(signature: CommitSig): Uint8Array {
  return new WireWriter()
    .int(1, signature.flag)
    .bytes(2, signature.validatorAddress)
    .message(3, encodeTime(signature.timestamp))
    .bytes(4, signature.signature)
    .finish();
}

function decodeCommitSig(bytes: Uint8Array): CommitSig {
  const fields = new Fields(bytes, "CommitSig", ["varint", "bytes", "bytes", "bytes"]);
  const flag = fields.int32(1);
  if (flag !== FLAG_ABSENT && flag !== FLAG_COMMIT && flag !== FLAG_NIL) {
    throw invalid(`malformed CommitSig: unknown flag ${flag}`);
  }
  return {
    flag,
    validatorAddress: fields.bytes(2),
    timestamp: timeOf(fields, 3),
    signature: fields.bytes(4),
  };
}
