/** Genesis: what a chain cannot start from is refused by the path of the wrong field, before anything is written. */
import { describe, expect, test } from "vitest";
import { formatTime } from "../../host/base/time/time.js";
import { HEIGHT_MAX } from "../../host/base/types/limits.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { wallClock } from "../../host/node/embedded/clock.js";
import { exampleChain, V1, V2 } from "../example-chain.js";
import { Chain, failureOf } from "./chain.js";
import { genesisDocument, genesisText, genesisWith } from "./genesis-text.js";
import { splitBalances } from "./versions.js";

const ACCOUNT = "app_state.auth.accounts[1]";
type Coin = { denom: string; amount: string };
const BALANCE = "app_state.bank.balances[2]";
const VALIDATOR = "app_state.staking.validators[0]";
const DELEGATION = "app_state.staking.delegations[0]";
const GOV = "app_state.gov";

const OTHER_PREFIX = "osmo1wxkt8gl2u9dwnmcd2s8ky0n3v7fhqzwpv7yxhp";
const TOO_MUCH = (2n ** 256n).toString();

/** Path of the entry, the wrong value (undefined: the entry is missing), and the path in the error when it is another. */
const WRONG: readonly (readonly [path: string, value: unknown, named?: string])[] = [
  ["chain_id", undefined],
  ["chain_id", ""],
  ["chain_id", "with spaces"],
  ["chain_id", 7],
  ["genesis_time", undefined],
  ["genesis_time", "yesterday"],
  ["genesis_time", "2026-02-30T00:00:00Z"],
  ["genesis_time", "9999-01-01T00:00:00Z"],
  ["genesis_time", "9999-12-31T23:59:59.999999999Z"],
  ["initial_height", "-1"],
  ["initial_height", "9007199254740992"],
  ["initial_height", "9223372036854775807"],
  ["initial_height", "9223372036854775808"],
  ["initial_height", "one"],
  ["initial_height", 1.5],
  ["consensus", "x"],
  ["consensus.params", []],
  ["consensus.params.version.app", "-1"],
  ["consensus.params.version.app", "18446744073709551616"],
  ["app_state", []],
  ["app_state.auth", "x"],
  ["app_state.auth.accounts", {}],
  [ACCOUNT, "x"],
  [`${ACCOUNT}.@type`, undefined],
  [`${ACCOUNT}.@type`, "/cosmos.auth.v1beta1.Strange"],
  [`${ACCOUNT}.address`, undefined],
  [`${ACCOUNT}.address`, "not bech32"],
  [`${ACCOUNT}.address`, OTHER_PREFIX],
  [`${ACCOUNT}.account_number`, "-1"],
  [`${ACCOUNT}.account_number`, "18446744073709551616"],
  [`${ACCOUNT}.account_number`, "1e3"],
  [`${ACCOUNT}.sequence`, "-5"],
  ["app_state.bank.balances", "x"],
  [`${BALANCE}.address`, "x"],
  [`${BALANCE}.coins`, {}],
  [`${BALANCE}.coins[0].denom`, "1", `${BALANCE}.coins`],
  [`${BALANCE}.coins[0].amount`, "-1"],
  [`${BALANCE}.coins[0].amount`, 5],
  [`${BALANCE}.coins[0].amount`, TOO_MUCH],
  [`${BALANCE}.coins[0].amount`, (2n ** 256n - 1n).toString(), "app_state.bank.balances"],
  ["app_state.bank.supply", [{ denom: "ustake", amount: "5" }]],
  ["app_state.bank.supply", [{ denom: "ustake", amount: "x" }], "app_state.bank.supply[0].amount"],
  [`${VALIDATOR}.operator_address`, "x"],
  [`${VALIDATOR}.consensus_pubkey.key`, "AAAA"],
  [`${VALIDATOR}.consensus_pubkey.key`, "?"],
  [`${VALIDATOR}.tokens`, "1.5"],
  [`${VALIDATOR}.delegator_shares`, "1.0000000000000000000"],
  [`${VALIDATOR}.jailed`, "no"],
  [`${VALIDATOR}.status`, "BOND_STATUS_LOOSE"],
  [`${DELEGATION}.delegator_address`, "x"],
  [`${DELEGATION}.validator_address`, OTHER_PREFIX],
  [`${DELEGATION}.shares`, "-1"],
  [`${GOV}.starting_proposal_id`, "-1"],
  [`${GOV}.starting_proposal_id`, "1"],
  [`${GOV}.params`, { voting_period: "soon" }],
  [`${GOV}.proposals[0]`, { id: "x" }],
  [`${GOV}.params`, { quorum: "x" }, `${GOV}.params.quorum`],
  [`${GOV}.params`, { threshold: "1.1" }, `${GOV}.params.threshold`],
  [`${GOV}.params`, { voting_period: "-1s" }, `${GOV}.params.voting_period`],
  [`${GOV}.params`, { min_deposit: [{ denom: "ustake", amount: "-1" }] }, `${GOV}.params.min_deposit`],
  [`${GOV}.params`, { proposal_cancel_dest: "x" }, `${GOV}.params.proposal_cancel_dest`],
  [`${GOV}.proposals[0].voting_end_time`, undefined],
  [`${GOV}.proposals[0].voting_start_time`, undefined],
  [`${GOV}.proposals[0].status`, "PROPOSAL_STATUS_DEPOSIT_PERIOD", `${GOV}.proposals[0].deposit_end_time`],
  [`${GOV}.proposals[0].total_deposit`, [{ denom: "1", amount: "1" }]],
  [`${GOV}.deposits[0].amount[0].amount`, "6", `${GOV}.deposits`],
  [`${GOV}.deposits[0].depositor`, "x"],
  [`${GOV}.deposits[0].amount[0].amount`, "-1"],
  [`${GOV}.votes[0].voter`, undefined],
  [`${GOV}.votes[0]`, { options: [{ option: "VOTE_OPTION_PERHAPS" }] }],
];

/** A vesting account in place of account 1, with one field changed. */
function vesting(field: string, value: unknown): string {
  const type = "/cosmos.vesting.v1beta1.ContinuousVestingAccount";
  // The helper types the document as JSON of any shape.
  const [, base] = (genesisDocument() as unknown as { app_state: { auth: { accounts: object[] } } }).app_state.auth
    .accounts;
  const times = field === "start_time" ? { start_time: value } : { start_time: "1" };
  const inner = { base_account: base, original_vesting: [], delegated_free: [], delegated_vesting: [], end_time: "9" };
  const account = {
    "@type": type,
    ...times,
    base_vesting_account: { ...inner, ...(field === "start_time" ? {} : { [field]: value }) },
  };
  return genesisWith(ACCOUNT, account);
}

describe("parseGenesis(exampleChain, )", () => {
  for (const [path, value, named = path] of WRONG) {
    const shown = value === undefined ? "missing" : JSON.stringify(value).slice(0, 40);
    test(`${path} ${shown} → UPG_INVALID_GENESIS (2) that names ${named}`, () => {
      const error = failureOf(() => parseGenesis(exampleChain, genesisWith(path, value)));
      expect(error).toMatchObject({ code: "UPG_INVALID_GENESIS", kind: { exit: 2 } });
      expect(error.message).toMatch(new RegExp(`^genesis\\.${named.replace(/[.[\]]/g, "\\$&")}(: |\\.)`));
    });
  }

  for (const [field, value, named] of [
    ["start_time", "9223372036854775808", "start_time"],
    ["end_time", undefined, "base_vesting_account.end_time"],
    ["end_time", "-9223372036854775809", "base_vesting_account.end_time"],
    ["original_vesting", "x", "base_vesting_account.original_vesting"],
  ] as const) {
    test(`a vesting account's ${field} ${value} → UPG_INVALID_GENESIS that names it`, () => {
      const error = failureOf(() => parseGenesis(exampleChain, vesting(field, value)));
      expect(error.message).toContain(`genesis.${ACCOUNT}.${named}: `);
    });
  }

  test("a supply that is the sum of the balances, none and an empty one → taken", () => {
    const { balances } = (genesisDocument() as { app_state: { bank: { balances: { coins: Coin[] }[] } } }).app_state
      .bank;
    const supply = new Map<string, bigint>();
    for (const { denom, amount } of balances.flatMap(({ coins }) => coins))
      supply.set(denom, (supply.get(denom) ?? 0n) + BigInt(amount));
    const sum = [...supply].map(([denom, amount]) => ({ denom, amount: String(amount) }));
    for (const each of [sum, sum.toReversed(), [], null]) {
      expect(() => parseGenesis(exampleChain, genesisWith("app_state.bank.supply", each))).not.toThrow();
    }
  });

  test("a section of a module that the program lacks, or that reads none → UPG_INVALID_GENESIS with its name; an empty one is taken", () => {
    for (const name of ["wasm", "accounts"]) {
      for (const section of [{ codes: ["AAAA"] }, [1], "x", 0]) {
        const error = failureOf(() => parseGenesis(exampleChain, genesisWith(`app_state.${name}`, section)));
        expect(error).toMatchObject({ code: "UPG_INVALID_GENESIS", kind: { exit: 2 } });
        expect(error.message).toContain(`genesis.app_state.${name}: this program has no module "${name}"`);
      }
    }
    expect(failureOf(() => parseGenesis(exampleChain, genesisWith("app_state.upgrade", { a: 1 }))).message).toContain(
      'genesis.app_state.upgrade: the module "upgrade" reads no genesis',
    );
    for (const empty of [null, {}, []]) parseGenesis(exampleChain, genesisWith("app_state.wasm", empty));
  });

  for (const [list, index] of [
    ["app_state.auth.accounts", 3],
    ["app_state.bank.balances", 5],
    ["app_state.staking.validators", 1],
    ["app_state.staking.delegations", 1],
  ] as const) {
    test(`an entry of ${list} twice → UPG_INVALID_GENESIS that names the second`, () => {
      const document = genesisDocument();
      const [, section = "", field = ""] = list.split(".");
      const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
      const entries = state[section]?.[field] ?? [];
      entries.splice(index, 0, entries[0]);
      const error = failureOf(() => parseGenesis(exampleChain, JSON.stringify(document)));
      expect(error).toMatchObject({ code: "UPG_INVALID_GENESIS" });
      expect(error.message).toContain(`genesis.${list}[${index}]`);
    });
  }

  for (const text of ["", "{", "[]", "null", '"genesis"', "12"]) {
    test(`the document ${JSON.stringify(text)} → UPG_INVALID_GENESIS`, () => {
      expect(failureOf(() => parseGenesis(exampleChain, text))).toMatchObject({ code: "UPG_INVALID_GENESIS" });
    });
  }

  test("genesis_time at the end of the year 9998 → taken, and blocks follow", () => {
    const chain = new Chain({ genesis: genesisWith("genesis_time", "9998-12-31T23:59:59.999999999Z") });
    const { genesis } = chain;
    const { app } = chain.start();
    app.finalizeBlock({ height: 1n, time: genesis.time });
    app.commit();
    expect(formatTime(wallClock.after(genesis.time))).toBe("9999-01-01T00:00:00.000999999Z");
  });

  test("initial_height 2^53 - 1 → taken, the last one that the store can count", () => {
    expect(parseGenesis(exampleChain, genesisWith("initial_height", "9007199254740991")).initialHeight).toBe(
      HEIGHT_MAX,
    );
  });

  test('initial_height "0", absent and 1 → 1, as the Cosmos SDK reads it', () => {
    for (const value of ["0", 0, undefined, "1", 1]) {
      expect(parseGenesis(exampleChain, genesisWith("initial_height", value)).initialHeight).toBe(1n);
    }
  });
});

describe("start from genesis", () => {
  test("with an app version that this program does not know → UPG_INVALID_GENESIS (2), nothing written", () => {
    const chain = new Chain({ genesis: genesisWith("consensus.params.version", { app: "7" }) });
    const failure = chain.failToStart();
    expect(failure).toMatchObject({ code: "UPG_INVALID_GENESIS", kind: { exit: 2 } });
    expect(failure.message).toBe("genesis.consensus.params.version.app: names app version 7, this program knows 1, 2");
    expect(chain.contents()).toEqual([]);
  });

  test("with app version 2 → version 2 runs from the first block on; an older program says UPG_INVALID_GENESIS", () => {
    const chain = new Chain({ genesis: genesisWith("consensus.params.version", { app: "2" }) });
    const process = chain.start({ handlers: [splitBalances()] });
    expect(process.app.version).toBe(V2);
    process.blocks(2);
    expect(process.versions).toMatchObject({ auth: "2", bank: "2" });
    const before = chain.contents();
    for (const options of [{ versions: [V1] }, { versions: [V1], skipHeights: [3n] }]) {
      expect(chain.failToStart(options)).toMatchObject({ code: "UPG_INVALID_GENESIS", kind: { exit: 2 } });
    }
    process.schedule({ name: "v3", height: 4n });
    expect(chain.failToStart({ versions: [V1] })).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    expect(chain.failToStart({ versions: [V1], skipHeights: [4n] })).toMatchObject({ code: "UPG_INVALID_GENESIS" });
    expect(chain.contents()).not.toEqual(before);
  });

  test("with app version 2, and the plan that leads to version 2 → its stores are there already: UPG_STORE_UPGRADE", () => {
    const chain = new Chain({ genesis: genesisWith("consensus.params.version", { app: "2" }) });
    chain.start().schedule({ name: "v2", height: 3n });
    chain.start().block();
    expect(chain.failToStart({ handlers: [splitBalances()] })).toMatchObject({ code: "UPG_STORE_UPGRADE" });
  });

  test("with a later initial height → the first block has it, and an upgrade works from there", () => {
    const chain = new Chain({ genesis: genesisWith("initial_height", "1000") });
    const old = chain.start({ versions: [V1] });
    expect(old.block().height).toBe(1_000n);
    old.schedule({ name: "v2", height: 1_003n });
    old.untilHalt();
    const next = chain.start({ handlers: [splitBalances()] });
    next.block();
    expect(next.doneHeight("v2")).toBe(1_003n);
  });

  test("opened and closed without a block → the next process makes the same first block", () => {
    const chain = new Chain();
    chain.start();
    const first = chain.start().block();
    expect(first.appHash).toEqual(new Chain({ genesis: genesisText() }).start({ versions: [V1] }).block().appHash);
  });
});
