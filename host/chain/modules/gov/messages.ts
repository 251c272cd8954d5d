/** The messages of governance v1. */

import {
  MsgCancelProposalResponseSchema,
  MsgCancelProposalSchema,
  type MsgDeposit,
  MsgDepositResponseSchema,
  MsgDepositSchema,
  type MsgSubmitProposal,
  MsgSubmitProposalResponseSchema,
  MsgSubmitProposalSchema,
  type MsgVote,
  MsgVoteResponseSchema,
  MsgVoteSchema,
  type MsgVoteWeighted,
  MsgVoteWeightedResponseSchema,
  MsgVoteWeightedSchema,
} from "../../../base/gen/cosmos/gov/v1/tx_pb.js";
import type { MessageKind, ModuleContext } from "../../app/context.js";
import { messageKind } from "../../app/tx/message-kind.js";
import { readAddress } from "../../app/tx/read-address.js";
import { readMessageCoins } from "../../values/message-coins.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { addDeposit, checkInitialDeposit } from "./deposits.js";
import { timeMessage } from "./periods.js";
import { checkTexts } from "./proposal-text.js";
import { cancelProposal, createProposal } from "./proposals.js";
import { GOV_STORE, readParams } from "./records.js";
import { addVote, checkWeights, wholeVote } from "./votes.js";

/** Submits a proposal and adds its initial deposit. @throws TxError */
export function submitProposal(context: ModuleContext, message: MsgSubmitProposal): { proposalId: bigint } {
  const proposer = readAddress(context.addresses, message.proposer, "invalid proposer address");
  checkTexts(message);
  const deposit = readMessageCoins(message.initialDeposit);
  checkInitialDeposit(readParams(context.store(GOV_STORE)), deposit, message.expedited);
  const proposalId = createProposal(context, message);
  if (addDeposit(context, proposalId, proposer, deposit)) {
    context.emit("submit_proposal", ["voting_period_start", String(proposalId)]);
  }
  return { proposalId };
}

/** @throws TxError */
export function makeDeposit(
  context: ModuleContext,
  { proposalId, depositor, amount }: Pick<MsgDeposit, "proposalId" | "depositor" | "amount">,
): undefined {
  const address = readAddress(context.addresses, depositor, "invalid depositor address");
  const deposit = readMessageCoins(amount);
  if (!deposit.isValid || deposit.coins.length === 0) throw new TxError(SDK.INVALID_COINS, deposit.text);
  if (addDeposit(context, proposalId, address, deposit)) {
    context.emit("proposal_deposit", ["voting_period_start", String(proposalId)]);
  }
}

/** @throws TxError */
export function castVote(
  context: ModuleContext,
  { proposalId: id, voter, option, metadata }: Pick<MsgVote, "proposalId" | "voter" | "option" | "metadata">,
): undefined {
  const address = readAddress(context.addresses, voter, "invalid voter address");
  addVote(context, { id, voter: address, options: wholeVote(option), metadata });
}

/** @throws TxError */
export function castWeightedVote(
  context: ModuleContext,
  { proposalId: id, voter, options, metadata }: Pick<MsgVoteWeighted, "proposalId" | "voter" | "options" | "metadata">,
): undefined {
  const address = readAddress(context.addresses, voter, "invalid voter address");
  checkWeights(options);
  addVote(context, { id, voter: address, options, metadata });
}

const SUBMIT = messageKind({
  schema: MsgSubmitProposalSchema,
  response: MsgSubmitProposalResponseSchema,
  runsMessages: true,
  run: submitProposal,
});

const DEPOSIT = messageKind({
  schema: MsgDepositSchema,
  response: MsgDepositResponseSchema,
  isBounded: true,
  run: makeDeposit,
});

const VOTE = messageKind({
  schema: MsgVoteSchema,
  response: MsgVoteResponseSchema,
  isBounded: true,
  run: castVote,
});

const VOTE_WEIGHTED = messageKind({
  schema: MsgVoteWeightedSchema,
  response: MsgVoteWeightedResponseSchema,
  isBounded: true,
  run: castWeightedVote,
});

const CANCEL = messageKind({
  schema: MsgCancelProposalSchema,
  response: MsgCancelProposalResponseSchema,
  isBounded: true,
  run(context, { proposalId, proposer }) {
    readAddress(context.addresses, proposer, "invalid proposer address");
    cancelProposal(context, proposalId, proposer);
    context.emit("cancel_proposal", ["sender", proposer], ["proposal_id", String(proposalId)]);
    return { proposalId, canceledTime: timeMessage(context.time), canceledHeight: context.height };
  },
});

export const GOV_MESSAGES: readonly MessageKind[] = [SUBMIT, DEPOSIT, VOTE, VOTE_WEIGHTED, CANCEL];
