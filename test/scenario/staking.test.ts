/** Staking's messages: what they change of validators, coins and the set that decides blocks; what is refused. */
import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { BondStatus } from "../../host/base/gen/chain/staking/v1/staking_pb.js";
import { TxMsgDataSchema } from "../../host/base/gen/cosmos/base/abci/v1beta1/abci_pb.js";
import { MsgUndelegateResponseSchema } from "../../host/base/gen/cosmos/staking/v1beta1/tx_pb.js";
import { poolAddress } from "../../host/chain/modules/staking/pools.js";
import { encodeAddress } from "../addresses.js";
import { attribute } from "./gov-chain.js";
import {
  ALICE,
  BALANCE,
  BOB,
  CAROL,
  consensusKey,
  createMessage,
  DAVE,
  delegateMessage,
  keyBytes,
  operatorOf,
  StakeTown,
  stakeGenesis,
  UNIT,
  undelegateMessage,
  updates,
} from "./stakers.js";

describe("MsgCreateValidator", () => {
  test("→ bonded at the end of its block, with its power in the updates; coins in the pool, events", () => {
    const town = new StakeTown();
    const made = town.good(DAVE, createMessage(DAVE, 7));
    expect(updates(made)).toEqual([[8, 25]]);
    expect(town.powers).toEqual([
      [2, 30],
      [8, 25],
      [3, 20],
      [1, 10],
    ]);
    expect(town.validator(DAVE)).toMatchObject({
      ...{ tokens: String(25n * UNIT), delegatorShares: `${25n * UNIT}.000000000000000000`, status: BondStatus.BONDED },
      ...{ minSelfDelegation: "1", commission: { rate: "0.100000000000000000", maxRate: "0.200000000000000000" } },
    });
    expect(town.balance(DAVE.addressBytes)).toBe(BALANCE - 25n * UNIT);
    expect(town.balance(poolAddress("bonded"))).toBe(85n * UNIT);
    expect(attribute(made, "create_validator", "validator")).toBe(operatorOf(DAVE));
    expect(attribute(made, "create_validator", "amount")).toBe("25000000ustake");
    expect(attribute(made, "message", "sender")).toBe(DAVE.address);
  });

  const rates = (rate: bigint, maxRate: bigint, maxChangeRate: bigint) => ({
    commission: { rate: String(rate), maxRate: String(maxRate), maxChangeRate: String(maxChangeRate) },
  });
  const ONE = 10n ** 18n;
  const key = (typeUrl: string, bytes: Uint8Array) => ({ pubkey: { typeUrl, value: keyBytes(bytes) } });
  test.each([
    [
      "a key that a validator has",
      { ...key("/cosmos.crypto.ed25519.PubKey", consensusKey(1)) },
      "staking 5 validator already exist for this pubkey; must use new validator pubkey",
    ],
    [
      "a secp256k1 key",
      { ...key("/cosmos.crypto.secp256k1.PubKey", new Uint8Array(33)) },
      "staking 6 got: secp256k1, expected: [ed25519]: validator pubkey type is not supported",
    ],
    [
      "a key of 31 bytes",
      { ...key("/cosmos.crypto.ed25519.PubKey", new Uint8Array(31)) },
      "sdk 8 invalid ed25519 key size; expected 32, got 31: invalid pubkey",
    ],
    ["no key", { pubkey: undefined }, "staking 39 empty validator public key"],
    [
      "another denomination",
      { value: { denom: "ugold", amount: "5" } },
      "sdk 18 invalid coin denomination: got ugold, expected ustake: invalid request",
    ],
    ["no tokens", { value: { denom: "ustake", amount: "0" } }, "sdk 18 invalid delegation amount: invalid request"],
    [
      "negative tokens",
      { value: { denom: "ustake", amount: "-1" } },
      "sdk 18 invalid delegation amount: invalid request",
    ],
    [
      "more than the account has",
      { value: { denom: "ustake", amount: String(BALANCE + 1n) } },
      "sdk 5 failed to delegate; 100000000ustake is smaller than 100000001ustake: insufficient funds",
    ],
    ["no description", { description: undefined }, "sdk 18 empty description: invalid request"],
    [
      "a moniker of 71 bytes",
      { description: { moniker: "m".repeat(71) } },
      "sdk 18 invalid moniker length; got: 71, max: 70: invalid request",
    ],
    ["no commission", { commission: undefined }, "sdk 18 empty commission: invalid request"],
    ["a rate below 0", rates(-1n, ONE, 0n), "staking 9 commission must be positive"],
    ["a greatest rate above 1", rates(0n, ONE + 1n, 0n), "staking 10 commission cannot be more than 100%"],
    ["a rate above the greatest", rates(2n, 1n, 0n), "staking 11 commission cannot be more than the max rate"],
    ["a change below 0", rates(0n, 1n, -1n), "staking 13 commission change rate must be positive"],
    [
      "a change above the greatest",
      rates(0n, 1n, 2n),
      "staking 14 commission change rate cannot be more than the max rate",
    ],
    [
      "a rate below the chain's",
      rates(10n ** 16n, ONE, 0n),
      "staking 40 cannot set validator commission to less than minimum rate of 0.050000000000000000: commission cannot be less than min rate",
    ],
    [
      "a least delegation of 0",
      { minSelfDelegation: "0" },
      "sdk 18 minimum self delegation must be a positive integer: invalid request",
    ],
    [
      "less than its least delegation",
      { minSelfDelegation: String(26n * UNIT) },
      "staking 16 validator's self delegation must be greater than their minimum self delegation",
    ],
  ])("with %s → refused, nothing written", (_, change, expected) => {
    const town = new StakeTown(stakeGenesis({ min_commission_rate: "0.05" }));
    expect(town.bad(DAVE, createMessage(DAVE, 7, change as never))).toBe(expected);
    expect(town.validator(DAVE)).toBeUndefined();
    expect(town.balance(DAVE.addressBytes)).toBe(BALANCE);
    expect(town.supply).toBe(4n * BALANCE);
  });

  test.each([
    ["a rate that is no number", { commission: { rate: "0.1", maxRate: "1", maxChangeRate: "1" } }],
    ["a least delegation that is no number", { minSelfDelegation: "x" }],
    ["a key of a type that is none", { pubkey: { typeUrl: "/cosmos.bank.v1beta1.MsgSend", value: new Uint8Array() } }],
  ])("with %s → tx parse error", (_, change) => {
    expect(new StakeTown().bad(DAVE, createMessage(DAVE, 7, change as never))).toMatch(/^sdk 2 .*tx parse error$/);
  });

  test("of an operator that is one already → staking 4; signed by another → unauthorized", () => {
    const town = new StakeTown();
    expect(town.bad(ALICE, createMessage(ALICE, 7))).toMatch(/^staking 4 /);
    expect(town.bad(BOB, createMessage(DAVE, 7))).toMatch(/^sdk 8 pubKey does not match signer address/);
  });
});

describe("MsgDelegate", () => {
  test("→ more power in the updates, shares one to one; the first message makes coins of what genesis counts", () => {
    const town = new StakeTown();
    const made = town.good(DAVE, delegateMessage(DAVE, ALICE, 15n * UNIT));
    expect(updates(made)).toEqual([[1, 25]]);
    expect(attribute(made, "delegate", "new_shares")).toBe("15000000.000000000000000000");
    expect(town.supply).toBe(4n * BALANCE + 60n * UNIT);
    expect(town.balance(poolAddress("bonded"))).toBe(75n * UNIT);
    expect(updates(town.good(DAVE, delegateMessage(DAVE, ALICE, 999_999n)))).toEqual([]);
    expect(town.supply).toBe(4n * BALANCE + 60n * UNIT);
  });

  test.each([
    ["to nobody", delegateMessage(DAVE, DAVE, 1n), "staking 3 validator does not exist"],
    ["nothing", delegateMessage(DAVE, ALICE, 0n), "sdk 18 invalid delegation amount: invalid request"],
    [
      "of another denomination",
      delegateMessage(DAVE, ALICE, 1n, "ugold"),
      "sdk 18 invalid coin denomination: got ugold, expected ustake: invalid request",
    ],
    [
      "more than there is",
      delegateMessage(DAVE, ALICE, BALANCE + 1n),
      "sdk 5 failed to delegate; 100000000ustake is smaller than 100000001ustake: insufficient funds",
    ],
  ])("%s → refused, nothing written", (_, message, expected) => {
    const town = new StakeTown();
    expect(town.bad(DAVE, message)).toBe(expected);
    expect(town.balance(DAVE.addressBytes)).toBe(BALANCE);
    expect(town.supply).toBe(4n * BALANCE);
  });
});

describe("MsgUndelegate", () => {
  test("→ less power at once, the coins after the unbonding time; its response says when", () => {
    const town = new StakeTown();
    const made = town.good(BOB, undelegateMessage(BOB, BOB, 5n * UNIT));
    expect(updates(made)).toEqual([[2, 25]]);
    const [response] = fromBinary(TxMsgDataSchema, made.txResults[0]?.data ?? new Uint8Array()).msgResponses;
    const { completionTime, amount } = fromBinary(MsgUndelegateResponseSchema, response?.value ?? new Uint8Array());
    expect([completionTime?.seconds, amount?.amount]).toEqual([1_700_000_000n + 5n * made.height + 20n, "5000000"]);
    expect(town.process.app.nextEndTime?.seconds).toBe(completionTime?.seconds);
    town.process.blocks(3);
    expect(town.balance(BOB.addressBytes)).toBe(BALANCE);
    const back = town.block();
    expect(town.balance(BOB.addressBytes)).toBe(BALANCE + 5n * UNIT);
    expect(attribute(back, "complete_unbonding", "amount")).toBe("5000000ustake");
    expect(town.unbonding()).toEqual([]);
    expect(town.process.app.nextEndTime).toBeUndefined();
  });

  test("all of one's own → jailed, out of the set, unbonding; gone when that ends; created again with its key", () => {
    const town = new StakeTown();
    expect(updates(town.good(ALICE, undelegateMessage(ALICE, ALICE, 10n * UNIT)))).toEqual([[1, 0]]);
    expect(town.validator(ALICE)).toMatchObject({ jailed: true, status: BondStatus.UNBONDING, tokens: "0" });
    for (let block = 0; block < 4; block++) town.block();
    expect(town.validator(ALICE)).toBeUndefined();
    expect(town.balance(ALICE.addressBytes)).toBe(BALANCE + 10n * UNIT);
    expect(updates(town.good(ALICE, createMessage(ALICE, 0)))).toEqual([[1, 25]]);
  });

  test("two in one block → one entry; eight in several → staking 27", () => {
    const town = new StakeTown();
    const message = undelegateMessage(CAROL, CAROL, 1n);
    town.good(CAROL, message, message);
    expect(town.unbonding().map(({ entries }) => entries.map(({ balance }) => balance))).toEqual([["2"]]);
    const few = new StakeTown(stakeGenesis({ max_entries: 2 }));
    few.good(CAROL, message);
    few.good(CAROL, message);
    expect(few.bad(CAROL, message)).toMatch(/^staking 27 /);
  });

  test.each([
    ["from nobody", undelegateMessage(ALICE, DAVE, 1n), "staking 3 validator does not exist"],
    [
      "what was not delegated",
      undelegateMessage(ALICE, BOB, 1n),
      "staking 19 no delegation for (address, validator) tuple",
    ],
    [
      "more than there is",
      undelegateMessage(ALICE, ALICE, 10n * UNIT + 1n),
      "sdk 18 invalid shares amount: invalid request",
    ],
    ["nothing", undelegateMessage(ALICE, ALICE, 0n), "sdk 18 invalid shares amount: invalid request"],
    [
      "another denomination",
      undelegateMessage(ALICE, ALICE, 1n, "ugold"),
      "sdk 18 invalid coin denomination: got ugold, expected ustake: invalid request",
    ],
  ])("%s → refused, nothing written", (_, message, expected) => {
    const town = new StakeTown();
    expect(town.bad(ALICE, message)).toBe(expected);
    expect(town.unbonding()).toEqual([]);
    expect(town.supply).toBe(4n * BALANCE);
  });

  test("of the last who has power → refused: nobody would decide blocks", () => {
    const town = new StakeTown();
    town.good(ALICE, undelegateMessage(ALICE, ALICE, 10n * UNIT));
    town.good(BOB, undelegateMessage(BOB, BOB, 30n * UNIT));
    expect(town.bad(CAROL, undelegateMessage(CAROL, CAROL, 20n * UNIT))).toBe(
      "sdk 18 no validator would be left to decide blocks: invalid request",
    );
    expect(town.powers).toEqual([[3, 20]]);
  });
});

describe("the set of validators", () => {
  test("max_validators 3, a fourth with more power → the least unbonds and is bonded again when it has more", () => {
    const town = new StakeTown(stakeGenesis({ max_validators: 3 }));
    expect(updates(town.good(DAVE, createMessage(DAVE, 7)))).toEqual([
      [8, 25],
      [1, 0],
    ]);
    expect(town.validator(ALICE)).toMatchObject({ status: BondStatus.UNBONDING, jailed: false });
    expect(town.balance(poolAddress("notBonded"))).toBe(10n * UNIT);
    expect(updates(town.good(ALICE, delegateMessage(ALICE, ALICE, 12n * UNIT)))).toEqual([
      [1, 22],
      [3, 0],
    ]);
    for (let block = 0; block < 5; block++) town.block();
    expect(town.validator(CAROL)?.status).toBe(BondStatus.UNBONDED);
    expect(town.balance(poolAddress("notBonded"))).toBe(20n * UNIT);
  });
});

test("the pools' addresses are the Cosmos SDK's", () => {
  expect(encodeAddress(poolAddress("bonded"))).toBe("cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh");
  expect(encodeAddress(poolAddress("notBonded"))).toBe("cosmos1tygms3xhhs3yv487phx3dw4a95jn7t7lpm470r");
});
