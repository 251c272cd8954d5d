/** Evidence of misbehaviour, as blocks carry it. */
import { compareBytes, concatBytes, HASH_BYTES } from "../../base/text/bytes.js";
import type { Height, Sha256, Timestamp } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { type FieldKinds, Fields, rule } from "../../base/wire/wire-fields.js";
import { merkleRoot } from "../../state/commitment/merkle.js";
import { type BlockId, encodePartSetHeader } from "./block-id.js";
import { headerHash } from "./header.js";
import { decodeLightBlock, encodeLightBlock, type LightBlock, validateLightBlock } from "./light-block.js";
import { decodeValidator, encodeValidator, type Validator } from "./validator.js";
import { decodeVote, encodeVote, type Vote, validateVote } from "./vote.js";
import { encodeTime, timeOf } from "./wire-time.js";

/** One validator signed two votes that exclude each other. */
export interface DuplicateVoteEvidence {
  readonly kind: "duplicate-vote";
  /** The vote whose block id comes first. */
  readonly voteA: Vote;
  readonly voteB: Vote;
  readonly totalPower: bigint;
  readonly validatorPower: bigint;
  /** Time of the block in which it happened. */
  readonly timestamp: Timestamp;
}

/** Validators signed a block that is not the chain's. */
export interface LightClientAttackEvidence {
  readonly kind: "light-client-attack";
  readonly conflictingBlock: LightBlock;
  /** The last height that both sides agree on. */
  readonly commonHeight: Height;
  readonly byzantineValidators: readonly Validator[];
  /** At the common height. */
  readonly totalPower: bigint;
  readonly timestamp: Timestamp;
}

export type Evidence = DuplicateVoteEvidence | LightClientAttackEvidence;

/** Merkle root over {@link evidenceBytes}: a header's `evidenceHash`. */
export function evidenceListHash(sha256: Sha256, list: readonly Evidence[]): Uint8Array {
  return merkleRoot(sha256, list.map(evidenceBytes));
}

/**
 * The name of one piece of evidence. A light client attack is named by its header and common height alone, so that
 * other sets of signatures make no new evidence; CometBFT's code copies 31 of the hash's 32 bytes there, and so must we.
 */
export function evidenceHash(sha256: Sha256, evidence: Evidence): Uint8Array {
  if (evidence.kind === "duplicate-vote") return sha256(evidenceBytes(evidence));
  const name = new Uint8Array(HASH_BYTES);
  name.set(headerHash(sha256, evidence.conflictingBlock.signedHeader.header).subarray(0, HASH_BYTES - 1));
  const zigzag = (evidence.commonHeight << 1n) ^ (evidence.commonHeight >> 63n);
  return sha256(concatBytes(name, new WireWriter().varint(zigzag).finish()));
}

/** `tendermint.types.DuplicateVoteEvidence` or `LightClientAttackEvidence`: what is hashed. */
export function evidenceBytes(evidence: Evidence): Uint8Array {
  const writer = new WireWriter();
  if (evidence.kind === "duplicate-vote") {
    writer.message(1, encodeVote(evidence.voteA)).message(2, encodeVote(evidence.voteB));
    writer.int(3, evidence.totalPower).int(4, evidence.validatorPower);
  } else {
    writer.message(1, encodeLightBlock(evidence.conflictingBlock)).int(2, evidence.commonHeight);
    for (const validator of evidence.byzantineValidators) writer.message(3, encodeValidator(validator));
    writer.int(4, evidence.totalPower);
  }
  return writer.message(5, encodeTime(evidence.timestamp)).finish();
}

/** `tendermint.types.Evidence`, the oneof that blocks hold. */
export function encodeEvidence(evidence: Evidence): Uint8Array {
  return new WireWriter().message(evidence.kind === "duplicate-vote" ? 1 : 2, evidenceBytes(evidence)).finish();
}

/** The form alone; {@link validateEvidence} has the rules. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  const fields = new Fields(bytes, "Evidence", ["bytes", "bytes"]);
  rule(fields.has(1) !== fields.has(2), "malformed Evidence: it holds not exactly one kind");
  return fields.has(1) ? decodeDuplicateVote(fields.bytes(1)) : decodeLightClientAttack(fields.bytes(2));
}

function decodeDuplicateVote(bytes: Uint8Array): DuplicateVoteEvidence {
  const kinds: FieldKinds = ["bytes", "bytes", "varint", "varint", "bytes"];
  const fields = new Fields(bytes, "DuplicateVoteEvidence", kinds);
  return {
    kind: "duplicate-vote",
    voteA: decodeVote(fields.required(1)),
    voteB: decodeVote(fields.required(2)),
    totalPower: fields.int64(3),
    validatorPower: fields.int64(4),
    timestamp: timeOf(fields, 5),
  };
}

function decodeLightClientAttack(bytes: Uint8Array): LightClientAttackEvidence {
  const kinds: FieldKinds = ["bytes", "varint", "list", "varint", "bytes"];
  const fields = new Fields(bytes, "LightClientAttackEvidence", kinds);
  return {
    kind: "light-client-attack",
    conflictingBlock: decodeLightBlock(fields.required(1)),
    commonHeight: fields.int64(2),
    byzantineValidators: fields.list(3).map(decodeValidator),
    totalPower: fields.int64(4),
    timestamp: timeOf(fields, 5),
  };
}

/** Consistency in itself; no signature is verified. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function validateEvidence(sha256: Sha256, evidence: Evidence): void {
  if (evidence.kind === "duplicate-vote") {
    validateVote(evidence.voteA);
    validateVote(evidence.voteB);
    const order = compareBytes(sortKey(evidence.voteA.blockId), sortKey(evidence.voteB.blockId));
    rule(order < 0, "evidence: the votes are not two, ordered by block id");
    return;
  }
  const { height } = evidence.conflictingBlock.signedHeader.header;
  rule(evidence.totalPower > 0n, "evidence: the total voting power is not positive");
  rule(evidence.commonHeight > 0n, "evidence: the common height is not positive");
  rule(evidence.commonHeight <= height, "evidence: the common height lies above the conflicting block");
  validateLightBlock(sha256, evidence.conflictingBlock);
}

/** Two votes are ordered by hash and encoded part set header of their block ids, bytewise. */
function sortKey(id: BlockId): Uint8Array {
  return concatBytes(id.hash, encodePartSetHeader(id.parts));
}
