/** Shares and pools under any messages: nothing is made or lost, and nobody gains by rounding. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backedStake, owedByPools, poolAddress } from "../../host/chain/modules/staking/pools.js";
import { consensusPowers } from "../../host/chain/modules/staking/power.js";
import { delegations, STAKING_STORE, validators } from "../../host/chain/modules/staking/records.js";
import { addTokens, type Holding, removeShares, sharesFromTokens } from "../../host/chain/modules/staking/shares.js";
import { ONE, parseDecimal } from "../../host/chain/values/decimal.js";
import { BOB, createMessage, delegateMessage, PEOPLE, StakeTown, stakeGenesis, undelegateMessage } from "./stakers.js";

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });
const holding: fc.Arbitrary<Holding> = fc.record({ tokens: amount, shares: fc.bigInt({ min: ONE, max: 10n ** 48n }) });

describe("shares", () => {
  test("tokens in, and the shares for them out again → no more tokens than came in, and nobody else's", () => {
    fc.assert(
      fc.property(holding, amount, (before, tokens) => {
        const { issued, ...after } = addTokens(before, tokens);
        fc.pre(issued > 0n);
        const { freed, ...left } = removeShares(after, issued);
        expect(freed).toBeLessThanOrEqual(tokens + 1n);
        expect(left.tokens + freed).toBe(after.tokens);
        expect(left.shares).toBe(before.shares);
        expect(left.tokens).toBeGreaterThanOrEqual(before.tokens - 1n);
      }),
    );
  });

  test("all shares → all tokens, whatever was rounded before", () => {
    fc.assert(
      fc.property(holding, (before) => {
        expect(removeShares(before, before.shares)).toEqual({ tokens: 0n, shares: 0n, freed: before.tokens });
      }),
    );
  });

  test("more tokens are never fewer shares; without tokens there is nothing to compare with", () => {
    fc.assert(
      fc.property(holding, amount, amount, (before, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(sharesFromTokens(before, less)).toBeLessThanOrEqual(sharesFromTokens(before, more));
      }),
    );
    expect(() => sharesFromTokens({ tokens: 0n, shares: ONE }, 1n)).toThrowError("insufficient delegation shares");
    expect(() => addTokens({ tokens: 0n, shares: ONE }, 1n)).toThrowError("invalid (zero) ex-rate");
    expect(addTokens({ tokens: 0n, shares: 0n }, 5n)).toEqual({ tokens: 5n, shares: 5n * ONE, issued: 5n * ONE });
  });
});

const person = fc.nat({ max: 3 });
const step = fc.oneof(
  fc.record({
    kind: fc.constant("delegate" as const),
    from: person,
    to: person,
    units: fc.bigInt({ min: 1n, max: 40_000_000n }),
  }),
  fc.record({
    kind: fc.constant("undelegate" as const),
    from: person,
    to: person,
    units: fc.bigInt({ min: 1n, max: 40_000_000n }),
  }),
  fc.record({ kind: fc.constant("create" as const), from: person, to: person, units: fc.bigInt({ min: 1n, max: 3n }) }),
);

test("any messages → pools hold what is owed, shares add up, the supply stays, somebody decides", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (steps, most) => {
      const town = new StakeTown(stakeGenesis({ max_validators: most, unbonding_time: "10s" }));
      town.good(BOB, delegateMessage(BOB, BOB, 1n));
      const { supply } = town;
      for (const { kind, from, to, units } of steps) {
        const [a, b] = [PEOPLE[from], PEOPLE[to]] as [(typeof PEOPLE)[0], (typeof PEOPLE)[0]];
        const message =
          kind === "create"
            ? createMessage(a, 20 + from)
            : (kind === "delegate" ? delegateMessage : undelegateMessage)(a, b, units);
        town.block({ txs: [town.sign(a, message)] });
        const { state } = town.process;
        const staking = state.store(STAKING_STORE);
        expect(backedStake.check(state)).toBeUndefined();
        const owed = owedByPools(staking);
        expect([town.balance(poolAddress("bonded")), town.balance(poolAddress("notBonded"))]).toEqual([
          owed.bonded,
          owed.notBonded,
        ]);
        for (const { operator, delegatorShares } of validators(staking)) {
          const own = [...delegations(staking)].filter((each) => Buffer.compare(each.operator, operator) === 0);
          expect(own.reduce((sum, { shares }) => sum + parseDecimal(shares), 0n)).toBe(parseDecimal(delegatorShares));
        }
        expect(town.supply).toBe(supply);
        expect(consensusPowers(state, most).length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 12 },
  );
});
