/** Parameters of governance: the Cosmos SDK's defaults (specification 7.4). */
import { create } from "@bufbuild/protobuf";
import { type Params, ParamsSchema } from "../gen/cosmos/gov/v1/gov_pb.js";

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
