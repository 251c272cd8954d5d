/** What the queries of governance read, for both versions of its service. */

import { UpgradeError } from "../../../base/errors/errors.js";
import type { PageRequest } from "../../../base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import {
  type Deposit,
  type Params,
  type Proposal,
  ProposalStatus,
  type TallyResult,
  type Vote,
} from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import type { QueryCall } from "../../app/query/call.js";
import { resolverOf } from "../../app/tx/decode.js";
import { withZeroValues } from "../../messages/zero-values.js";
import { type Paged, paginate } from "../../values/paginate.js";
import { readAddress } from "../../values/request-text.js";
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

type Counts = Pick<TallyResult, "yesCount" | "abstainCount" | "noCount" | "noWithVetoCount">;

const NO_VOTES: Counts = { yesCount: "0", abstainCount: "0", noCount: "0", noWithVetoCount: "0" };

const storeOf = ({ stores }: QueryCall) => stores.store(GOV_STORE);

/** One spelling of an address, whatever the case it was written in. */
const normal = (address: string, { chain }: QueryCall): string =>
  chain.addresses.encode(readAddress(chain.addresses, address));

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_NOT_FOUND_PROPOSAL */
export function proposalOf(id: bigint, call: QueryCall): Proposal {
  requireId(id);
  const proposal = readProposal(storeOf(call), id);
  if (proposal) return shown(proposal, call);
  throw new UpgradeError("UPG_NOT_FOUND_PROPOSAL", `proposal ${id} doesn't exist`);
}

/** Lists of a proposal that does not exist are empty, as on chains of the Cosmos SDK. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireId(id: bigint): void {
  if (id === 0n) throw new UpgradeError("UPG_INVALID_ARGUMENT", "proposal id can not be 0");
}

/** With messages as nodes of the Cosmos SDK keep them: a plan without a time has that of year 1, which its clients require. */
function shown(proposal: Proposal, { chain }: QueryCall): Proposal {
  const resolve = resolverOf(chain.router);
  return { ...proposal, messages: proposal.messages.map((message) => withZeroValues(message, resolve)) };
}

export interface ProposalFilter {
  /** 0: any. */
  readonly proposalStatus: ProposalStatus;
  /** "": any. */
  readonly voter: string;
  readonly depositor: string;
}

/** Does the proposal fit what was asked for? Undefined: all do. */
function filterOf(
  { proposalStatus, voter, depositor }: ProposalFilter,
  call: QueryCall,
): ((proposal: Proposal) => boolean) | undefined {
  const store = storeOf(call);
  const byVoter = voter === "" ? undefined : normal(voter, call);
  const byDepositor = depositor === "" ? undefined : normal(depositor, call);
  const anyStatus = proposalStatus === ProposalStatus.UNSPECIFIED;
  if (anyStatus && !byVoter && !byDepositor) return undefined;
  return ({ id, status }) =>
    (anyStatus || status === proposalStatus) &&
    (!byVoter || readVote(store, id, byVoter) !== undefined) &&
    (!byDepositor || readDeposit(store, id, byDepositor) !== undefined);
}

export async function proposalsPage(
  filter: ProposalFilter,
  pagination: PageRequest | undefined,
  call: QueryCall,
): Promise<Paged<Proposal>> {
  const page = await paginate(storeOf(call), PROPOSALS, pagination, call, { fits: filterOf(filter, call) });
  return { ...page, items: page.items.map((proposal) => shown(proposal, call)) };
}

/** @throws UpgradeError UPG_NOT_FOUND_PROPOSAL, UPG_NOT_FOUND_RECORD */
export function voteOf(proposalId: bigint, voter: string, call: QueryCall): Vote {
  const { id } = proposalOf(proposalId, call);
  const found = readVote(storeOf(call), id, normal(voter, call));
  if (found) return found;
  throw new UpgradeError("UPG_NOT_FOUND_RECORD", `voter: ${voter} not found for proposal: ${proposalId}`);
}

/** @throws UpgradeError UPG_NOT_FOUND_PROPOSAL */
export function votesPage(
  proposalId: bigint,
  pagination: PageRequest | undefined,
  call: QueryCall,
): Promise<Paged<Vote>> {
  requireId(proposalId);
  return paginate(storeOf(call), voteRecords(proposalId), pagination, call);
}

/** @throws UpgradeError UPG_NOT_FOUND_PROPOSAL, UPG_NOT_FOUND_RECORD */
export function depositOf(proposalId: bigint, depositor: string, call: QueryCall): Deposit {
  const { id } = proposalOf(proposalId, call);
  const found = readDeposit(storeOf(call), id, normal(depositor, call));
  if (found) return found;
  throw new UpgradeError("UPG_NOT_FOUND_RECORD", `depositer: ${depositor} not found for proposal: ${proposalId}`);
}

/** @throws UpgradeError UPG_NOT_FOUND_PROPOSAL */
export function depositsPage(
  proposalId: bigint,
  pagination: PageRequest | undefined,
  call: QueryCall,
): Promise<Paged<Deposit>> {
  requireId(proposalId);
  return paginate(storeOf(call), depositRecords(proposalId), pagination, call);
}

/**
 * @param kind "": all, or one of deposit, voting, tallying
 * @throws UpgradeError UPG_INVALID_ARGUMENT for any other kind
 */
export function paramsOf(kind: string, call: QueryCall): Params {
  if (!PARAMS_TYPES.has(kind)) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `${kind.slice(0, 60)} is not a valid parameter type`);
  }
  return readParams(storeOf(call));
}

/** The count now, or the final one. Votes may be many: other requests have their turn while they are counted. */
export async function tallyOf(id: bigint, call: QueryCall): Promise<Counts> {
  const proposal = proposalOf(id, call);
  const { stores, signal, inTurns } = call;
  switch (proposal.status) {
    case ProposalStatus.DEPOSIT_PERIOD:
      return NO_VOTES;
    case ProposalStatus.VOTING_PERIOD:
      return tallyMessage((await inTurns(tallyProposalSteps(stores, proposal), signal)).counts);
    default:
      return proposal.finalTallyResult ?? NO_VOTES;
  }
}
