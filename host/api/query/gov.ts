/** Governance: proposals, votes, deposits, and how a vote stands. */
import { encodeAddress } from "../../chain/address.js";
import { tallyMessage, tallyProposal } from "../../chain/gov/tally-proposal.js";
import {
  deposits,
  depositsOf,
  GOV_STORE,
  proposals,
  readDeposit,
  readParams,
  readProposal,
  readVote,
  votes,
  votesOf,
} from "../../chain/modules/gov.js";
import { UpgradeError } from "../../errors.js";
import { type Proposal, ProposalStatus } from "../../gen/cosmos/gov/v1/gov_pb.js";
import { Query } from "../../gen/cosmos/gov/v1/query_pb.js";
import type { QueryCall } from "./call.js";
import { paginateList } from "./paginate.js";
import { implement, type QueryService } from "./service.js";
import { readAddress } from "./texts.js";

const PARAMS_TYPES = new Set(["", "deposit", "voting", "tallying"]);

const NO_VOTES = { yesCount: "0", abstainCount: "0", noCount: "0", noWithVetoCount: "0" };

const storeOf = ({ stores }: QueryCall) => stores.store(GOV_STORE);

/** Sorts as the number does. */
const idKey = (id: bigint): string => String(id).padStart(20, "0");

/** One spelling of an address, whatever the case it was written in. */
const normal = (address: string): string => encodeAddress(readAddress(address));

function proposalOf(id: bigint, call: QueryCall): Proposal {
  if (id === 0n) throw new UpgradeError("UPG_INVALID_ARGUMENT", "proposal id can not be 0");
  const proposal = readProposal(storeOf(call), id);
  if (proposal) return proposal;
  throw new UpgradeError("UPG_NOT_FOUND_PROPOSAL", `proposal ${id} doesn't exist`);
}

function idsOf<T extends { readonly proposalId: bigint }>(
  records: Iterable<T>,
  fits: (record: T) => boolean,
): ReadonlySet<bigint> {
  return new Set([...records].filter(fits).map(({ proposalId }) => proposalId));
}

/** Ids of the proposals of one account; undefined when none is named. */
function idsOfVoter(voter: string, call: QueryCall): ReadonlySet<bigint> | undefined {
  if (voter === "") return undefined;
  const address = normal(voter);
  return idsOf(votes(storeOf(call)), (vote) => vote.voter === address);
}

function idsOfDepositor(depositor: string, call: QueryCall): ReadonlySet<bigint> | undefined {
  if (depositor === "") return undefined;
  const address = normal(depositor);
  return idsOf(deposits(storeOf(call)), (deposit) => deposit.depositor === address);
}

export const govQuery: QueryService = implement(Query, {
  constitution: () => ({ constitution: "" }),

  proposal: ({ proposalId }, call) => ({ proposal: proposalOf(proposalId, call) }),

  proposals({ proposalStatus, voter, depositor, pagination }, call) {
    const ofVoter = idsOfVoter(voter, call);
    const ofDepositor = idsOfDepositor(depositor, call);
    const list = [...proposals(storeOf(call))].filter(
      ({ id, status }) =>
        (proposalStatus === ProposalStatus.UNSPECIFIED || status === proposalStatus) &&
        (ofVoter?.has(id) ?? true) &&
        (ofDepositor?.has(id) ?? true),
    );
    const page = paginateList(list, pagination, ({ id }) => idKey(id));
    return { proposals: page.items, pagination: page.pagination };
  },

  vote({ proposalId, voter }, call) {
    const { id } = proposalOf(proposalId, call);
    const found = readVote(storeOf(call), id, normal(voter));
    if (found) return { vote: found };
    throw new UpgradeError("UPG_NOT_FOUND_RECORD", `voter: ${voter} not found for proposal: ${proposalId}`);
  },

  votes({ proposalId, pagination }, call) {
    const { id } = proposalOf(proposalId, call);
    const page = paginateList([...votesOf(storeOf(call), id)], pagination, ({ voter }) => voter);
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

  deposits({ proposalId, pagination }, call) {
    const { id } = proposalOf(proposalId, call);
    const page = paginateList([...depositsOf(storeOf(call), id)], pagination, ({ depositor }) => depositor);
    return { deposits: page.items, pagination: page.pagination };
  },

  tallyResult({ proposalId }, call) {
    const proposal = proposalOf(proposalId, call);
    switch (proposal.status) {
      case ProposalStatus.DEPOSIT_PERIOD:
        return { tally: NO_VOTES };
      case ProposalStatus.VOTING_PERIOD:
        return { tally: tallyMessage(tallyProposal(call.stores, proposal).counts) };
      default:
        return { tally: proposal.finalTallyResult ?? NO_VOTES };
    }
  },
});
