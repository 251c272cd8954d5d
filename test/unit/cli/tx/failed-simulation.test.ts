/** What commands say of a transaction that fails: its codespace, code and log, as the node reported them. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FailureReporter } from "../../../../host/base/terminal/fail.js";
import { makePrompt } from "../../../../host/base/terminal/prompt.js";
import { txFailure } from "../../../../host/cli/client/tx/failure.js";
import { keyFromMnemonic } from "../../../../host/cli/wallet/derive.js";
import { Keyring } from "../../../../host/cli/wallet/keyring.js";
import { exampleChain } from "../../../example-chain.js";
import { testIo } from "../../../example-context.js";
import { MNEMONIC, useTestNode } from "../../serve/api/test-node.js";
import { runHere } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-failed-simulation-"));
const NOBODY = exampleChain.addresses.operators.encode(new Uint8Array(20).fill(9));

beforeAll(async () => {
  const prompt = makePrompt(testIo());
  const keys = new Keyring({ folder, backend: "test", prompt, addresses: exampleChain.addresses });
  prompt.close();
  await keys.add("alice", keyFromMnemonic(MNEMONIC, "m/44'/118'/0'/0/0"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command prints to stderr, and its exit status. */
async function failure(node: string, words: readonly string[], isJson: boolean) {
  const options = ["--from", "alice", "--node", node, "--keyring-backend", "test", "--keyring-dir", folder, "--yes"];
  const error = await runHere("tx", ...words, ...options).catch((thrown: unknown) => thrown);
  const io = testIo();
  const exit = new FailureReporter("chaind", io).report(error, { isJson, isTraced: false });
  return { exit, line: io.stderr.text };
}

const LOG = "failed to execute message; message index: 0: validator does not exist";

test("tx whose simulation fails → code, codespace and log of the module's error, also with -o json", () =>
  useTestNode(async ({ rpc }) => {
    for (const gas of [["--gas", "auto"], ["--dry-run"]]) {
      const words = ["staking", "delegate", NOBODY, "1ustake", ...gas];
      const text = await failure(rpc, words, false);
      expect(text.line).toBe(`Error: the simulation failed with code 3 of staking: ${LOG} [UPG_TX_FAILED]\n`);
      const json = await failure(rpc, words, true);
      expect(JSON.parse(json.line)).toEqual({
        error: `the simulation failed with code 3 of staking: ${LOG}`,
        code: "UPG_TX_FAILED",
        tx: { codespace: "staking", code: 3, log: LOG },
      });
      expect([text.exit, json.exit]).toEqual([1, 1]);
    }
  }));

test("a vote that comes too late or too early → what that is, and the query that shows it", () => {
  const log = "failed to execute message; message index: 0: 1: inactive proposal";
  const { message } = txFailure("UPG_TX_FAILED", "the simulation", { codespace: "gov", code: 3, log });
  expect(message).toBe(
    `the simulation failed with code 3 of gov: ${log}. Its voting period has not begun or is over: \`query gov proposal ID\` shows its status and times`,
  );
});

test("tx that the node refuses → the same members, with UPG_REMOTE_REFUSED", () =>
  useTestNode(async ({ rpc }) => {
    const words = ["staking", "delegate", NOBODY, "1ustake", "--gas", "1000"];
    const { line } = await failure(rpc, words, true);
    expect(JSON.parse(line)).toMatchObject({
      code: "UPG_REMOTE_REFUSED",
      tx: { codespace: "sdk", code: 11, log: expect.stringContaining("out of gas") },
    });
  }));
