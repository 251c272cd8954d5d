/** Votes: one option, or several with weights that sum up to 1. A later vote of the same voter replaces the earlier. */
import { create } from "@bufbuild/protobuf";
import {
  VoteOption,
  VoteOptionSchema,
  VoteSchema,
  type WeightedVoteOption,
  WeightedVoteOptionSchema,
} from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { goQuote } from "../../../upgrade/plan-info/go-quote.js";
import type { ModuleContext } from "../../app/context.js";
import { formatDecimal, ONE, readDecimal } from "../../values/decimal.js";
import { GOV, SDK, TxError } from "../../values/tx-error.js";
import { checkMetadataLength } from "./proposal-text.js";
import { isVotedOn } from "./queues.js";
import { GOV_STORE, writeVote } from "./records.js";

const OPTIONS: ReadonlySet<VoteOption> = new Set([
  VoteOption.YES,
  VoteOption.ABSTAIN,
  VoteOption.NO,
  VoteOption.NO_WITH_VETO,
]);

/** The whole vote for one option. @throws TxError gov 7 */
export function wholeVote(option: VoteOption): WeightedVoteOption[] {
  if (!OPTIONS.has(option)) throw new TxError(GOV.INVALID_VOTE, optionName(option));
  return [create(WeightedVoteOptionSchema, { option, weight: formatDecimal(ONE) })];
}

/** @throws TxError gov 7, sdk 18 */
export function checkWeights(options: readonly WeightedVoteOption[]): void {
  if (options.length === 0) throw new TxError(SDK.INVALID_REQUEST, "null");
  const seen = new Set<VoteOption>();
  let total = 0n;
  for (const choice of options) {
    const weight = readDecimal(choice.weight);
    if (weight === undefined || weight <= 0n || weight > ONE || !OPTIONS.has(choice.option)) {
      throw new TxError(GOV.INVALID_VOTE, describe(choice));
    }
    total += weight;
    if (seen.has(choice.option)) throw new TxError(GOV.INVALID_VOTE, "duplicated vote option");
    seen.add(choice.option);
  }
  if (total > ONE) throw new TxError(GOV.INVALID_VOTE, "total weight overflow 1.00");
  if (total < ONE) throw new TxError(GOV.INVALID_VOTE, "total weight lower than 1.00");
}

export interface Ballot {
  readonly id: bigint;
  readonly voter: Uint8Array;
  readonly options: readonly WeightedVoteOption[];
  readonly metadata: string;
}

/** @throws TxError gov 3, gov 15 */
export function addVote(context: ModuleContext, { id, voter, options, metadata }: Ballot): void {
  const store = context.store(GOV_STORE);
  if (!isVotedOn(store, id)) throw new TxError(GOV.INACTIVE_PROPOSAL, String(id));
  checkMetadataLength(metadata);
  const address = context.addresses.encode(voter);
  writeVote(store, create(VoteSchema, { proposalId: id, voter: address, options: [...options], metadata }));
  const shown = JSON.stringify(options.map(({ option, weight }) => ({ option, weight })));
  context.emit("proposal_vote", ["voter", address], ["option", shown], ["proposal_id", String(id)]);
}

function optionName(option: VoteOption): string {
  return VoteOptionSchema.value[option]?.name ?? String(option);
}

/** The compact text of protobuf. */
function describe({ option, weight }: WeightedVoteOption): string {
  const parts = [];
  if (option !== VoteOption.UNSPECIFIED) parts.push(`option:${optionName(option)} `);
  if (weight !== "") parts.push(`weight:${goQuote(weight)} `);
  return parts.join("");
}
