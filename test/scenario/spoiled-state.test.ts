/**
 * Handlers that may write a module's store and leave a state at which the chain would stop later: refused with exit 20 by the
 * invariants of the modules, before anything is written.
 */
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AccountSchema, VestingSchema } from "../../host/base/gen/chain/auth/v1/auth_pb.js";
import { BondStatus } from "../../host/base/gen/chain/staking/v1/staking_pb.js";
import { DepositSchema, ProposalStatus, VoteSchema } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { bigEndian64, concatBytes, utf8 } from "../../host/base/text/bytes.js";
import type { KVStore } from "../../host/base/types/types.js";
import { readAccount, writeAccount } from "../../host/chain/modules/auth/accounts.js";
import { timeMessage } from "../../host/chain/modules/gov/periods.js";
import { enqueue, enqueueProposal } from "../../host/chain/modules/gov/queues.js";
import { writeDeposit, writeNextProposalId, writeProposal, writeVote } from "../../host/chain/modules/gov/records.js";
import { setValidator, validators, writeDelegation } from "../../host/chain/modules/staking/records.js";
import { enqueueUnbonding } from "../../host/chain/modules/staking/unbonding.js";
import { exampleChain } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { type Upgrade, upgraded } from "./one-upgrade.js";
import { END, entryKey, GOV_ACCOUNT, open, type Stores, writes, writesPair } from "./spoilers.js";
import { ALICE, DAVE } from "./stakers.js";

function expectRefused(upgrade: Upgrade, module: string, ...texts: string[]): void {
  const failure = failureOf(() => upgraded(exampleChain, upgrade));
  expect(failure).toMatchObject({ code: "UPG_MIGRATION_INVARIANT", kind: { exit: 20, cause: "state" } });
  for (const text of [`of module ${module} does not hold`, ...texts]) expect(failure.message).toContain(text);
}

describe("a wasm handler without `allows` → UPG_MIGRATION_INVARIANT (20)", () => {
  test("an entry in the queue of deposits for a proposal that does not exist", () => {
    expectRefused(writesPair("gov", 1, entryKey(2, 77n), bigEndian64(77n)), "gov", "no proposal is in that queue");
  });

  test("a key of a queue that is too short", () => {
    expectRefused(writesPair("gov", 1, Uint8Array.of(1, 0), bigEndian64(77n)), "gov", "no proposal is in that queue");
  });

  const GARBAGE = new Uint8Array(4);
  test.each([
    ["gov", "the proposal under 00000000"],
    ["staking", "the key 00000000 belongs to no record"],
    ["auth", "the key 00000000 belongs to no record"],
  ])("four zero bytes under four zero bytes in %s", (store, text) => {
    expectRefused(writesPair(store, 1, GARBAGE, GARBAGE), store, text);
  });

  test.each(["gov", "staking", "auth"])("a key of no record in %s", (store) => {
    expectRefused(writesPair(store, 1, Uint8Array.of(0x7f, 1), GARBAGE), store, "7f01 belongs to no record");
  });
});

/** A proposal that is voted on, with all that belongs to it. */
function addOpen(gov: KVStore): void {
  writeProposal(gov, open(1n));
  enqueueProposal(gov, open(1n));
  writeNextProposalId(gov, 2n);
}

const coins = (amount: string, denom = "ustake") => [{ denom, amount }];
const operatorOf = (store: Stores) => [...validators(store("staking"))][0] ?? expect.unreachable("no validator");

interface Spoiled {
  readonly what: string;
  readonly module: string;
  readonly breaks: (store: Stores) => void;
  readonly text: string;
}

const spoiled = (module: string, what: string, breaks: Spoiled["breaks"], text: string): Spoiled => ({
  ...{ what, module, breaks, text },
});

const gov = (what: string, breaks: (gov: KVStore) => void, text: string) =>
  spoiled("gov", what, (store) => breaks(store("gov")), text);

const changeFirst = (what: string, change: object, text: string) =>
  spoiled("staking", what, (store) => setValidator(store("staking"), { ...operatorOf(store), ...change }), text);

const deposit = (proposalId: bigint, depositor: string, amount = "5") =>
  create(DepositSchema, { proposalId, depositor, amount: coins(amount) });

const SPOILED: readonly Spoiled[] = [
  gov(
    "a closed proposal in a queue, which would run again",
    (store) => {
      writeProposal(store, { ...open(1n), status: ProposalStatus.PASSED });
      enqueue(store, "voting", END, 1n);
      writeNextProposalId(store, 2n);
    },
    "no proposal is in that queue",
  ),
  gov(
    "an open proposal in no queue",
    (store) => {
      writeProposal(store, open(1n));
      writeNextProposalId(store, 2n);
    },
    "the queues do not have it",
  ),
  gov(
    "an open proposal in a queue at another time",
    (store) => {
      addOpen(store);
      writeProposal(store, {
        ...open(1n),
        votingEndTime: timeMessage({ seconds: 5n, nanos: 0 }),
      });
    },
    "the queues do not have it",
  ),
  gov(
    "an open proposal without an end",
    (store) => {
      addOpen(store);
      const { votingEndTime, ...rest } = open(1n);
      writeProposal(store, rest);
    },
    "voting_end_time is missing",
  ),
  gov(
    "a mark of a vote without one",
    (store) => store.set(concatBytes(Uint8Array.of(4), bigEndian64(9n)), Uint8Array.of(1)),
    "no such proposal is voted on",
  ),
  gov(
    "ids that go backwards",
    (store) => {
      addOpen(store);
      writeNextProposalId(store, 1n);
    },
    "the id of the next proposal is 1",
  ),
  gov("an id of 0 to come", (store) => writeNextProposalId(store, 0n), "ids begin with 1"),
  gov("a next id of three bytes", (store) => store.set(Uint8Array.of(3), new Uint8Array(3)), "8 bytes"),
  gov(
    "a deposit that the module's account does not hold",
    (store) => {
      addOpen(store);
      writeDeposit(store, deposit(1n, ALICE.address));
    },
    "holds 0ustake, and open proposals have 5ustake",
  ),
  gov(
    "a deposit of a proposal to come",
    (store) => writeDeposit(store, deposit(7n, ALICE.address)),
    "there is no proposal 7 yet",
  ),
  gov(
    "a deposit of no amount",
    (store) => {
      addOpen(store);
      writeDeposit(store, deposit(1n, ALICE.address, "x"));
    },
    "an amount is a decimal integer",
  ),
  gov(
    "a vote of a proposal to come",
    (store) => writeVote(store, create(VoteSchema, { proposalId: 7n, voter: ALICE.address })),
    "there is no proposal 7 yet",
  ),
  gov("parameters that are gone", (store) => store.delete(Uint8Array.of(0x30)), "holds no parameters"),
  spoiled("gov", "a module's account that vests", (store) => vest(store, GOV_ACCOUNT), "is a vesting account"),
  changeFirst("a validator of no status", { status: BondStatus.UNSPECIFIED }, "its status is 0"),
  changeFirst("shares below zero", { delegatorShares: "-1" }, "is no number of shares"),
  changeFirst("fewer shares than are delegated", { delegatorShares: "1" }, "and its delegations"),
  changeFirst("tokens below zero", { tokens: "-1" }, "a validator's record cannot be read"),
  changeFirst("a least stake of no number", { minSelfDelegation: "x" }, "an amount is a decimal integer"),
  spoiled(
    "staking",
    "two validators with one key",
    (store) => {
      const first = operatorOf(store);
      setValidator(store("staking"), { ...first, operator: new Uint8Array(20).fill(9) });
    },
    "the same consensus key",
  ),
  spoiled(
    "staking",
    "a delegation that is no delegation",
    (store) => store("staking").set(concatBytes(Uint8Array.of(0x31, 1, 1, 1, 2)), utf8("x")),
    "cannot be decoded",
  ),
  spoiled(
    "staking",
    "a delegation of no number",
    (store) => {
      const { operator } = operatorOf(store);
      writeDelegation(store("staking"), { delegator: DAVE.addressBytes, operator, shares: "all" });
    },
    "expected a decimal",
  ),
  spoiled(
    "staking",
    "an entry in a queue without what unbonds",
    (store) => enqueueUnbonding(store("staking"), { delegator: DAVE.addressBytes, operator: ALICE.addressBytes }, END),
    "nothing unbonds there",
  ),
  spoiled(
    "staking",
    "a key of a queue that is too short",
    (store) => store("staking").set(Uint8Array.of(0x41), Uint8Array.of(1)),
    "it is no time",
  ),
  spoiled(
    "staking",
    "a validator in a queue that does not unbond",
    (store) =>
      store("staking").set(concatBytes(Uint8Array.of(0x43), new Uint8Array(12), ALICE.addressBytes), Uint8Array.of(1)),
    "no validator unbonds at that time",
  ),
  spoiled(
    "staking",
    "a denomination of the pools that is none",
    (store) => store("staking").set(Uint8Array.of(0x50), utf8("!")),
    "it is no denomination",
  ),
  spoiled(
    "auth",
    "an account of another address",
    (store) =>
      store("auth").set(
        concatBytes(Uint8Array.of(1), DAVE.addressBytes),
        store("auth").get(concatBytes(Uint8Array.of(1), ALICE.addressBytes)) ?? utf8(""),
      ),
    "it is the account of another address",
  ),
  spoiled(
    "auth",
    "account numbers that begin again",
    (store) => store("auth").set(Uint8Array.of(2), bigEndian64(0n)),
    "the next account number is 0",
  ),
  spoiled(
    "auth",
    "coins that vest and are none",
    (store) => vest(store, DAVE.addressBytes, "!"),
    "is not a denomination",
  ),
  spoiled(
    "bank",
    "a balance of no denomination, which its holder could not pay past",
    (store) => {
      store("bank").set(concatBytes(Uint8Array.of(2, 20), GOV_ACCOUNT, utf8("!")), utf8("5"));
      store("bank").set(concatBytes(Uint8Array.of(0), utf8("!")), utf8("5"));
    },
    "is no coin",
  ),
];

function vest(store: Stores, address: Uint8Array, denom = "ustake"): void {
  const account = readAccount(store("auth"), address) ?? create(AccountSchema, { address });
  const vesting = create(VestingSchema, { original: coins("5", denom), endTime: 2n ** 40n });
  writeAccount(store("auth"), { ...account, vesting });
}

describe("a handler that may write every store → UPG_MIGRATION_INVARIANT (20)", () => {
  for (const { what, module, breaks, text } of SPOILED) {
    test(`${module}: ${what}`, () => expectRefused(writes(breaks), module, text));
  }
});

test("an open proposal with its entry and mark, and a deposit that the account holds → applied", () => {
  const sound = (store: Stores) => {
    addOpen(store("gov"));
    writeDeposit(store("gov"), deposit(1n, ALICE.address));
    store("bank").set(concatBytes(Uint8Array.of(2, 20), GOV_ACCOUNT, utf8("ustake")), utf8("5"));
    const supply = concatBytes(Uint8Array.of(0), utf8("ustake"));
    store("bank").set(supply, utf8(String(BigInt(new TextDecoder().decode(store("bank").get(supply))) + 5n)));
  };
  expect(upgraded(exampleChain, writes(sound)).result.applied?.plan.name).toBe("v2");
});
