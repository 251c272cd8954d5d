/** Transactions whose fee another account pays: signed at once, or by each account in a file. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePrompt } from "../../../../host/base/terminal/prompt.js";
import { accountKey, keyFromMnemonic } from "../../../../host/cli/wallet/derive.js";
import { Keyring } from "../../../../host/cli/wallet/keyring.js";
import { exampleChain } from "../../../example-chain.js";
import { testIo } from "../../../example-context.js";
import { MNEMONIC, SIGNER, type TestNode, useTestNode } from "../../serve/api/test-node.js";
import { runHere } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-fee-payer-"));
const keyring = ["--keyring-backend", "test", "--keyring-dir", folder];
const file = (name: string) => join(folder, name);
let bob = "";

beforeAll(async () => {
  const prompt = makePrompt(testIo());
  const keys = new Keyring({ folder, backend: "test", prompt, addresses: exampleChain.addresses });
  prompt.close();
  await keys.add("alice", keyFromMnemonic(MNEMONIC, "m/44'/118'/0'/0/0"));
  bob = (await keys.add("bob", accountKey(new Uint8Array(32).fill(7)))).address;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const amountOf = async ({ rpc }: TestNode, address: string): Promise<bigint> => {
  const balance = (await runHere("query", "bank", "balance", address, "ustake", "--node", rpc)) as {
    balance: { amount: string };
  };
  return BigInt(balance.balance.amount);
};

/** Sends, makes a block and returns the transaction's result in it. */
async function sent({ node, rpc }: TestNode, ...words: string[]): Promise<unknown> {
  const { txhash } = (await runHere("tx", ...words, "--yes", "--node", rpc, ...keyring)) as { txhash: string };
  node.makeBlock();
  return runHere("query", "tx", txhash, "--node", rpc);
}

const toSigner = () => ["bank", "send", "bob", SIGNER, "1ustake", "--fees", "7ustake", "--fee-payer", "alice"];

test("--fee-payer of the keyring → both sign, in either sign mode, and the payer's account pays", () =>
  useTestNode(async (node) => {
    expect(await sent(node, "bank", "send", "alice", bob, "1000ustake")).toMatchObject({ code: 0 });
    for (const mode of ["direct", "amino-json"]) {
      const before = [await amountOf(node, SIGNER), await amountOf(node, bob)];
      const result = await sent(node, ...toSigner(), "--sign-mode", mode);
      expect(result).toMatchObject({ code: 0, tx: { auth_info: { fee: { payer: SIGNER } } } });
      const after = [await amountOf(node, SIGNER), await amountOf(node, bob)];
      expect(after, mode).toEqual([(before[0] ?? 0n) + 1n - 7n, (before[1] ?? 0n) - 1n]);
    }
    const { rpc } = node;
    const dry = await runHere("tx", ...toSigner(), "--dry-run", "--node", rpc, ...keyring);
    expect(Number((dry as { gas_used: string }).gas_used)).toBeGreaterThan(0);

    const unsigned = await runHere("tx", ...toSigner(), "--generate-only", "--offline", ...keyring);
    writeFileSync(file("unsigned"), JSON.stringify(unsigned));
    const sign = (from: string, name: string, mode: string) =>
      runHere("tx", "sign", file(name), "--from", from, "--sign-mode", mode, "--node", rpc, ...keyring);
    await expect(sign("bob", "unsigned", "direct")).rejects.toThrow(`${SIGNER} signs this transaction too`);
    // The payer is the last signer, in any order.
    writeFileSync(file("half"), JSON.stringify(await sign("alice", "unsigned", "amino-json")));
    writeFileSync(file("whole"), JSON.stringify(await sign("bob", "half", "amino-json")));
    expect(await sent(node, "broadcast", file("whole"))).toMatchObject({ code: 0 });
    expect(node.bugs).toEqual([]);
  }));

test("tx sign by an account that signs nothing of it → UPG_INVALID_ARGUMENT with the signers", async () => {
  const words = ["bank", "send", SIGNER, bob, "1ustake", "--generate-only", "--offline"];
  writeFileSync(file("others"), JSON.stringify(await runHere("tx", ...words, ...keyring)));
  const facts = ["--offline", "--chain-id", "c", "--account-number", "1", "--sequence", "0"];
  await expect(runHere("tx", "sign", file("others"), "--from", "bob", ...facts, ...keyring)).rejects.toMatchObject({
    code: "UPG_INVALID_ARGUMENT",
    message: `${bob} does not sign this transaction: its signers are ${SIGNER}`,
  });
});

test("--fee-payer of an account whose key is elsewhere → refused; --generate-only names it", async () => {
  const send = ["tx", "bank", "send", "bob", SIGNER, "1ustake", "--fee-payer"];
  const other = exampleChain.addresses.encode(new Uint8Array(20).fill(9));
  await expect(runHere(...send, other, "--yes", ...keyring)).rejects.toMatchObject({ code: "UPG_NOT_FOUND_KEY" });
  expect(await runHere(...send, other, "--generate-only", "--offline", ...keyring)).toMatchObject({
    auth_info: { fee: { payer: other } },
  });
});

test("tx bank send to a key's name → its address; to a name that is neither → the keyring, and how an address begins", async () => {
  const send = (to: string) =>
    runHere("tx", "bank", "send", "bob", to, "1ustake", "--generate-only", "--offline", ...keyring);
  expect(await send("bob")).toMatchObject({ body: { messages: [{ from_address: bob, to_address: bob }] } });
  expect(await send(SIGNER)).toMatchObject({ body: { messages: [{ to_address: SIGNER }] } });
  await expect(send("nobody")).rejects.toMatchObject({
    code: "UPG_NOT_FOUND_KEY",
    message: expect.stringMatching(
      /^there is no key "nobody" in the keyring \(backend test, folder .*\), and an address begins with cosmos1\. `/,
    ),
  });
  await expect(send(`osmo${SIGNER.slice("cosmos".length)}`)).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
});
