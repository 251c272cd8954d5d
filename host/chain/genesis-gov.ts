/** The gov part of a genesis document: parameters, proposals, deposits and votes, in the field's JSON. */
import { create, type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import {
  type Deposit,
  DepositSchema,
  type Params,
  ParamsSchema,
  type Proposal,
  ProposalSchema,
  type Vote,
  VoteOption,
  VoteSchema,
} from "../gen/cosmos/gov/v1/gov_pb.js";
import { decodeAddress } from "./address.js";
import { readCoins } from "./genesis-coins.js";
import type { JsonReader } from "./json-reader.js";
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
  return {
    startingProposalId: gov.get("starting_proposal_id").uint64(1n),
    params: readParams(gov.get("params"), defaultGovParams(denom)),
    proposals: gov
      .get("proposals")
      .items()
      .map((item) => readMessage(ProposalSchema, item)),
    deposits: gov.get("deposits").items().map(readDeposit),
    votes: gov.get("votes").items().map(readVote),
  };
}

/** What the document leaves out keeps its default. */
function readParams(field: JsonReader, defaults: Params): Params {
  if (!field.isSet) return defaults;
  const params = readMessage(ParamsSchema, field);
  const given = ParamsSchema.fields
    .filter(({ name, jsonName }) => field.get(name).isSet || field.get(jsonName).isSet)
    .map(({ localName }) => [localName, params[localName as keyof Params]]);
  return create(ParamsSchema, { ...defaults, ...(Object.fromEntries(given) as Partial<Params>) });
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
    return fromJson(schema, field.value as JsonValue, { ignoreUnknownFields: true });
  } catch (cause) {
    throw field.wrong(cause instanceof Error ? cause.message : String(cause));
  }
}
