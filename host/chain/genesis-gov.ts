/** The gov part of a genesis document: parameters, proposals, deposits and votes, in the field's JSON. */
import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import {
  type Deposit,
  DepositSchema,
  type Params,
  ParamsSchema,
  type Proposal,
  ProposalSchema,
  ProposalStatus,
  type Vote,
  VoteOption,
  VoteSchema,
} from "../gen/cosmos/gov/v1/gov_pb.js";
import { decodeAddress, decodeAnyAddress } from "./address.js";
import {
  addCoins,
  type Coin,
  coinsFromMessages,
  coinsToMessages,
  formatCoins,
  normalCoins,
  subtractCoins,
} from "./coins.js";
import { ONE, readDecimal } from "./decimal.js";
import { readCoins } from "./genesis-coins.js";
import type { JsonReader } from "./json-reader.js";
import { messageFromJson } from "./message-json.js";
import { defaultGovParams } from "./modules/gov-params.js";

export interface GenesisGov {
  readonly startingProposalId: bigint;
  readonly params: Params;
  readonly proposals: readonly Proposal[];
  readonly deposits: readonly Deposit[];
  readonly votes: readonly Vote[];
}

/** `denom`: of the deposits that the default parameters ask for. @throws UpgradeError UPG_INVALID_GENESIS */
export function readGov(gov: JsonReader, denom: string): GenesisGov {
  const startingProposalId = gov.get("starting_proposal_id").uint64(1n);
  const proposals = gov.get("proposals").items().map(readProposal);
  const taken = proposals.find(({ id }) => id >= startingProposalId);
  if (taken) throw gov.get("starting_proposal_id").wrong(`must be greater than ${taken.id}, the id of a proposal`);
  return {
    startingProposalId,
    params: readParams(gov.get("params"), denom),
    proposals,
    deposits: gov.get("deposits").items().map(readDeposit),
    votes: gov.get("votes").items().map(readVote),
  };
}

/**
 * The gov account gives deposits back, so it must hold them: those of proposals that are still open.
 * @param held what the gov account has
 * @throws UpgradeError UPG_INVALID_GENESIS
 */
export function checkHeldDeposits(gov: JsonReader, { proposals, deposits }: GenesisGov, held: readonly Coin[]): void {
  const open = new Set(proposals.filter(({ status }) => OPEN.has(status)).map(({ id }) => id));
  const owed = deposits.filter(({ proposalId }) => open.has(proposalId));
  const sum = owed.reduce<Coin[]>((coins, { amount }) => addCoins(coins, coinsFromMessages(amount)), []);
  if (subtractCoins(held, sum)) return;
  const has = formatCoins(held) || "nothing";
  throw gov.get("deposits").wrong(`the gov account must hold the deposits, ${formatCoins(sum)}, and it has ${has}`);
}

const OPEN: ReadonlySet<ProposalStatus> = new Set([ProposalStatus.DEPOSIT_PERIOD, ProposalStatus.VOTING_PERIOD]);

/** An open proposal says when it ends: the end of its period is what the chain acts on. */
function readProposal(item: JsonReader): Proposal {
  const proposal = readMessage(ProposalSchema, item);
  const { status, depositEndTime, votingStartTime, votingEndTime } = proposal;
  if (status === ProposalStatus.DEPOSIT_PERIOD && !depositEndTime) {
    throw item.get("deposit_end_time").wrong("a proposal in its deposit period has an end of it");
  }
  if (status === ProposalStatus.VOTING_PERIOD) {
    if (!votingEndTime) throw item.get("voting_end_time").wrong("a proposal in its voting period has an end of it");
    if (!votingStartTime)
      throw item.get("voting_start_time").wrong("a proposal in its voting period has a start of it");
  }
  readCoins(item.get("total_deposit"));
  return proposal;
}

/** What the document leaves out keeps its default; the expedited ones follow those that are given. */
function readParams(field: JsonReader, denom: string): Params {
  const defaults = defaultGovParams(denom);
  if (!field.isSet) return defaults;
  const params = readMessage(ParamsSchema, field);
  const isGiven = (name: string, jsonName: string) => field.get(name).isSet || field.get(jsonName).isSet;
  const given = ParamsSchema.fields
    .filter(({ name, jsonName }) => isGiven(name, jsonName))
    .map(({ localName }) => [localName, params[localName as keyof Params]]);
  const merged = create(ParamsSchema, { ...defaults, ...(Object.fromEntries(given) as Partial<Params>) });
  if (!isGiven("expedited_min_deposit", "expeditedMinDeposit")) {
    merged.expeditedMinDeposit = coinsToMessages(
      readCoinsOf(field, "min_deposit", merged.minDeposit).map(({ denom, amount }) => ({ denom, amount: amount * 5n })),
    );
  }
  const { votingPeriod } = merged;
  if (
    !isGiven("expedited_voting_period", "expeditedVotingPeriod") &&
    votingPeriod &&
    votingPeriod.seconds <= DAY_SECONDS
  ) {
    merged.expeditedVotingPeriod = create(DurationSchema, { seconds: votingPeriod.seconds / 2n });
  }
  checkParams(field, merged);
  return merged;
}

const DAY_SECONDS = 86_400n;

const FRACTIONS = [
  ["quorum", "quorum"],
  ["threshold", "threshold"],
  ["veto_threshold", "vetoThreshold"],
  ["expedited_threshold", "expeditedThreshold"],
  ["min_initial_deposit_ratio", "minInitialDepositRatio"],
  ["min_deposit_ratio", "minDepositRatio"],
  ["proposal_cancel_ratio", "proposalCancelRatio"],
] as const satisfies readonly (readonly [string, keyof Params])[];

const PERIODS = [
  ["max_deposit_period", "maxDepositPeriod"],
  ["voting_period", "votingPeriod"],
  ["expedited_voting_period", "expeditedVotingPeriod"],
] as const satisfies readonly (readonly [string, keyof Params])[];

/** What a block relies on: a wrong parameter must not wait for the first vote to end. */
function checkParams(field: JsonReader, params: Params): void {
  for (const [name, key] of FRACTIONS) {
    const value = readDecimal(params[key]);
    if (value === undefined || value < 0n || value > ONE) {
      throw field.get(name).wrong(`expected a decimal from 0 to 1 with at most 18 places, got "${params[key]}"`);
    }
  }
  for (const [name, key] of PERIODS) {
    const period = params[key];
    if (!period || period.seconds < 0n || period.nanos < 0)
      throw field.get(name).wrong("expected a duration, as 172800s");
  }
  readCoinsOf(field, "min_deposit", params.minDeposit);
  readCoinsOf(field, "expedited_min_deposit", params.expeditedMinDeposit);
  if (params.proposalCancelDest !== "") field.get("proposal_cancel_dest").parse(decodeAnyAddress);
}

function readCoinsOf(field: JsonReader, name: string, messages: readonly { denom: string; amount: string }[]): Coin[] {
  try {
    return normalCoins(coinsFromMessages(messages));
  } catch (cause) {
    throw field.get(name).wrong(cause instanceof Error ? cause.message : String(cause));
  }
}

function readDeposit(item: JsonReader): Deposit {
  const deposit = readMessage(DepositSchema, item);
  item.get("depositor").parse(decodeAddress);
  readCoins(item.get("amount"));
  return deposit;
}

/** An option of an unknown name is read as none, as unknown names of fields are passed over. */
function readVote(item: JsonReader): Vote {
  const vote = readMessage(VoteSchema, item);
  item.get("voter").parse(decodeAddress);
  if (vote.options.some(({ option }) => option === VoteOption.UNSPECIFIED)) {
    throw item.get("options").wrong("an option is none of those that can be voted for");
  }
  return vote;
}

function readMessage<T extends DescMessage>(schema: T, field: JsonReader): MessageShape<T> {
  try {
    return messageFromJson(schema, field.value);
  } catch (cause) {
    throw field.wrong(cause instanceof Error ? cause.message : String(cause));
  }
}
