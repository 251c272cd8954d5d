/**
 * Handlers that may write a module's store and leave a state at which the chain would stop later: refused with exit 20 by the
 * invariants of the modules, before anything is written. What gets past them is dropped at the end of a block.
 */
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bigEndian64, concatBytes, utf8 } from "../../host/bytes.js";
import type { Module } from "../../host/chain/module.js";
import { AccountSchema, VestingSchema } from "../../host/gen/chain/auth/v1/auth_pb.js";
import { BondStatus } from "../../host/gen/chain/staking/v1/staking_pb.js";
import { DepositSchema, ProposalSchema, ProposalStatus, VoteSchema } from "../../host/gen/cosmos/gov/v1/gov_pb.js";
import { timeMessage } from "../../host/gov/periods.js";
import { enqueue, enqueueProposal } from "../../host/gov/queues.js";
import { writeDeposit, writeNextProposalId, writeProposal, writeVote } from "../../host/gov/records.js";
import { readAccount, writeAccount } from "../../host/modules/auth/accounts.js";
import { accountBank, storeBank } from "../../host/modules/bank/bank.js";
import { setValidator, validators, writeDelegation } from "../../host/modules/staking/records.js";
import { enqueueUnbonding } from "../../host/modules/staking/unbonding.js";
import { sha256 } from "../../host/native/sha256.js";
import type { KVStore } from "../../host/types.js";
import { moduleAddress } from "../../host/values/address.js";
import { exampleChain, V2 } from "../example-chain.js";
import { data, load } from "../guest/build.js";
import { failureOf } from "./chain.js";
import { next, type Upgrade, upgraded } from "./one-upgrade.js";
import { ALICE, DAVE, stakeGenesis } from "./stakers.js";
import { toV2 } from "./versions.js";

const END = { seconds: 1_800_000_005n, nanos: 0 };
const GOV_ACCOUNT = moduleAddress(sha256, "gov");
const genesis = JSON.stringify(stakeGenesis());

type Stores = (name: string) => KVStore;

/** A wasm handler without `allows` that writes one pair into a module's store, and raises the module's version. */
function writesPair(store: string, version: number, key: Uint8Array, value: Uint8Array): Upgrade {
  const imports = '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))';
  const [at, end] = [4096, 4096 + key.length];
  const run = `(drop (call $set (i32.const 0) (i32.const ${at}) (i32.const ${key.length}) (i32.const ${end}) (i32.const ${value.length}))) (i32.const 0)`;
  const manifest = {
    ...{ name: "next", stores: [{ name: store, access: "rw" as const }] },
    versions: { [store]: { from: [version], to: version + 1 } },
  };
  const handler = load({ imports, run, more: data(at, concatBytes(key, value)) }, manifest);
  return { register: ({ keeper }) => keeper.setWasmHandler(handler, { isOfHome: true }), genesis };
}

/** The upgrade to version 2, by a handler in TypeScript that may write every module's store. */
const writes = (breaks: (store: Stores) => void): Upgrade => {
  const allows = { writeStores: ["auth", "bank", "gov", "staking"] };
  const { plan, run, ...options } = toV2({
    allows,
    run(context) {
      for (const [address, coins] of [...accountBank.allBalances(context)]) storeBank.mint(context, address, coins);
      breaks((name) => context.store(name));
      return new Map(V2.modules);
    },
  });
  return { plan, register: ({ keeper }) => keeper.setUpgradeHandler(plan, run, options), genesis };
};

function expectRefused(upgrade: Upgrade, module: string, ...texts: string[]): void {
  const failure = failureOf(() => upgraded(exampleChain, upgrade));
  expect(failure).toMatchObject({ code: "UPG_MIGRATION_INVARIANT", kind: { exit: 20, cause: "state" } });
  for (const text of [`of module ${module} does not hold`, ...texts]) expect(failure.message).toContain(text);
}

const entryKey = (queue: number, id: bigint) =>
  concatBytes(Uint8Array.of(queue), bigEndian64(END.seconds + 62_135_596_800n), new Uint8Array(4), bigEndian64(id));

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

const open = (id: bigint) =>
  create(ProposalSchema, {
    ...{ id, status: ProposalStatus.VOTING_PERIOD },
    ...{ submitTime: END, depositEndTime: END, votingStartTime: END, votingEndTime: END },
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

describe("an orphan in a queue, on a chain whose modules have no invariants", () => {
  const modules: Module[] = exampleChain.modules.map(({ invariants, ...module }) => module);
  const chain = { ...exampleChain, modules };

  test.each([
    ["a proposal that does not exist", entryKey(2, 77n), "deposit"],
    ["a key that is too short", Uint8Array.of(1, 0), "voting"],
  ])("%s → dropped with an event, and the chain goes on", (_, key, queue) => {
    const { result, app } = upgraded(chain, writesPair("gov", 1, key, bigEndian64(77n)));
    const blocks = [result, ...Array.from({ length: 8 }, () => next(app))];
    const dropped = blocks.flatMap(({ events }) => events).filter(({ type }) => type === "orphan_queue_entry");
    expect(dropped).toHaveLength(1);
    expect(dropped[0]?.attributes[0]).toMatchObject({ key: "queue", value: queue });
    expect(app.multiStore.at(app.lastCommitID.version).store("gov").has(key)).toBe(false);
  });

  test("a closed proposal → its messages do not run again", () => {
    const breaks = (store: Stores) => {
      writeProposal(store("gov"), { ...open(1n), status: ProposalStatus.PASSED });
      enqueue(store("gov"), "voting", END, 1n);
      writeNextProposalId(store("gov"), 2n);
    };
    const { app } = upgraded(chain, writes(breaks));
    const types = Array.from({ length: 8 }, () => next(app)).flatMap(({ events }) => events.map(({ type }) => type));
    expect(types).toContain("orphan_queue_entry");
    expect(types).not.toContain("active_proposal");
  });

  test("an entry of staking that is too short for a time → dropped", () => {
    const breaks = (store: Stores) => {
      store("staking").set(Uint8Array.of(0x41), Uint8Array.of(1));
      store("staking").set(Uint8Array.of(0x50), utf8("ustake"));
    };
    const { app } = upgraded(chain, writes(breaks));
    next(app);
    expect(app.multiStore.at(app.lastCommitID.version).store("staking").has(Uint8Array.of(0x41))).toBe(false);
  });
});
