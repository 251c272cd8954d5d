/** `tx staking` makes the messages of the Cosmos SDK; a wrong file or argument is reported before anything is asked or signed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { encodeAddress, operators } from "../../../addresses.js";
import { runHere } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-tx-staking-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ACCOUNT = new Uint8Array(20).fill(9);
const OPERATOR = operators.encode(ACCOUNT);
const OFFLINE = [
  "--from",
  encodeAddress(ACCOUNT),
  "--generate-only",
  "--offline",
  "--home",
  folder,
  "--chain-id",
  "c-1",
];
const KEY = { "@type": "/cosmos.crypto.ed25519.PubKey", key: Buffer.alloc(32, 7).toString("base64") };

function file(json: unknown): string {
  const path = join(folder, "validator.json");
  writeFileSync(path, JSON.stringify(json));
  return path;
}

const messageOf = (tx: unknown) => (tx as { body: { messages: unknown[] } }).body.messages[0];
const staking = (...args: string[]) => runHere("tx", "staking", ...args, ...OFFLINE);

describe("tx staking", () => {
  test("create-validator FILE → MsgCreateValidator of the operator, commission with 18 places", async () => {
    const path = file({
      pubkey: KEY,
      amount: "5000000ustake",
      moniker: "five",
      "commission-rate": "0.05",
      security: "me",
    });
    expect(messageOf(await staking("create-validator", path))).toMatchObject({
      "@type": "/cosmos.staking.v1beta1.MsgCreateValidator",
      description: { moniker: "five", security_contact: "me" },
      commission: { rate: "0.050000000000000000", max_rate: "0.200000000000000000" },
      validator_address: OPERATOR,
      pubkey: KEY,
      value: { denom: "ustake", amount: "5000000" },
    });
  });

  test.each([
    ["delegate", "MsgDelegate"],
    ["unbond", "MsgUndelegate"],
    ["undelegate", "MsgUndelegate"],
  ])("%s VALIDATOR AMOUNT → %s", async (command, name) => {
    expect(messageOf(await staking(command, OPERATOR, "7ustake"))).toEqual({
      "@type": `/cosmos.staking.v1beta1.${name}`,
      delegator_address: encodeAddress(ACCOUNT),
      validator_address: OPERATOR,
      amount: { denom: "ustake", amount: "7" },
    });
  });

  const whole = { pubkey: KEY, amount: "5000000ustake", moniker: "five" };
  test.each([
    ["a file without a key", { ...whole, pubkey: undefined }, /pubkey is no consensus key/],
    [
      "a key of 31 bytes",
      { ...whole, pubkey: { ...KEY, key: Buffer.alloc(31).toString("base64") } },
      /pubkey is no consensus key/,
    ],
    ["two coins", { ...whole, amount: "1ustake,1ugold" }, /expected one coin/],
    ["no moniker", { ...whole, moniker: undefined }, /moniker/],
    ["a rate above 1", { ...whole, "commission-rate": "1.1" }, /invalid argument "1.1" for "--commission-rate"/],
    [
      "a least delegation above the amount",
      { ...whole, "min-self-delegation": "5000001" },
      /below --min-self-delegation/,
    ],
    ["no object", [], /./],
  ])("create-validator with %s → UPG_INVALID_ARGUMENT", async (_, json, expected) => {
    await expect(staking("create-validator", file(json))).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringMatching(expected),
    });
  });

  test("delegate to an account's address → UPG_INVALID_ARGUMENT", async () => {
    await expect(staking("delegate", encodeAddress(ACCOUNT), "7ustake")).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringContaining("expected cosmosvaloper, got cosmos"),
    });
  });
});
