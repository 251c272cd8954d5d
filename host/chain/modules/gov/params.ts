/** Parameters of governance: the Cosmos SDK's defaults (specification 7.4). */
import { create } from "@bufbuild/protobuf";
import { type Params, ParamsSchema } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { ONE, readDecimal } from "../../values/decimal.js";

const DAY_SECONDS = 86_400n;

export function defaultGovParams(denom: string): Params {
  return create(ParamsSchema, {
    minDeposit: [{ denom, amount: "10000000" }],
    maxDepositPeriod: { seconds: 2n * DAY_SECONDS },
    votingPeriod: { seconds: 2n * DAY_SECONDS },
    quorum: "0.334000000000000000",
    threshold: "0.500000000000000000",
    vetoThreshold: "0.334000000000000000",
    minInitialDepositRatio: "0.000000000000000000",
    proposalCancelRatio: "0.500000000000000000",
    proposalCancelDest: "",
    expeditedVotingPeriod: { seconds: DAY_SECONDS },
    expeditedThreshold: "0.667000000000000000",
    expeditedMinDeposit: [{ denom, amount: "50000000" }],
    burnVoteQuorum: false,
    burnProposalDepositPrevote: false,
    burnVoteVeto: true,
    minDepositRatio: "0.010000000000000000",
  });
}

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

/** The first fraction or period that votes cannot be held with; undefined: none. */
export function paramsProblem(params: Params): { readonly name: string; readonly what: string } | undefined {
  for (const [name, key] of FRACTIONS) {
    const value = readDecimal(params[key]);
    if (value === undefined || value < 0n || value > ONE) {
      return { name, what: `expected a decimal from 0 to 1 with at most 18 places, got "${params[key]}"` };
    }
  }
  for (const [name, key] of PERIODS) {
    const period = params[key];
    if (!period || period.seconds < 0n || period.nanos < 0) return { name, what: "expected a duration, as 172800s" };
  }
  return undefined;
}
