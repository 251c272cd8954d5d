/** Kind `tally`: validators, delegations, votes and parameters in; verdict and counts out. */
import { create } from "@bufbuild/protobuf";
import { type Params, ParamsSchema, WeightedVoteOptionSchema } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { tally } from "../../host/chain/modules/gov/tally.js";
import { parseDecimal } from "../../host/chain/values/decimal.js";
import { encodeAddress, operators } from "../addresses.js";
import { expectEqual, type VectorCase } from "./harness.js";

export function runTally(vector: VectorCase): readonly string[] {
  const { staking, votes } = vector as { staking: VectorCase; votes: VectorCase[] };
  const { passes, burnsDeposits, counts } = tally({
    validators: (staking["validators"] as VectorCase[]).map(({ operator, tokens, shares }) => ({
      operator: accountOf(operator),
      tokens: BigInt(tokens),
      shares: parseDecimal(shares),
    })),
    totalBonded: BigInt(staking["total_bonded"]),
    votes: votes.map(({ voter, options }) => ({ voter, options: options.map(weightedOption) })),
    delegationsOf: (voter) =>
      (staking["delegations"] as VectorCase[])
        .filter(({ delegator }) => delegator === voter)
        .map(({ validator, shares }) => ({ operator: accountOf(validator), shares: parseDecimal(shares) })),
    params: govParams(vector["params"]),
    isExpedited: vector["expedited"],
  });
  expectEqual(passes, vector["passes"], "passes");
  expectEqual(burnsDeposits, vector["burn_deposits"], "burns deposits");
  const { yes, abstain, no, noWithVeto } = counts;
  expectEqual({ yes, abstain, no, no_with_veto: noWithVeto }, vector["result"], "result");
  return [];
}

/** The account of a validator's operator: both names go by the same bytes. */
function accountOf(operator: string): string {
  return encodeAddress(operators.decode(operator));
}

export const weightedOption = ({ option, weight }: VectorCase) => create(WeightedVoteOptionSchema, { option, weight });

const seconds = (text: string) => ({ seconds: BigInt(text) });

export function govParams(params: VectorCase): Params {
  return create(ParamsSchema, {
    minDeposit: params["min_deposit"],
    expeditedMinDeposit: params["expedited_min_deposit"],
    maxDepositPeriod: seconds(params["max_deposit_period_s"]),
    votingPeriod: seconds(params["voting_period_s"]),
    expeditedVotingPeriod: seconds(params["expedited_voting_period_s"]),
    quorum: params["quorum"],
    threshold: params["threshold"],
    expeditedThreshold: params["expedited_threshold"],
    vetoThreshold: params["veto_threshold"],
    minInitialDepositRatio: params["min_initial_deposit_ratio"],
    minDepositRatio: params["min_deposit_ratio"],
    proposalCancelRatio: params["proposal_cancel_ratio"],
    proposalCancelDest: params["proposal_cancel_dest"],
    burnVoteQuorum: params["burn_vote_quorum"],
    burnVoteVeto: params["burn_vote_veto"],
    burnProposalDepositPrevote: params["burn_proposal_deposit_prevote"],
  });
}
