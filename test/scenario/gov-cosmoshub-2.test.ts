/** Real proposals, votes and powers: what cosmoshub-2 began with, counted at the real ends of the votes. */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ProposalStatus } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { parseTime } from "../../host/base/time/time.js";
import { accountBank } from "../../host/chain/modules/bank/bank.js";
import { depositsOf, GOV_STORE, readProposal, votesOf } from "../../host/chain/modules/gov/records.js";
import { tallyProposal } from "../../host/chain/modules/gov/tally-proposal.js";
import { formatCoins } from "../../host/chain/values/coins.js";
import { COSMOSHUB_2, cosmoshub2Genesis } from "../cosmoshub-2.js";
import { V1 } from "../example-chain.js";
import { Chain, type Process } from "./chain.js";

interface Validator {
  readonly operator_address: string;
  readonly tokens: string;
  readonly delegator_shares: string;
  readonly status: number;
}

interface Legacy {
  readonly app_state: {
    readonly staking: {
      readonly validators: readonly Validator[];
      readonly delegations: readonly { delegator_address: string; validator_address: string; shares: string }[];
    };
    readonly gov: {
      readonly votes: readonly { proposal_id: string; vote: { voter: string; option: string } }[];
    };
  };
}

/** Shares and tokens are whole in this genesis, up to the fraction that slashing leaves: count in units of 10^-10. */
const UNIT = 10n ** 10n;

function units(text: string): bigint {
  const [whole = "", places = ""] = text.split(".");
  return BigInt(whole) * UNIT + BigInt(places.padEnd(10, "0").slice(0, 10));
}

/** Powers of the options by exact fractions over one denominator a validator: another way to the same sums. */
function countAgain({ app_state: { staking, gov } }: Legacy, id: string): Record<string, number> {
  const chosen = new Map(
    gov.votes.filter((each) => each.proposal_id === id).map(({ vote }) => [vote.voter, vote.option]),
  );
  const sums: Record<string, number> = {};
  for (const validator of staking.validators.filter(({ status }) => status === 2)) {
    const shares = units(validator.delegator_shares);
    let left = shares;
    const add = (option: string, part: bigint) => {
      sums[option] = (sums[option] ?? 0) + Number((part * BigInt(validator.tokens) * 1_000n) / shares) / 1_000;
    };
    for (const delegation of staking.delegations.filter(
      (each) => each.validator_address === validator.operator_address,
    )) {
      const option = chosen.get(delegation.delegator_address);
      if (option === undefined) continue;
      add(option, units(delegation.shares));
      left -= units(delegation.shares);
    }
    const [own] = [...chosen].filter(([voter]) => sameBytes(voter, validator.operator_address));
    if (own) add(own[1], left);
  }
  return sums;
}

/** An operator and its account differ in prefix and checksum only. */
function sameBytes(account: string, operator: string): boolean {
  return account.slice("cosmos1".length, -6) === operator.slice("cosmosvaloper1".length, -6);
}

const onRealState = existsSync(COSMOSHUB_2) ? describe : describe.skip;

onRealState("cosmoshub-2 (needs its genesis in $CHAIN_DATA)", () => {
  const legacy = existsSync(COSMOSHUB_2)
    ? (JSON.parse(gunzipSync(readFileSync(COSMOSHUB_2)).toString("utf8")) as Legacy)
    : undefined;
  const begin = (): Process => {
    const running = new Chain({ genesis: cosmoshub2Genesis() }).start({ versions: [V1] });
    running.block({ time: parseTime("2019-04-22T17:00:00Z") });
    return running;
  };

  for (const id of [4n, 5n]) {
    test(`the votes of proposal ${id} over the real powers → as an independent count`, () => {
      const { counts } = tallyProposal(begin().state, { id, expedited: false });
      const again = countAgain(legacy as Legacy, String(id));
      expect(Number(counts.yes)).toBeGreaterThan(1e12);
      for (const [ours, theirs] of [
        [counts.yes, again["Yes"]],
        [counts.abstain, again["Abstain"]],
        [counts.no, again["No"]],
        [counts.noWithVeto, again["NoWithVeto"]],
      ] as const) {
        expect(Math.abs(Number(ours) - (theirs ?? 0))).toBeLessThan(2);
      }
    });
  }

  test("blocks over the ends of both votes → counted once each, deposits given back or burned, supply explained", () => {
    const running = begin();
    const supply = () => formatCoins(accountBank.supply(running.state));
    const before = supply();
    const held = [4n, 5n].map((id) => [...depositsOf(running.state.store(GOV_STORE), id)].length);
    expect(held).toEqual([4, 2]);
    running.block({ time: parseTime("2019-04-29T15:25:48.465886745Z") });
    expect(readProposal(running.state.store(GOV_STORE), 4n)?.status).toBe(ProposalStatus.VOTING_PERIOD);
    const four = running.block({ time: parseTime("2019-04-29T15:25:48.465886746Z") });
    expect(four.events.filter(({ type }) => type === "active_proposal")).toHaveLength(1);
    const five = running.block({ time: parseTime("2019-05-03T02:48:02Z") });
    expect(five.events.filter(({ type }) => type === "active_proposal")).toHaveLength(1);
    expect(running.block({ time: parseTime("2019-06-01T00:00:00Z") }).events).toEqual([]);
    const gov = running.state.store(GOV_STORE);
    for (const id of [4n, 5n]) {
      const proposal = readProposal(gov, id);
      expect([ProposalStatus.PASSED, ProposalStatus.REJECTED]).toContain(proposal?.status);
      expect([...votesOf(gov, id)]).toEqual([]);
      expect([...depositsOf(gov, id)]).toEqual([]);
    }
    expect(supply()).toBe(before);
    expect(readProposal(gov, 1n)).toMatchObject({
      status: ProposalStatus.PASSED,
      finalTallyResult: { yesCount: "97118903526799", noCount: "320545400000" },
    });
  });
});
