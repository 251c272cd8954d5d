/**
 * The bytes that validators sign: canonical messages, after their length. Heights and rounds are fixed64, a nil block
 * id is left out, and who signs is no part of it.
 */
import type { Height, Timestamp } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { type BlockId, encodeBlockId, isNilBlockId } from "./block-id.js";
import { encodeTime } from "./wire-time.js";

/** `tendermint.types.SignedMsgType` */
export const PREVOTE = 1;
export const PRECOMMIT = 2;
const PROPOSAL = 32;

type VoteType = typeof PREVOTE | typeof PRECOMMIT;

/** What a vote says. */
export interface VoteContent {
  readonly type: VoteType;
  readonly height: Height;
  /** int32 */
  readonly round: number;
  /** NIL_BLOCK_ID: a vote for nil. */
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
}

export interface ProposalContent {
  readonly height: Height;
  readonly round: number;
  /** The round whose lock this repeats; −1: none. */
  readonly polRound: number;
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
}

/** `tendermint.types.CanonicalVote`, delimited. */
export function voteSignBytes(chainId: string, vote: VoteContent): Uint8Array {
  const canonical = new WireWriter().int(1, vote.type).sfixed64(2, vote.height).sfixed64(3, BigInt(vote.round));
  putBlockId(canonical, 4, vote.blockId);
  return delimited(canonical.message(5, encodeTime(vote.timestamp)).string(6, chainId));
}

/** `tendermint.types.CanonicalVoteExtension`, delimited. */
export function voteExtensionSignBytes(
  chainId: string,
  height: Height,
  round: number,
  extension: Uint8Array,
): Uint8Array {
  const canonical = new WireWriter().bytes(1, extension).sfixed64(2, height).sfixed64(3, BigInt(round));
  return delimited(canonical.string(4, chainId));
}

/** `tendermint.types.CanonicalProposal`, delimited. */
export function proposalSignBytes(chainId: string, proposal: ProposalContent): Uint8Array {
  const { height, round, polRound } = proposal;
  const canonical = new WireWriter().int(1, PROPOSAL).sfixed64(2, height).sfixed64(3, BigInt(round)).int(4, polRound);
  putBlockId(canonical, 5, proposal.blockId);
  return delimited(canonical.message(6, encodeTime(proposal.timestamp)).string(7, chainId));
}

function putBlockId(canonical: WireWriter, field: number, id: BlockId): void {
  if (!isNilBlockId(id)) canonical.message(field, encodeBlockId(id));
}

function delimited(message: WireWriter): Uint8Array {
  const bytes = message.finish();
  return new WireWriter().varint(bytes.length).raw(bytes).finish();
}
