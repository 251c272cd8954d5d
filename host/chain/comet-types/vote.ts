/** Votes as they travel and as evidence holds them. */

import { ADDRESS_BYTES, SIGNATURE_BYTES } from "../../base/text/bytes.js";
import { WireWriter } from "../../base/wire/wire.js";
import { type FieldKinds, Fields, invalid, rule } from "../../base/wire/wire-fields.js";
import { decodeBlockId, encodeBlockId, isCompleteBlockId, isNilBlockId } from "./block-id.js";
import { PRECOMMIT, PREVOTE, type VoteContent } from "./canonical.js";
import { encodeTime, timeOf } from "./wire-time.js";

export interface Vote extends VoteContent {
  /** 20 bytes. */
  readonly validatorAddress: Uint8Array;
  /** Place in the validator set; int32. */
  readonly validatorIndex: number;
  readonly signature: Uint8Array;
  /** Only in precommits for a block, where the chain has vote extensions. */
  readonly extension: Uint8Array;
  readonly extensionSignature: Uint8Array;
}

/** `tendermint.types.Vote` */
export function encodeVote(vote: Vote): Uint8Array {
  return new WireWriter()
    .int(1, vote.type)
    .int(2, vote.height)
    .int(3, vote.round)
    .message(4, encodeBlockId(vote.blockId))
    .message(5, encodeTime(vote.timestamp))
    .bytes(6, vote.validatorAddress)
    .int(7, vote.validatorIndex)
    .bytes(8, vote.signature)
    .bytes(9, vote.extension)
    .bytes(10, vote.extensionSignature)
    .finish();
}

// biome-ignore format: one line per five fields
const VOTE_FIELDS: FieldKinds = [
  "varint", "varint", "varint", "bytes", "bytes",
  "bytes", "varint", "bytes", "bytes", "bytes",
];

/** The form alone; {@link validateVote} has the rules. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeVote(bytes: Uint8Array): Vote {
  const fields = new Fields(bytes, "Vote", VOTE_FIELDS);
  const type = fields.int32(1);
  if (type !== PREVOTE && type !== PRECOMMIT) throw invalid(`malformed Vote: unknown type ${type}`);
  return {
    type,
    height: fields.int64(2),
    round: fields.int32(3),
    blockId: decodeBlockId(fields.bytes(4)),
    timestamp: timeOf(fields, 5),
    validatorAddress: fields.bytes(6),
    validatorIndex: fields.int32(7),
    signature: fields.bytes(8),
    extension: fields.bytes(9),
    extensionSignature: fields.bytes(10),
  };
}

/** What every vote must obey; signatures are not verified here. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function validateVote(vote: Vote): void {
  const isNil = isNilBlockId(vote.blockId);
  rule(vote.height > 0n, `vote: height ${vote.height} is not positive`);
  rule(vote.round >= 0, `vote: round ${vote.round} is negative`);
  rule(isNil || isCompleteBlockId(vote.blockId), "vote: the block id is neither nil nor complete");
  rule(vote.validatorAddress.length === ADDRESS_BYTES, "vote: a validator address has 20 bytes");
  rule(vote.validatorIndex >= 0, `vote: validator index ${vote.validatorIndex} is negative`);
  validateSignature(vote.signature, "vote");
  const { extension, extensionSignature } = vote;
  if (vote.type !== PRECOMMIT || isNil) {
    rule(extension.length === 0 && extensionSignature.length === 0, "vote: only precommits for a block are extended");
  } else {
    rule(extension.length === 0 || extensionSignature.length > 0, "vote: the extension is not signed");
    rule(extensionSignature.length <= SIGNATURE_BYTES, "vote: the extension's signature is longer than 64 bytes");
  }
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT unless it has 1 to 64 bytes. */
export function validateSignature(signature: Uint8Array, what: string): void {
  rule(signature.length > 0, `${what}: the signature is missing`);
  rule(signature.length <= SIGNATURE_BYTES, `${what}: a signature of ${signature.length} bytes, at most 64`);
}
