/** Governance v1beta1: the same records as in v1, as older clients (CosmJS among them) ask for them. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Params, Proposal, TallyResult, Vote } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import type { ProposalSchema, TallyResultSchema, VoteSchema } from "../../../base/gen/cosmos/gov/v1beta1/gov_pb.js";
import { Query } from "../../../base/gen/cosmos/gov/v1beta1/query_pb.js";
import { utf8 } from "../../../base/text/bytes.js";
import { ZERO_TIME } from "../../../base/time/time.js";
import { implement, type QueryService } from "../../app/query/service.js";
import { parseDecimal } from "../../values/decimal.js";
import { legacyContentOf } from "./legacy-content.js";
import { depositOf, depositsPage, paramsOf, proposalOf, proposalsPage, tallyOf, voteOf, votesPage } from "./reads.js";

/** v1beta1 decimals are whole numbers of 10^-18. */
const atomics = (decimal: string): string => parseDecimal(decimal).toString();

const NO_PERIOD = { seconds: 0n, nanos: 0 };

type Counts = Pick<TallyResult, "yesCount" | "abstainCount" | "noCount" | "noWithVetoCount">;

function legacyTally({
  yesCount,
  abstainCount,
  noCount,
  noWithVetoCount,
}: Counts): MessageInitShape<typeof TallyResultSchema> {
  return { yes: yesCount, abstain: abstainCount, no: noCount, noWithVeto: noWithVetoCount };
}

/** Go has no unset time there: it is year 1. */
const time = (set: Proposal["submitTime"]) => set ?? { ...ZERO_TIME };

/** A proposal with no message or several has no content in this form. */
function legacyProposal(proposal: Proposal): MessageInitShape<typeof ProposalSchema> {
  const content = legacyContentOf(proposal.messages);
  return {
    proposalId: proposal.id,
    ...(content ? { content } : {}),
    status: proposal.status as number,
    finalTallyResult: proposal.finalTallyResult ? legacyTally(proposal.finalTallyResult) : {},
    submitTime: time(proposal.submitTime),
    depositEndTime: time(proposal.depositEndTime),
    totalDeposit: proposal.totalDeposit,
    votingStartTime: time(proposal.votingStartTime),
    votingEndTime: time(proposal.votingEndTime),
  };
}

function legacyVote({ proposalId, voter, options }: Vote): MessageInitShape<typeof VoteSchema> {
  return {
    proposalId,
    voter,
    options: options.map(({ option, weight }) => ({ option: option as number, weight: atomics(weight) })),
  };
}

/** Only the kind that was asked for has its values. */
function legacyParams(kind: string, params: Params) {
  const { minDeposit, maxDepositPeriod, votingPeriod, quorum, threshold, vetoThreshold } = params;
  const isTally = kind === "tallying";
  const part = (decimal: string) => utf8(isTally ? atomics(decimal) : "0");
  return {
    votingParams: { votingPeriod: (kind === "voting" && votingPeriod) || NO_PERIOD },
    depositParams: {
      minDeposit: kind === "deposit" ? minDeposit : [],
      maxDepositPeriod: (kind === "deposit" && maxDepositPeriod) || NO_PERIOD,
    },
    tallyParams: { quorum: part(quorum), threshold: part(threshold), vetoThreshold: part(vetoThreshold) },
  };
}

const KEPT = ["proposal", "proposals", "vote", "votes", "params", "deposit", "deposits", "tallyResult"] as const;

export const legacyGovQuery: QueryService = implement(Query, KEPT, {
  proposal({ proposalId }, call) {
    const proposal = proposalOf(proposalId, call);
    if (proposal.messages.length === 1) return { proposal: legacyProposal(proposal) };
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `proposal ${proposalId} has ${proposal.messages.length} messages, gov v1beta1 shows those with one: ask gov v1`,
    );
  },

  async proposals({ proposalStatus, voter, depositor, pagination }, call) {
    const page = await proposalsPage({ proposalStatus: proposalStatus as number, voter, depositor }, pagination, call);
    return { proposals: page.items.map(legacyProposal), pagination: page.pagination };
  },

  vote: ({ proposalId, voter }, call) => ({ vote: legacyVote(voteOf(proposalId, voter, call)) }),

  async votes({ proposalId, pagination }, call) {
    const page = await votesPage(proposalId, pagination, call);
    return { votes: page.items.map(legacyVote), pagination: page.pagination };
  },

  params({ paramsType }, call) {
    if (paramsType === "") throw new UpgradeError("UPG_INVALID_ARGUMENT", " is not a valid parameter type");
    return legacyParams(paramsType, paramsOf(paramsType, call));
  },

  deposit({ proposalId, depositor }, call) {
    const { amount, ...deposit } = depositOf(proposalId, depositor, call);
    return { deposit: { proposalId: deposit.proposalId, depositor: deposit.depositor, amount } };
  },

  async deposits({ proposalId, pagination }, call) {
    const page = await depositsPage(proposalId, pagination, call);
    const deposits = page.items.map(({ proposalId: id, depositor, amount }) => ({ proposalId: id, depositor, amount }));
    return { deposits, pagination: page.pagination };
  },

  tallyResult: async ({ proposalId }, call) => ({ tally: legacyTally(await tallyOf(proposalId, call)) }),
});
