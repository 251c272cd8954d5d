/** Governance: proposals, votes, deposits, and how a vote stands. */
import { encodeAddress } from "../../chain/address.js";
import type { QueryCall } from "../../chain/query/call.js";
import { paginate } from "../../chain/query/paginate.js";
import { implement, type QueryService } from "../../chain/query/service.js";
import { readAddress } from "../../chain/query/texts.js";
import { UpgradeError } from "../../errors.js";
import { type Proposal, ProposalStatus } from "../../gen/cosmos/gov/v1/gov_pb.js";
import { Query, type QueryProposalsRequest } from "../../gen/cosmos/gov/v1/query_pb.js";
import {
  depositRecords,
  GOV_STORE,
  PROPOSALS,
  readDeposit,
  readParams,
  readProposal,
  readVote,
  voteRecords,
} from "./records.js";
import { tallyMessage, tallyProposalSteps } from "./tally-proposal.js";

const PARAMS_TYPES = new Set(["", "deposit", "voting", "tallying"]);

const NO_VOTES = { yesCount: "0", abstainCount: "0", noCount: "0", noWithVetoCount: "0" };

const storeOf = ({ stores }: QueryCall) => stores.store(GOV_STORE);

/** One spelling of an address, whatever the case it was written in. */
const normal = (address: string): string => encodeAddress(readAddress(address));

function proposalOf(id: bigint, call: QueryCall): Proposal {
  if (id === 0n) throw new UpgradeError("UPG_INVALID_ARGUMENT", "proposal id can not be 0");
  const proposal = readProposal(storeOf(call), id);
  if (proposal) return proposal;
  throw new UpgradeError("UPG_NOT_FOUND_PROPOSAL", `proposal ${id} doesn't exist`);
}

/** Does the proposal fit what was asked for? Undefined: all do. */
function filterOf(
  { proposalStatus, voter, depositor }: QueryProposalsRequest,
  call: QueryCall,
): ((proposal: Proposal) => boolean) | undefined {
  const store = storeOf(call);
  const byVoter = voter === "" ? undefined : normal(voter);
  const byDepositor = depositor === "" ? undefined : normal(depositor);
  const anyStatus = proposalStatus === ProposalStatus.UNSPECIFIED;
  if (anyStatus && !byVoter && !byDepositor) return undefined;
  return ({ id, status }) =>
    (anyStatus || status === proposalStatus) &&
    (!byVoter || readVote(store, id, byVoter) !== undefined) &&
    (!byDepositor || readDeposit(store, id, byDepositor) !== undefined);
}

/** Votes may be many: others have their turn while they are counted. */
async function tallyNow(proposal: Proposal, { stores, signal, inTurns }: QueryCall) {
  return tallyMessage((await inTurns(tallyProposalSteps(stores, proposal), signal)).counts);
}

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
    const page = await paginate(storeOf(call), PROPOSALS, request.pagination, call, { fits: filterOf(request, call) });
    return { proposals: page.items, pagination: page.pagination };
  },

  vote({ proposalId, voter }, call) {
    const { id } = proposalOf(proposalId, call);
    const found = readVote(storeOf(call), id, normal(voter));
    if (found) return { vote: found };
    throw new UpgradeError("UPG_NOT_FOUND_RECORD", `voter: ${voter} not found for proposal: ${proposalId}`);
  },

  async votes({ proposalId, pagination }, call) {
    const { id } = proposalOf(proposalId, call);
    const page = await paginate(storeOf(call), voteRecords(id), pagination, call);
    return { votes: page.items, pagination: page.pagination };
  },

  params({ paramsType }, call) {
    if (!PARAMS_TYPES.has(paramsType)) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `${paramsType.slice(0, 60)} is not a valid parameter type`);
    }
    const params = readParams(storeOf(call));
    const { minDeposit, maxDepositPeriod, votingPeriod, quorum, threshold, vetoThreshold } = params;
    return {
      params,
      ...(paramsType === "deposit" && maxDepositPeriod ? { depositParams: { minDeposit, maxDepositPeriod } } : {}),
      ...(paramsType === "voting" && votingPeriod ? { votingParams: { votingPeriod } } : {}),
      ...(paramsType === "tallying" ? { tallyParams: { quorum, threshold, vetoThreshold } } : {}),
    };
  },

  deposit({ proposalId, depositor }, call) {
    const { id } = proposalOf(proposalId, call);
    const found = readDeposit(storeOf(call), id, normal(depositor));
    if (found) return { deposit: found };
    throw new UpgradeError("UPG_NOT_FOUND_RECORD", `depositer: ${depositor} not found for proposal: ${proposalId}`);
  },

  async deposits({ proposalId, pagination }, call) {
    const { id } = proposalOf(proposalId, call);
    const page = await paginate(storeOf(call), depositRecords(id), pagination, call);
    return { deposits: page.items, pagination: page.pagination };
  },

  async tallyResult({ proposalId }, call) {
    const proposal = proposalOf(proposalId, call);
    switch (proposal.status) {
      case ProposalStatus.DEPOSIT_PERIOD:
        return { tally: NO_VOTES };
      case ProposalStatus.VOTING_PERIOD:
        return { tally: await tallyNow(proposal, call) };
      default:
        return { tally: proposal.finalTallyResult ?? NO_VOTES };
    }
  },
});
