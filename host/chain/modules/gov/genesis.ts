/** The gov part of a genesis document: parameters, proposals, deposits and votes, in the Cosmos SDK's JSON. */

import { create, createRegistry, type DescMessage, type MessageShape, type Registry } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { sha256 } from "@noble/hashes/sha2.js";
import { messageOf } from "../../../base/errors/errors.js";
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
} from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { equalBytes } from "../../../base/text/bytes.js";
import { type GenesisSection, moduleGenesis } from "../../app/genesis/module-genesis.js";
import { messageWriter } from "../../messages/gateway-json.js";
import { messageFromJson } from "../../messages/message-json.js";
import { type AddressCodec, moduleAddress } from "../../values/address.js";
import {
  addCoins,
  type Coin,
  coinsFromMessages,
  coinsToMessages,
  formatCoins,
  normalCoins,
  subtractCoins,
} from "../../values/coins.js";
import { readCoins } from "../../values/json-coins.js";
import type { JsonReader } from "../../values/json-reader.js";
import type { BalanceWatch, BankGenesis } from "../bank/genesis.js";
import { defaultGovParams, paramsProblem } from "./params.js";
import { enqueueProposal } from "./queues.js";
import {
  deposits,
  GOV_MODULE,
  GOV_STORE,
  proposals,
  readNextProposalId,
  readParams as storedParams,
  votes,
  writeDeposit,
  writeNextProposalId,
  writeParams,
  writeProposal,
  writeVote,
} from "./records.js";

export interface GenesisGov {
  readonly startingProposalId: bigint;
  readonly params: Params;
  readonly proposals: readonly Proposal[];
  readonly deposits: readonly Deposit[];
  readonly votes: readonly Vote[];
}

export const govGenesis = moduleGenesis<GenesisGov>({
  default: (bondDenom) => ({
    starting_proposal_id: "1",
    params: defaultParams(bondDenom),
    proposals: [],
    deposits: [],
    votes: [],
  }),
  read(section) {
    const gov = readGov(section.json, section);
    const bank = section.of("bank") as BankGenesis | undefined;
    bank?.watch(() => depositWatch(section.json, gov));
    return gov;
  },
  counts: (gov) => ({ proposals: gov.proposals.length }),
  init(context, gov) {
    const store = context.store(GOV_STORE);
    writeParams(store, gov.params);
    writeNextProposalId(store, gov.startingProposalId);
    for (const proposal of gov.proposals) {
      writeProposal(store, proposal);
      enqueueProposal(store, proposal);
    }
    for (const deposit of gov.deposits) writeDeposit(store, deposit);
    for (const vote of gov.votes) writeVote(store, vote);
  },
  *export({ view, registry }) {
    const store = view.store(GOV_STORE);
    const json = messageWriter(registry);
    yield JSON.stringify({
      starting_proposal_id: String(readNextProposalId(store)),
      params: json(ParamsSchema, storedParams(store)),
      proposals: [...proposals(store)].map((each) => json(ProposalSchema, each)),
      deposits: [...deposits(store)].map((each) => json(DepositSchema, each)),
      votes: [...votes(store)].map((each) => json(VoteSchema, each)),
    });
  },
});

/** Written out, so that they can be edited. */
function defaultParams(denom: string): unknown {
  return messageWriter(createRegistry())(ParamsSchema, defaultGovParams(denom));
}

/** Those of the Cosmos SDK; the ones of `UNREAD_FIELDS` are from before `params`, or say nothing that a block reads. */
const UNREAD_FIELDS = ["deposit_params", "voting_params", "tally_params", "constitution"];
const FIELDS = ["starting_proposal_id", "params", "proposals", "deposits", "votes", ...UNREAD_FIELDS];

type Reading = Pick<GenesisSection, "registry" | "addresses">;

function readGov(
  gov: JsonReader,
  { bondDenom, registry, addresses }: Pick<GenesisSection, "bondDenom" | "registry" | "addresses">,
): GenesisGov {
  if (gov.isSet) gov.only(...FIELDS);
  const startingProposalId = gov.get("starting_proposal_id").uint64(1n);
  const list = gov
    .get("proposals")
    .items()
    .map((item) => readProposal(registry, item));
  const taken = list.find(({ id }) => id >= startingProposalId);
  if (taken) throw gov.get("starting_proposal_id").wrong(`must be greater than ${taken.id}, the id of a proposal`);
  return {
    startingProposalId,
    params: readParams({ registry, addresses }, gov.get("params"), bondDenom),
    proposals: list,
    deposits: gov
      .get("deposits")
      .items()
      .map((item) => readDeposit({ registry, addresses }, item)),
    votes: gov
      .get("votes")
      .items()
      .map((item) => readVote({ registry, addresses }, item)),
  };
}

/** Sees what the gov account has. */
function depositWatch(json: JsonReader, gov: GenesisGov): BalanceWatch {
  const account = moduleAddress(sha256, GOV_MODULE);
  let held: readonly Coin[] = [];
  return {
    see({ address, coins }) {
      if (equalBytes(address, account)) held = coins;
    },
    end: () => checkHeldDeposits(json, gov, held),
  };
}

/**
 * The gov account gives deposits back, so it must hold them: those of proposals that are still open.
 * @param held what the gov account has
 * @throws UpgradeError UPG_INVALID_GENESIS
 */
function checkHeldDeposits(gov: JsonReader, { proposals, deposits }: GenesisGov, held: readonly Coin[]): void {
  const open = new Set(proposals.filter(({ status }) => OPEN.has(status)).map(({ id }) => id));
  const owed = deposits.filter(({ proposalId }) => open.has(proposalId));
  const sum = owed.reduce<Coin[]>((coins, { amount }) => addCoins(coins, coinsFromMessages(amount)), []);
  if (subtractCoins(held, sum)) return;
  const has = formatCoins(held) || "nothing";
  throw gov.get("deposits").wrong(`the gov account must hold the deposits, ${formatCoins(sum)}, and it has ${has}`);
}

const OPEN: ReadonlySet<ProposalStatus> = new Set([ProposalStatus.DEPOSIT_PERIOD, ProposalStatus.VOTING_PERIOD]);

/** An open proposal says when it ends: the end of its period is what the chain acts on. */
function readProposal(registry: Registry, item: JsonReader): Proposal {
  const proposal = readMessage(registry, ProposalSchema, item);
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
function readParams({ registry, addresses }: Reading, field: JsonReader, denom: string): Params {
  const defaults = defaultGovParams(denom);
  if (!field.isSet) return defaults;
  const params = readMessage(registry, ParamsSchema, field);
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
  checkParams(field, merged, addresses);
  return merged;
}

const DAY_SECONDS = 86_400n;

/** What a block relies on: a wrong parameter must not wait for the first vote to end. */
function checkParams(field: JsonReader, params: Params, addresses: AddressCodec): void {
  const problem = paramsProblem(params);
  if (problem) throw field.get(problem.name).wrong(problem.what);
  readCoinsOf(field, "min_deposit", params.minDeposit);
  readCoinsOf(field, "expedited_min_deposit", params.expeditedMinDeposit);
  if (params.proposalCancelDest !== "") field.get("proposal_cancel_dest").parse(addresses.decodeAny);
}

function readCoinsOf(field: JsonReader, name: string, messages: readonly { denom: string; amount: string }[]): Coin[] {
  try {
    return normalCoins(coinsFromMessages(messages));
  } catch (cause) {
    throw field.get(name).wrong(messageOf(cause));
  }
}

function readDeposit({ registry, addresses }: Reading, item: JsonReader): Deposit {
  const deposit = readMessage(registry, DepositSchema, item);
  item.get("depositor").parse(addresses.decode);
  readCoins(item.get("amount"));
  return deposit;
}

function readVote({ registry, addresses }: Reading, item: JsonReader): Vote {
  const vote = readMessage(registry, VoteSchema, item);
  item.get("voter").parse(addresses.decode);
  if (vote.options.some(({ option }) => option === VoteOption.UNSPECIFIED)) {
    throw item
      .get("options")
      .wrong("expected VOTE_OPTION_YES, VOTE_OPTION_ABSTAIN, VOTE_OPTION_NO or VOTE_OPTION_NO_WITH_VETO");
  }
  return vote;
}

function readMessage<T extends DescMessage>(registry: Registry, schema: T, field: JsonReader): MessageShape<T> {
  try {
    return messageFromJson(registry, schema, field.value);
  } catch (cause) {
    throw field.wrong(messageOf(cause));
  }
}
