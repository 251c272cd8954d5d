/** Questions about governance. */

import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ProposalStatus } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { Query } from "../../../base/gen/cosmos/gov/v1/query_pb.js";
import { usage } from "../../../base/terminal/usage.js";
import { UINT64_MAX } from "../../../base/types/limits.js";
import type { Chain } from "../../../chain/app/chain.js";
import { ask } from "../../wallet/ask.js";
import { type QueryFlags, queryClient } from "../flags.js";
import { messageJson } from "../message-json.js";
import { type PageFlags, pageRequest } from "../page-flags.js";
import type { Answer, Question } from "./question.js";

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function proposalId(text: string | undefined): bigint {
  if (text === undefined || !/^[0-9]{1,20}$/.test(text) || BigInt(text) > UINT64_MAX) {
    throw usage(`proposal-id ${text} not a valid uint, please input a valid proposal-id`);
  }
  return BigInt(text);
}

function answer<S extends DescMessage>(chain: Chain, schema: S, message: MessageShape<S>): Answer {
  return { json: messageJson(chain, schema, message) };
}

const { method } = Query;

export const proposal: Question = async ([id], flags, chain) => {
  const found = await ask(queryClient(flags), method.proposal, { proposalId: proposalId(id) }, flags.height);
  return answer(chain, method.proposal.output, found);
};

type ListFlags = QueryFlags & PageFlags;

interface ProposalsFlags extends QueryFlags, PageFlags {
  readonly proposalStatus?: string;
  readonly status?: string;
  readonly voter?: string;
  readonly depositor?: string;
}

export const proposals: Question<ProposalsFlags> = async (_, flags, chain) => {
  const { voter = "", depositor = "" } = flags;
  const request = {
    ...{ voter, depositor, proposalStatus: statusOf(flags.proposalStatus ?? flags.status) },
    pagination: pageRequest(flags),
  };
  return answer(chain, method.proposals.output, await ask(queryClient(flags), method.proposals, request, flags.height));
};

function statusOf(text: string | undefined): ProposalStatus {
  if (text === undefined) return ProposalStatus.UNSPECIFIED;
  const name = text
    .replace(/^PROPOSAL_STATUS_/i, "")
    .replaceAll("-", "_")
    .toUpperCase();
  const spelt = name.replace(/^(DEPOSIT|VOTING)PERIOD$/, "$1_PERIOD");
  const number = Object.hasOwn(ProposalStatus, spelt)
    ? ProposalStatus[spelt as keyof typeof ProposalStatus]
    : undefined;
  if (number === undefined) throw usage(`"${text}" is not a valid proposal status`);
  return number;
}

export const votes: Question<ListFlags> = async ([id], flags, chain) => {
  const request = { proposalId: proposalId(id), pagination: pageRequest(flags) };
  return answer(chain, method.votes.output, await ask(queryClient(flags), method.votes, request, flags.height));
};

export const vote: Question = async ([id, voter = ""], flags, chain) =>
  answer(
    chain,
    method.vote.output,
    await ask(queryClient(flags), method.vote, { proposalId: proposalId(id), voter }, flags.height),
  );

export const deposits: Question<ListFlags> = async ([id], flags, chain) => {
  const request = { proposalId: proposalId(id), pagination: pageRequest(flags) };
  return answer(chain, method.deposits.output, await ask(queryClient(flags), method.deposits, request, flags.height));
};

export const tally: Question = async ([id], flags, chain) =>
  answer(
    chain,
    method.tallyResult.output,
    await ask(queryClient(flags), method.tallyResult, { proposalId: proposalId(id) }, flags.height),
  );

export const params: Question = async (_, flags, chain) =>
  answer(chain, method.params.output, await ask(queryClient(flags), method.params, {}, flags.height));
