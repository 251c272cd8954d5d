/** Evidence of double signatures, from the engine through the begin blocker to the set of validators. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { addressOf } from "../../host/chain/comet-types/keys.js";
import {
  ALICE,
  BALANCE,
  BOB,
  consensusKey,
  createMessage,
  DAVE,
  delegateMessage,
  StakeTown,
  UNIT,
  undelegateMessage,
  updates,
} from "./stakers.js";

describe("evidence of a double signature", () => {
  const evidence = (index: number) => ({
    kind: "duplicate_vote" as const,
    validator: { address: addressOf(sha256, { type: "ed25519", bytes: consensusKey(index) }), power: 10n },
    ...{ height: 1n, time: { seconds: 1_700_000_000n, nanos: 0 }, totalPower: 60n },
  });

  test("→ jailed for good, out of the set, events as slashing's; its key and operator are never free again", () => {
    const town = new StakeTown();
    const made = town.block({ misbehavior: [evidence(0), evidence(0)] });
    expect(updates(made)).toEqual([[1, 0]]);
    expect(
      made.events
        .filter(({ type }) => type === "slash")
        .map(({ attributes }) => attributes.map(({ key, value }) => `${key} ${value}`)),
    ).toEqual([
      [
        expect.stringMatching(/^address cosmosvalcons1/),
        "power 10",
        "reason double_sign",
        "burned_coins 0",
        "mode BeginBlock",
      ],
      [expect.stringMatching(/^jailed cosmosvalcons1/), "mode BeginBlock"],
    ]);
    town.good(ALICE, undelegateMessage(ALICE, ALICE, 10n * UNIT));
    for (let block = 0; block < 5; block++) town.block();
    expect(town.balance(ALICE.addressBytes)).toBe(BALANCE + 10n * UNIT);
    expect(town.bad(DAVE, createMessage(DAVE, 0))).toMatch(/^staking 5 /);
    expect(town.bad(ALICE, createMessage(ALICE, 7))).toMatch(/^staking 4 /);
    expect(updates(town.good(DAVE, delegateMessage(DAVE, BOB, UNIT)))).toEqual([[2, 31]]);
  });

  test("against an unknown key, or the last one with power → nothing", () => {
    const town = new StakeTown();
    expect(updates(town.block({ misbehavior: [evidence(9)] }))).toEqual([]);
    const made = town.block({ misbehavior: [evidence(0), evidence(1), evidence(2)] });
    expect(updates(made)).toEqual([
      [2, 0],
      [1, 0],
    ]);
    expect(town.powers).toEqual([[3, 20]]);
  });
});
