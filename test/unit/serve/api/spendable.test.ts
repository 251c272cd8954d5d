/** What an account may spend, by REST: its balance less what still vests at the time of the block asked about. */
import { expect, test } from "vitest";
import { fundedGenesis, SIGNER, type TestNode, useTestNode } from "./test-node.js";

const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";
const BANK = "/cosmos/bank/v1beta1";
/** 2026-01-01T00:00:00Z, the time of block 1; each block is five seconds later. */
const START = 1_767_225_600;

interface Entry {
  address: string;
  coins: { denom: string; amount: string }[];
}

/** The signer's account vests over a hundred seconds: 400 ustake, of which 30 are delegated, and more gold than it holds. */
function vestingGenesis(): string {
  const document = JSON.parse(fundedGenesis());
  const { auth, bank } = document.app_state;
  const index = auth.accounts.findIndex((account: { address: string }) => account.address === SIGNER);
  const { "@type": _, ...base_account } = auth.accounts[index];
  auth.accounts[index] = {
    "@type": "/cosmos.vesting.v1beta1.ContinuousVestingAccount",
    base_vesting_account: {
      base_account,
      original_vesting: [
        { denom: "gold", amount: "100" },
        { denom: "ustake", amount: "400" },
      ],
      delegated_vesting: [{ denom: "ustake", amount: "30" }],
      end_time: String(START + 100),
    },
    start_time: String(START),
  };
  const balance = (bank.balances as Entry[]).find(({ address }) => address === SIGNER);
  balance?.coins.unshift({ denom: "gold", amount: "80" });
  return JSON.stringify(document);
}

async function get(node: TestNode, path: string, height = "0") {
  const response = await fetch(`${node.rest}${BANK}${path}`, { headers: { "x-cosmos-block-height": height } });
  return { status: response.status, body: await response.text() };
}

const listed = (gold: string, ustake: string) =>
  `{"balances":[{"denom":"gold","amount":"${gold}"},{"denom":"ustake","amount":"${ustake}"}],` +
  '"pagination":{"next_key":null,"total":"2"}}';

test("spendable_balances of a vesting account → less what is locked then; what is all locked is listed with 0", () =>
  useTestNode(
    async (node) => {
      const path = `/spendable_balances/${SIGNER}`;
      node.makeBlocks(20);
      // After 5 s a twentieth is free: 95 gold and 380 ustake are not, of the latter 30 are delegated.
      expect((await get(node, path, "2")).body).toBe(listed("0", String(1_000_000_000 - 350)));
      // After 50 s half is.
      expect((await get(node, path, "11")).body).toBe(listed("30", String(1_000_000_000 - 170)));
      expect((await get(node, path)).body).toBe(listed("80", "1000000000"));
      expect((await get(node, `/balances/${SIGNER}`, "2")).body).toBe(listed("80", "1000000000"));
      const page = JSON.parse((await get(node, `${path}?pagination.limit=1`, "11")).body);
      expect(page.balances).toEqual([{ denom: "gold", amount: "30" }]);
      expect(page.pagination.next_key).toBe(Buffer.from("ustake").toString("base64"));
    },
    { genesis: vestingGenesis() },
  ));

test("spendable_balances/…/by_denom → the same amounts one by one; one that is not held 0", () =>
  useTestNode(
    async (node) => {
      node.makeBlocks(20);
      const one = async (denom: string, height?: string) =>
        (await get(node, `/spendable_balances/${SIGNER}/by_denom?denom=${denom}`, height)).body;
      expect(await one("gold", "2")).toBe('{"balance":{"denom":"gold","amount":"0"}}');
      expect(await one("ustake", "11")).toBe(`{"balance":{"denom":"ustake","amount":"${1_000_000_000 - 170}"}}`);
      expect(await one("ustake")).toBe('{"balance":{"denom":"ustake","amount":"1000000000"}}');
      expect(await one("none")).toBe('{"balance":{"denom":"none","amount":"0"}}');
      expect((await get(node, `/spendable_balances/${SIGNER}/by_denom`)).status).toBe(400);
      expect((await get(node, "/spendable_balances/nope/by_denom?denom=ustake")).status).toBe(400);
    },
    { genesis: vestingGenesis() },
  ));

test("spendable_balances of accounts that do not vest, or are absent → the balance, and nothing", () =>
  useTestNode(async (node) => {
    expect((await get(node, `/spendable_balances/${SIGNER}`)).body).toBe(
      '{"balances":[{"denom":"ustake","amount":"1000000000"}],"pagination":{"next_key":null,"total":"1"}}',
    );
    expect((await get(node, `/spendable_balances/${OTHER}`)).body).toBe(
      '{"balances":[],"pagination":{"next_key":null,"total":"0"}}',
    );
  }));
