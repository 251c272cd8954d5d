/** What messages of staking leave goes through export and a new chain's genesis document unchanged; wrong documents are refused. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { addressOf } from "../../host/chain/comet-types/keys.js";
import { documentText } from "../../host/cli/offline/export-document.js";
import { exampleChain } from "../example-chain.js";
import {
  ALICE,
  BALANCE,
  BOB,
  CAROL,
  consensusKey,
  createMessage,
  DAVE,
  delegateMessage,
  StakeTown,
  stakeGenesis,
  UNIT,
  undelegateMessage,
} from "./stakers.js";

function exported(town: StakeTown): Record<string, unknown> {
  const { height, stores: view, version } = town.process.app.at();
  const facts = { chain: exampleChain, view, begun: town.chain.genesis, version, raw: undefined };
  const place = { time: "2026-01-02T00:00:00Z", initialHeight: height + 1n, appVersion: version.number };
  return JSON.parse([...documentText({ ...facts, ...place })].join("")) as Record<string, unknown>;
}

const sectionOf = (document: Record<string, unknown>) =>
  (document["app_state"] as { staking: Record<string, unknown> }).staking;

/** After every message, with something unbonding of each kind. */
function busy(): StakeTown {
  const town = new StakeTown(stakeGenesis({ unbonding_time: "100000000s" }));
  town.good(DAVE, createMessage(DAVE, 7));
  town.good(DAVE, delegateMessage(DAVE, BOB, 3n * UNIT));
  town.good(BOB, undelegateMessage(BOB, BOB, 7n), undelegateMessage(BOB, BOB, 8n));
  town.good(CAROL, undelegateMessage(CAROL, CAROL, 20n * UNIT));
  const address = addressOf(sha256, { type: "ed25519", bytes: consensusKey(0) });
  const then = { height: 1n, time: { seconds: 1_700_000_000n, nanos: 0 } };
  town.block({
    misbehavior: [{ kind: "duplicate_vote", validator: { address, power: 10n }, ...then, totalPower: 60n }],
  });
  return town;
}

describe("staking in genesis documents", () => {
  test("export → a chain that begins with the same validators, delegations, entries and powers, and exports the same", () => {
    const town = busy();
    const document = exported(town);
    const again = new StakeTown(document);
    expect(sectionOf(exported(again))).toEqual(sectionOf(document));
    expect(again.powers).toEqual(town.powers);
    expect(again.unbonding()).toEqual(town.unbonding());
    expect(again.validator(ALICE)).toEqual(town.validator(ALICE));
    expect(again.validator(ALICE)).toMatchObject({ jailed: true, tombstoned: true });
    expect(again.supply).toBe(town.supply);
    expect(again.process.app.nextEndTime).toEqual(town.process.app.nextEndTime);
  });

  test("what unbonds in a document comes back in its chain", () => {
    const town = new StakeTown();
    town.good(ALICE, undelegateMessage(ALICE, ALICE, 4n * UNIT));
    const again = new StakeTown(exported(town));
    expect(again.balance(ALICE.addressBytes)).toBe(BALANCE);
    for (let block = 0; block < 5; block++) again.block();
    expect(again.balance(ALICE.addressBytes)).toBe(BALANCE + 4n * UNIT);
    expect(again.unbonding()).toEqual([]);
  });

  test("a document without pools → its unbonding entries are passed over, and an export without a message has none", () => {
    const document = stakeGenesis();
    Object.assign(sectionOf(document), { unbonding_delegations: [{ entries: "of another chain" }], exported: true });
    const town = new StakeTown(document);
    expect(Object.keys(sectionOf(exported(town)))).toEqual(["params", "validators", "delegations"]);
  });

  test.each([
    [
      "pools that hold too little",
      (_: unknown, { bank }: State) =>
        void bank.balances.splice(
          bank.balances.findIndex(({ address }) => address === BONDED),
          1,
        ),
      /pools: bonded_tokens_pool must hold \d+ustake, and it has 0/,
    ],
    [
      "another denomination of the pools",
      (staking: Record<string, unknown>) => (staking["pools"] = { denom: "ugold" }),
      /pools\.denom: must be the bond_denom, ustake/,
    ],
    [
      "an entry without a time",
      (staking: Record<string, unknown>) =>
        delete (staking["unbonding_delegations"] as Entries)[0]?.entries[0]?.["completion_time"],
      /unbonding_delegations\[0\]\.entries\[0\]\.completion_time/,
    ],
    [
      "a delegation twice among what unbonds",
      (staking: Record<string, unknown>) =>
        (staking["unbonding_delegations"] as unknown[]).push((staking["unbonding_delegations"] as unknown[])[0]),
      /is a second entry for the key of/,
    ],
    [
      "no entry",
      (staking: Record<string, unknown>) =>
        (((staking["unbonding_delegations"] as Entries)[0] as { entries: unknown }).entries = []),
      /entries: expected at least one entry/,
    ],
  ])("with %s → UPG_INVALID_GENESIS", (_, change, expected) => {
    const document = exported(busy());
    change(sectionOf(document), document["app_state"] as State);
    expect(() => parseGenesis(exampleChain, JSON.stringify(document))).toThrowError(expected);
  });
});

const BONDED = "cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh";

interface State {
  readonly bank: { balances: { address: string }[] };
}

type Entries = { entries: Record<string, unknown>[] }[];
