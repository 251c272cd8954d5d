/** Flags of the Cosmos SDK's transactions: those that have a meaning here, and those that are refused with the reason. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { checkedAddress } from "../../../../host/chain/values/address.js";
import { SIGNER } from "../../serve/api/test-node.js";
import { runHere } from "../run-here.js";

const UNSIGNED = ["tx", "bank", "send", SIGNER, SIGNER, "1ustake", "--generate-only", "--offline"];
interface KeyShown {
  readonly address: string;
}

const INVALID = "UPG_INVALID_ARGUMENT";

afterEach(() => {
  vi.useRealTimers();
});

test("--timeout-duration → the last time at which a block may include it, counted from now", async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12), toFake: ["Date"] });
  expect(await runHere(...UNSIGNED, "--timeout-duration", "10m30s")).toMatchObject({
    body: { timeout_height: "0", timeout_timestamp: "2026-01-01T12:10:30Z", unordered: false },
  });
  expect(await runHere(...UNSIGNED)).toMatchObject({ body: { timeout_timestamp: null } });
});

test("--timeout-duration and --timeout-height → UPG_INVALID_ARGUMENT", async () => {
  const both = runHere(...UNSIGNED, "--timeout-duration", "1s", "--timeout-height", "9");
  await expect(both).rejects.toMatchObject({ code: INVALID, message: expect.stringContaining("not both") });
});

test.each<[string[], string]>([
  [["--fee-granter", SIGNER], "--fee-granter cannot be used: no module here grants fees"],
  [["--unordered"], "--unordered cannot be used: transactions of an account are ordered by its sequence"],
  [["--aux"], "--aux cannot be used: SIGN_MODE_DIRECT_AUX is not taken"],
  [["--tip", "1ustake"], "--tip cannot be used: transactions have no tips"],
  [["--ledger"], "--ledger cannot be used: this program does not talk to hardware wallets"],
])("tx … %j → UPG_INVALID_ARGUMENT, says why", async (flags, why) => {
  await expect(runHere(...UNSIGNED, ...flags)).rejects.toMatchObject({
    code: INVALID,
    message: expect.stringContaining(why),
  });
});

test("keys add --ledger → UPG_INVALID_ARGUMENT before a key is made", async () => {
  await expect(runHere("keys", "add", "nano", "--ledger", "--dry-run")).rejects.toMatchObject({
    code: INVALID,
    message: expect.stringContaining("--ledger cannot be used"),
  });
});

test.each([
  ["acc", /^cosmos1/],
  ["val", /^cosmosvaloper1/],
  ["cons", /^cosmosvalcons1/],
])("keys show --bech %s → the same 20 bytes with that prefix", async (bech, form) => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bech-"));
  const keyring = ["--keyring-backend", "test", "--keyring-dir", folder];
  try {
    const { address } = (await runHere("keys", "import-hex", "alice", "07".repeat(32), ...keyring)) as KeyShown;
    const shown = (await runHere("keys", "show", "alice", "--bech", bech, ...keyring)) as KeyShown;
    expect(shown.address).toMatch(form);
    expect(checkedAddress(shown.address)).toEqual(checkedAddress(address));
    await expect(runHere("keys", "show", "alice", "--bech", "op", ...keyring)).rejects.toThrow("acc, val or cons");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
