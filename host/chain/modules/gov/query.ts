/** Governance v1: proposals, votes, deposits, and the count of a vote. */

import { Query } from "../../../base/gen/cosmos/gov/v1/query_pb.js";
import { implement, type QueryService } from "../../app/query/service.js";
import { depositOf, depositsPage, paramsOf, proposalOf, proposalsPage, tallyOf, voteOf, votesPage } from "./reads.js";

const KEPT = [
  "constitution",
  "proposal",
  "proposals",
  "vote",
  "votes",
  "params",
  "deposit",
  "deposits",
  "tallyResult",
] as const;

export const govQuery: QueryService = implement(Query, KEPT, {
  constitution: () => ({ constitution: "" }),

  proposal: ({ proposalId }, call) => ({ proposal: proposalOf(proposalId, call) }),

  async proposals(request, call) {
    const page = await proposalsPage(request, request.pagination, call);
    return { proposals: page.items, pagination: page.pagination };
  },

  vote: ({ proposalId, voter }, call) => ({ vote: voteOf(proposalId, voter, call) }),

  async votes({ proposalId, pagination }, call) {
    const page = await votesPage(proposalId, pagination, call);
    return { votes: page.items, pagination: page.pagination };
  },

  params({ paramsType }, call) {
    const params = paramsOf(paramsType, call);
    const { minDeposit, maxDepositPeriod, votingPeriod, quorum, threshold, vetoThreshold } = params;
    return {
      params,
      ...(paramsType === "deposit" && maxDepositPeriod ? { depositParams: { minDeposit, maxDepositPeriod } } : {}),
      ...(paramsType === "voting" && votingPeriod ? { votingParams: { votingPeriod } } : {}),
      ...(paramsType === "tallying" ? { tallyParams: { quorum, threshold, vetoThreshold } } : {}),
    };
  },

  deposit: ({ proposalId, depositor }, call) => ({ deposit: depositOf(proposalId, depositor, call) }),

  async deposits({ proposalId, pagination }, call) {
    const page = await depositsPage(proposalId, pagination, call);
    return { deposits: page.items, pagination: page.pagination };
  },

  tallyResult: async ({ proposalId }, call) => ({ tally: await tallyOf(proposalId, call) }),
});
