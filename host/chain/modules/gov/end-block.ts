/**
 * The end of a block in governance: proposals whose deposit period is over are dropped, those whose vote is over are
 * counted and, when they pass, run. A block in which nothing ends looks at two empty ranges and no more.
 */

import { type Proposal, ProposalStatus } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { toHex } from "../../../base/text/bytes.js";
import type { ModuleContext } from "../../app/context.js";
import { runOnBranch, runTried } from "../../determinism/tried.js";
import { describeError } from "../../values/tx-error.js";
import { burnDeposits, refundDeposits } from "./deposits.js";
import { addPeriod } from "./periods.js";
import { readProposable } from "./proposals.js";
import { dequeueProposal, endedBy, enqueueVoting, type Queue, queuedProposal } from "./queues.js";
import { GOV_STORE, readParams, removeProposal, removeVotes, writeProposal } from "./records.js";
import { tallyMessage, tallyProposal } from "./tally-proposal.js";

/** @throws UpgradeError UPG_STORE_* */
export function endGovernanceBlock(context: ModuleContext): void {
  const store = context.store(GOV_STORE);
  for (const key of endedBy(store, "deposit", context.time)) endEntry(context, "deposit", key, dropProposal);
  for (const key of endedBy(store, "voting", context.time)) endEntry(context, "voting", key, closeVote);
}

/** An orphan, which only a handler can leave, is dropped: nobody could take it out of a chain that stops at it. */
function endEntry(context: ModuleContext, queue: Queue, key: Uint8Array, end: typeof closeVote): void {
  const store = context.store(GOV_STORE);
  const proposal = queuedProposal(store, key);
  if (proposal) {
    end(context, proposal);
    return;
  }
  store.delete(key);
  context.emit("orphan_queue_entry", ["queue", queue], ["key", toHex(key)]);
}

function dropProposal(context: ModuleContext, proposal: Proposal): void {
  const store = context.store(GOV_STORE);
  const { id } = proposal;
  dequeueProposal(store, proposal);
  removeProposal(store, id);
  if (readParams(store).burnProposalDepositPrevote) burnDeposits(context, id);
  else refundDeposits(context, id);
  context.emit("inactive_proposal", ["proposal_id", String(id)], ["proposal_result", "proposal_dropped"]);
}

interface Ending {
  readonly result: string;
  readonly log: string;
}

function closeVote(context: ModuleContext, proposal: Proposal): void {
  const store = context.store(GOV_STORE);
  const { id } = proposal;
  const { passes, burnsDeposits, counts } = tallyProposal(context.stores, proposal);
  removeVotes(store, id);
  const isGoingOn = proposal.expedited && !passes;
  if (!isGoingOn && burnsDeposits) burnDeposits(context, id);
  if (!isGoingOn && !burnsDeposits) refundDeposits(context, id);
  dequeueProposal(store, proposal);
  const { result, log } = passes
    ? execute(context, proposal)
    : isGoingOn
      ? makeRegular(context, proposal)
      : reject(proposal);
  proposal.finalTallyResult = tallyMessage(counts);
  writeProposal(store, proposal);
  context.emit("active_proposal", ["proposal_id", String(id)], ["proposal_result", result], ["proposal_log", log]);
}

/** All its messages on one branch, in order; the first error undoes them all. */
function execute(context: ModuleContext, proposal: Proposal): Ending {
  const { id, messages } = proposal;
  let running = "";
  const runAll = (inside: ModuleContext): void => {
    for (const [index, any] of messages.entries()) {
      running = `msg ${index} (${any.typeUrl})`;
      readProposable(inside, any).run(inside);
    }
  };
  try {
    const isBounded = messages.every(({ typeUrl }) => context.router.get(typeUrl)?.isBounded ?? true);
    if (isBounded) runOnBranch(context, runAll);
    else runTried(`proposal ${id}`, context, runAll);
  } catch (error) {
    const { log } = describeError(error);
    proposal.status = ProposalStatus.FAILED;
    proposal.failedReason = log;
    return { result: "proposal_failed", log: `passed, but ${running} failed on execution: ${log}` };
  }
  proposal.status = ProposalStatus.PASSED;
  return { result: "proposal_passed", log: "passed" };
}

/** An expedited proposal that did not pass goes on as a regular one; its votes must be cast again. */
function makeRegular(context: ModuleContext, proposal: Proposal): Ending {
  const store = context.store(GOV_STORE);
  proposal.expedited = false;
  const end = addPeriod(proposal.votingStartTime ?? context.time, readParams(store).votingPeriod);
  proposal.votingEndTime = end;
  enqueueVoting(store, end, proposal.id);
  return { result: "expedited_proposal_rejected", log: "expedited proposal converted to regular" };
}

function reject(proposal: Proposal): Ending {
  proposal.status = ProposalStatus.REJECTED;
  proposal.failedReason = "proposal did not get enough votes to pass";
  return { result: "proposal_rejected", log: "rejected" };
}
