import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { initHome } from "../../../../host/cli/commands/init.js";
import { writeConsensusKey } from "../../../../host/cli/flags/key-files.js";
import { addAccount } from "../../../../host/cli/genesis/add-account.js";
import { validateGenesis } from "../../../../host/cli/genesis/validate.js";
import { consensusKey } from "../../../../host/node/home/consensus-key.js";
import { exampleChain } from "../../../example-chain.js";
import { exampleContext } from "../../../example-context.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-genesis-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;
let home = "";
const ALICE = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4";
const BOB = "cosmos15pr9t0halmcqsc3fpujk2eanwnqw4qv03kk9y7";
const flags = { keyringBackend: "test", keyringDir: join(root, "none") } as const;

interface Document {
  app_state: {
    auth: { accounts: { address: string; account_number: string }[] };
    bank: { balances: { address: string; coins: { denom: string; amount: string }[] }[] };
    staking: { validators: { operator_address: string; tokens: string }[]; delegations: { shares: string }[] };
  };
}

const text = () => readFileSync(join(home, "config", "genesis.json"), "utf8");
const state = () => (JSON.parse(text()) as Document).app_state;

beforeEach(() => {
  home = join(root, String(homes++));
  initHome(exampleChain, { home, chainId: "demo-1" });
});

describe("addAccount()", () => {
  test("two accounts → numbers 0 and 1, their coins, no validator", async () => {
    expect(await addAccount(exampleContext, home, ALICE, "5uatom,1000ustake", flags)).toEqual({
      address: ALICE,
      coins: "5uatom,1000ustake",
    });
    await addAccount(exampleContext, home, BOB, "1ustake", flags);
    expect(state().auth.accounts.map(({ address, account_number }) => [address, account_number])).toEqual([
      [ALICE, "0"],
      [BOB, "1"],
    ]);
    expect(state().bank.balances[0]?.coins).toEqual([
      { denom: "uatom", amount: "5" },
      { denom: "ustake", amount: "1000" },
    ]);
    expect(() => validateGenesis(exampleChain, home)).toThrow("genesis.json has no validator: give one power with");
    await addAccount(exampleContext, home, BOB, "1ustake", { ...flags, append: true, validator: true });
    expect(validateGenesis(exampleChain, home)).toMatchObject({
      valid: true,
      accounts: "2",
      validators: "1",
      app_version: "1",
    });
  });

  test("--validator → power 100, or what is said; the account delegates to it; a key that has one → UPG_INVALID_GENESIS", async () => {
    const operator_address = "cosmosvaloper19rl4cm2hmr8afy4kldpxz3fka4jguq0ack59f3";
    expect(await addAccount(exampleContext, home, ALICE, "1ustake", { ...flags, validator: true })).toMatchObject({
      validator: { power: "100", operator_address: expect.stringMatching(/^cosmosvaloper1/) },
    });
    await expect(addAccount(exampleContext, home, BOB, "1ustake", { ...flags, validator: "7" })).rejects.toMatchObject({
      code: "UPG_INVALID_GENESIS",
      message: expect.stringContaining("second entry for the key"),
    });
    writeConsensusKey(join(home, "config", "priv_validator_key.json"), consensusKey(new Uint8Array(32).fill(7)));
    await addAccount(exampleContext, home, BOB, "1ustake", { ...flags, validator: "7" });
    const { validators, delegations } = state().staking;
    expect(validators[0]?.operator_address.slice(0, 38)).toBe(operator_address.slice(0, 38));
    expect(validators.map(({ tokens }) => tokens)).toEqual(["100000000", "7000000"]);
    expect(delegations.map(({ shares }) => shares)).toEqual([
      "100000000.000000000000000000",
      "7000000.000000000000000000",
    ]);
  });

  test("an account that is there → refused; --append adds to its coins", async () => {
    await addAccount(exampleContext, home, ALICE, "1ustake", flags);
    await expect(addAccount(exampleContext, home, ALICE, "1ustake", flags)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
    expect(await addAccount(exampleContext, home, ALICE, "2ustake,3uatom", { ...flags, append: true })).toMatchObject({
      coins: "3uatom,3ustake",
    });
    expect(state().auth.accounts).toHaveLength(1);
  });

  test.each([
    ["nobody", "1ustake", {}, "UPG_NOT_FOUND_KEY"],
    ["../x", "1ustake", {}, "UPG_INVALID_ARGUMENT"],
    ["cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", "1ustake", {}, "UPG_INVALID_ARGUMENT"],
    [ALICE, "1", {}, "UPG_INVALID_ARGUMENT"],
    [ALICE, "-1ustake", {}, "UPG_INVALID_ARGUMENT"],
    [ALICE, "1ustake", { validator: "0" }, "UPG_INVALID_ARGUMENT"],
    [ALICE, "1ustake", { validator: "x" }, "UPG_INVALID_ARGUMENT"],
    [ALICE, `${2n ** 256n}ustake`, {}, "UPG_INVALID_ARGUMENT"],
  ])("%s %s %j → %s, the document as it was", async (key, coins, more, code) => {
    const before = text();
    await expect(addAccount(exampleContext, home, key, coins, { ...flags, ...more })).rejects.toMatchObject({ code });
    expect(text()).toBe(before);
  });

  test("a chain that has begun, a home without a document → UPG_INVALID_CONFIG", async () => {
    writeFileSync(join(home, "data", "chain.mdb"), "");
    await expect(addAccount(exampleContext, home, ALICE, "1ustake", flags)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
    });
    await expect(addAccount(exampleContext, join(root, "nowhere"), ALICE, "1ustake", flags)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
    });
  });
});

describe("validateGenesis()", () => {
  test("a broken document → UPG_INVALID_GENESIS with the path of what is wrong", () => {
    writeFileSync(join(home, "config", "genesis.json"), text().replace('"votes": []', '"votes": 5'));
    expect(() => validateGenesis(exampleChain, home)).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_GENESIS", message: expect.stringContaining("gov.votes") }),
    );
  });
});
