/**
 * Counts votes by staking power, as the Cosmos SDK does. A voter's delegations count by the voter's options and are taken
 * from their validators; what is left of a validator counts by the validator's own vote.
 */

import { type Params, VoteOption, type WeightedVoteOption } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import {
  type Decimal,
  divide,
  fromInteger,
  multiply,
  parseDecimal,
  readDecimal,
  truncate,
} from "../../values/decimal.js";

export interface TallyValidator {
  /** Names the operator; delegations and votes use the same names. */
  readonly operator: string;
  /** Whole tokens. */
  readonly tokens: bigint;
  readonly shares: Decimal;
}

export interface TallyDelegation {
  readonly operator: string;
  readonly shares: Decimal;
}

interface TallyVote {
  /** The voter's name; a validator's operator votes under the operator's name. */
  readonly voter: string;
  readonly options: readonly WeightedVoteOption[];
}

export interface TallyInput {
  /** The bonded ones. */
  readonly validators: readonly TallyValidator[];
  readonly totalBonded: bigint;
  readonly votes: Iterable<TallyVote>;
  readonly delegationsOf: (voter: string) => Iterable<TallyDelegation>;
  readonly params: Params;
  readonly isExpedited: boolean;
}

/** Whole tokens. */
export interface Counts {
  readonly yes: bigint;
  readonly abstain: bigint;
  readonly no: bigint;
  readonly noWithVeto: bigint;
}

export interface TallyOutcome {
  readonly passes: boolean;
  readonly burnsDeposits: boolean;
  readonly counts: Counts;
}

interface Standing extends TallyValidator {
  /** Shares of delegators who voted themselves. */
  deducted: Decimal;
  vote: readonly WeightedVoteOption[];
}

/** One step a vote: who asks between blocks lets others compute in between. */
export function* tallySteps(input: TallyInput): Generator<void, TallyOutcome> {
  const { results, power } = yield* countPower(input);
  const of = (option: VoteOption): Decimal => results.get(option) ?? 0n;
  const counts = {
    yes: truncate(of(VoteOption.YES)),
    abstain: truncate(of(VoteOption.ABSTAIN)),
    no: truncate(of(VoteOption.NO)),
    noWithVeto: truncate(of(VoteOption.NO_WITH_VETO)),
  };
  return { ...verdict(input, of, power), counts };
}

/** @internal all steps at once, as tests take them */
export function tally(input: TallyInput): TallyOutcome {
  return completed(tallySteps(input));
}

/** Takes all steps at once. */
export function completed<T>(steps: Iterator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function verdict(
  { totalBonded, params, isExpedited }: TallyInput,
  of: (option: VoteOption) => Decimal,
  power: Decimal,
): Pick<TallyOutcome, "passes" | "burnsDeposits"> {
  const fails = (burnsDeposits: boolean) => ({ passes: false, burnsDeposits });
  if (totalBonded === 0n) return fails(false);
  if (divide(power, fromInteger(totalBonded)) < parseDecimal(params.quorum)) return fails(params.burnVoteQuorum);
  // Powers of one vote may cancel those of another where a store has more delegated than there is.
  if (power === 0n) return fails(false);
  const decided = power - of(VoteOption.ABSTAIN);
  if (decided === 0n) return fails(false);
  const veto = divide(of(VoteOption.NO_WITH_VETO), power);
  if (veto > parseDecimal(params.vetoThreshold)) return fails(params.burnVoteVeto);
  const threshold = parseDecimal(isExpedited ? params.expeditedThreshold : params.threshold);
  if (divide(of(VoteOption.YES), decided) > threshold) return { passes: true, burnsDeposits: false };
  return fails(false);
}

function* countPower({ validators, votes, delegationsOf }: TallyInput) {
  const results = new Map<VoteOption, Decimal>();
  let power: Decimal = 0n;
  const count = (options: readonly WeightedVoteOption[], votingPower: Decimal) => {
    for (const { option, weight } of options) {
      const part = multiply(votingPower, readDecimal(weight) ?? 0n);
      results.set(option, (results.get(option) ?? 0n) + part);
    }
    power += votingPower;
  };
  const standings = new Map<string, Standing>(
    validators.map((validator) => [validator.operator, { ...validator, deducted: 0n, vote: [] }]),
  );
  for (const { voter, options } of votes) {
    const own = standings.get(voter);
    if (own) own.vote = options;
    for (const { operator, shares } of delegationsOf(voter)) {
      const standing = standings.get(operator);
      if (!standing || standing.shares === 0n) continue;
      standing.deducted += shares;
      count(options, powerOf(standing, shares));
    }
    yield;
  }
  for (const standing of standings.values()) {
    const { vote, shares, deducted } = standing;
    if (vote.length > 0 && shares !== 0n) count(vote, powerOf(standing, shares - deducted));
  }
  return { results, power };
}

/** Tokens of some of a validator's shares. */
function powerOf({ tokens, shares }: TallyValidator, part: Decimal): Decimal {
  return divide(part * tokens, shares);
}
