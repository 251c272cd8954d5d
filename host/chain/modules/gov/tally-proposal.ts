/** The tally of a proposal over the staking power in state: at its end, and for those who ask before. */
import { create } from "@bufbuild/protobuf";
import { BondStatus } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { type Proposal, type TallyResult, TallyResultSchema } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { fromHex, toHex } from "../../../base/text/bytes.js";
import type { KVReader } from "../../../base/types/types.js";
import { checkedAddress } from "../../values/address.js";
import { parseAmount } from "../../values/coins.js";
import { parseDecimal } from "../../values/decimal.js";
import type { Stores } from "../bank/bank.js";
import { delegationsOf, STAKING_STORE, validators } from "../staking/records.js";
import { GOV_STORE, readParams, votesOf } from "./records.js";
import {
  type Counts,
  completed,
  type TallyDelegation,
  type TallyOutcome,
  type TallyValidator,
  tallySteps,
} from "./tally.js";

type Tallied = Pick<Proposal, "id" | "expedited">;

/** Counts the votes cast so far; nothing is changed. */
export function tallyProposal(stores: Stores, proposal: Tallied): TallyOutcome {
  return completed(tallyProposalSteps(stores, proposal));
}

/** The same, one step a vote. */
export function tallyProposalSteps(stores: Stores, { id, expedited }: Tallied): Generator<void, TallyOutcome> {
  const gov = stores.store(GOV_STORE);
  const staking = stores.store(STAKING_STORE);
  const bonded = bondedValidators(staking);
  return tallySteps({
    validators: bonded,
    totalBonded: bonded.reduce((sum, { tokens }) => sum + tokens, 0n),
    votes: votes(gov, id),
    delegationsOf: (voter) => delegations(staking, voter),
    params: readParams(gov),
    isExpedited: expedited,
  });
}

export function tallyMessage({ yes, abstain, no, noWithVeto }: Counts): TallyResult {
  return create(TallyResultSchema, {
    yesCount: String(yes),
    abstainCount: String(abstain),
    noCount: String(no),
    noWithVetoCount: String(noWithVeto),
  });
}

/** Accounts and operators alike go by their address in hex. */
function bondedValidators(staking: KVReader): TallyValidator[] {
  return [...validators(staking)]
    .filter(({ status }) => status === BondStatus.BONDED)
    .map(({ operator, tokens, delegatorShares }) => ({
      operator: toHex(operator),
      tokens: parseAmount(tokens),
      shares: parseDecimal(delegatorShares),
    }));
}

function* votes(gov: KVReader, id: bigint) {
  for (const { voter, options } of votesOf(gov, id)) yield { voter: toHex(checkedAddress(voter)), options };
}

function* delegations(staking: KVReader, voter: string): Generator<TallyDelegation> {
  for (const { operator, shares } of delegationsOf(staking, fromHex(voter))) {
    yield { operator: toHex(operator), shares: parseDecimal(shares) };
  }
}
