/** Times and periods of proposals. */
import { create } from "@bufbuild/protobuf";
import { type Duration, type Timestamp as TimestampMessage, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type Params, type Proposal, ProposalStatus } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import type { KVStore, Timestamp } from "../../../base/types/types.js";
import { dequeue, enqueueVoting } from "./queues.js";
import { writeProposal } from "./records.js";

const NANOS = 1_000_000_000;

export function timeMessage({ seconds, nanos }: Timestamp): TimestampMessage {
  return create(TimestampSchema, { seconds, nanos });
}

/** A period that is not set lasts no time. */
export function addPeriod(time: Timestamp, period: Duration | undefined): TimestampMessage {
  const nanos = time.nanos + (period?.nanos ?? 0);
  const carry = Math.floor(nanos / NANOS);
  const seconds = time.seconds + (period?.seconds ?? 0n) + BigInt(carry);
  return timeMessage({ seconds, nanos: nanos - carry * NANOS });
}

/** Moves a proposal from its deposit period into its voting period, which begins now. */
export function startVoting(store: KVStore, proposal: Proposal, params: Params, now: Timestamp): void {
  if (proposal.depositEndTime) dequeue(store, "deposit", proposal.depositEndTime, proposal.id);
  proposal.votingStartTime = timeMessage(now);
  const end = addPeriod(now, proposal.expedited ? params.expeditedVotingPeriod : params.votingPeriod);
  proposal.votingEndTime = end;
  proposal.status = ProposalStatus.VOTING_PERIOD;
  writeProposal(store, proposal);
  enqueueVoting(store, end, proposal.id);
}
