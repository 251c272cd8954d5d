/** The probe of module gov: a proposal for another upgrade, its deposit, one vote, and the tally. */
import { create } from "@bufbuild/protobuf";
import { BondStatus, type Validator } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { type Params, ProposalStatus, VoteOption } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { type MsgSubmitProposal, MsgSubmitProposalSchema } from "../../../base/gen/cosmos/gov/v1/tx_pb.js";
import { compareTimes } from "../../../base/time/time.js";
import type { KVReader } from "../../../base/types/types.js";
import type { ProbeContext } from "../../app/context.js";
import { type Coin, coinsFromMessages, coinsToMessages, normalCoins, parseAmount } from "../../values/coins.js";
import { fromInteger } from "../../values/decimal.js";
import { bankOf } from "../bank/bank.js";
import { STAKING_STORE, validators, writeDelegation } from "../staking/records.js";
import { softwareUpgrade } from "../upgrade/compose.js";
import { castVote, submitProposal } from "./messages.js";
import { paramsProblem } from "./params.js";
import { GOV_STORE, readNextProposalId, readParams, readProposal } from "./records.js";
import { tally } from "./tally.js";
import { tallyProposal } from "./tally-proposal.js";
import { wholeVote } from "./votes.js";

/** Reads a number of records that grows with the number of validators alone, as the tally of any proposal does. */
export function probeGov(context: ProbeContext): string | undefined {
  if (!context.stores.names.includes(STAKING_STORE)) return undefined;
  const store = context.store(GOV_STORE);
  const params = readParams(store);
  const wrong = paramsProblem(params);
  if (wrong) return `the parameter ${wrong.name}: ${wrong.what}`;
  if (!wouldPass(params)) return "with these parameters a proposal fails even if everybody votes yes";
  const id = readNextProposalId(store);
  if (readProposal(store, id)) return `the id of the next proposal is ${id}, which a proposal already has`;
  submitProposal(context, proposalOf(context, params));
  const proposal = readProposal(store, id);
  if (!proposal?.votingEndTime || proposal.status !== ProposalStatus.VOTING_PERIOD) {
    return "a proposal with its whole deposit is not voted on";
  }
  if (compareTimes(proposal.votingEndTime, context.time) <= 0) {
    return "the vote on a proposal ends in the block that it begins in: voting_period is 0s";
  }
  return voteProblem(context, id);
}

/** Its account is new, and gets the deposit out of nothing. */
function proposalOf(context: ProbeContext, { minDeposit }: Params): MsgSubmitProposal {
  const { addresses, height, keeper, router, stores, version } = context;
  const deposit: Coin[] = normalCoins(coinsFromMessages(minDeposit));
  const proposer = context.unusedAddress("proposer");
  bankOf(version).mint(stores, proposer, deposit);
  const upgrade = softwareUpgrade(keeper.authority, { name: `probe-${height}`, height: height + 1n, info: "" });
  return create(MsgSubmitProposalSchema, {
    // A version without the message takes a proposal that says something and does nothing.
    messages: router.has(upgrade.typeUrl) ? [upgrade] : [],
    initialDeposit: coinsToMessages(deposit),
    proposer: addresses.encode(proposer),
    ...{ title: "probe", summary: "probe", metadata: router.has(upgrade.typeUrl) ? "" : "probe" },
  });
}

/** The voter has all shares of one validator, so the tally must count the validator's tokens for yes. */
function voteProblem(context: ProbeContext, id: bigint): string | undefined {
  const staking = context.store(STAKING_STORE);
  const voter = context.unusedAddress("voter");
  const validator = firstBonded(staking);
  if (validator) {
    const { operator, delegatorShares: shares } = validator;
    writeDelegation(staking, { delegator: voter, operator, shares });
  }
  const vote = { proposalId: id, voter: context.addresses.encode(voter), option: VoteOption.YES, metadata: "" };
  castVote(context, vote);
  const { yes } = tallyProposal(context.stores, { id, expedited: false }).counts;
  const cast = validator ? parseAmount(validator.tokens) : 0n;
  return yes === cast ? undefined : `a vote with the power of ${cast} tokens counts as ${yes}`;
}

/** The first bonded validator with tokens and shares; undefined: no vote has power. */
function firstBonded(staking: KVReader): Validator | undefined {
  for (const validator of validators(staking)) {
    const hasShares = validator.tokens !== "0" && !/^0(\.0*)?$/.test(validator.delegatorShares);
    if (validator.status === BondStatus.BONDED && hasShares) return validator;
  }
  return undefined;
}

function wouldPass(params: Params): boolean {
  const everybody = { operator: "", tokens: 1n, shares: fromInteger(1n) };
  return tally({
    ...{ validators: [everybody], totalBonded: 1n, params, isExpedited: false },
    votes: [{ voter: "", options: wholeVote(VoteOption.YES) }],
    delegationsOf: () => [],
  }).passes;
}
