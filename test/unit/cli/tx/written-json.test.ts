/** JSON that a person wrote is read strictly: a misspelt name is an error, never a default. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { encodeAddress } from "../../../addresses.js";
import { exampleChain } from "../../../example-chain.js";
import { contextOf } from "../../../example-context.js";
import { runHere, runIn } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-written-json-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FROM = encodeAddress(new Uint8Array(20).fill(9));
const OFFLINE = ["--from", FROM, "--generate-only", "--offline", "--home", folder, "--chain-id", "c-1"];
const SHA256 = "ab".repeat(32);

const plan = { name: "v9", height: "90000", info: "" };
const upgrade = { "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", authority: FROM, plan };
const proposal = { messages: [upgrade], metadata: "", deposit: "10ustake", title: "T", summary: "S" };
const withPlan = (changes: object) => ({ ...proposal, messages: [{ ...upgrade, plan: { ...plan, ...changes } }] });

function file(json: unknown): string {
  const path = join(folder, "written.json");
  writeFileSync(path, typeof json === "string" ? json : JSON.stringify(json));
  return path;
}

/** Runs `tx gov submit-proposal` and returns what it prints to stdout and to stderr. */
async function submit(json: unknown): Promise<{ readonly tx: unknown; readonly said: string }> {
  const context = contextOf(exampleChain);
  const tx = await runIn(context, "tx", "gov", "submit-proposal", file(json), ...OFFLINE);
  return { tx, said: context.io.stderr.text };
}

const refused = (code: string, ...texts: readonly string[]) => ({
  code,
  message: expect.stringMatching(new RegExp(texts.map((text) => text.replaceAll(/[[\]().?]/g, "\\$&")).join(".*"))),
});

describe("tx gov submit-proposal FILE", () => {
  test.each([
    ["of the plan", withPlan({ infos: "x" }), ["messages[0].plan.infos", 'did you mean "info"?', "name, time, height"]],
    [
      "of a message",
      { ...proposal, messages: [{ ...upgrade, autority: "" }] },
      ["messages[0].autority", '"authority"'],
    ],
    [
      "of a type",
      { ...proposal, messages: [{ "@type": "/cosmos.bank.v1beta1.MsgSent" }] },
      ['"/cosmos.bank.v1beta1.MsgSend"'],
    ],
    [
      "of an enum",
      { ...proposal, messages: [{ "@type": "/cosmos.gov.v1.MsgVote", option: "yess" }] },
      ["messages[0].option", "VOTE_OPTION_YES"],
    ],
    ["given twice", JSON.stringify(proposal).replace('"info"', '"info":"y","info"'), ["info", "is given twice"]],
    ["rounded", JSON.stringify(proposal).replace('"90000"', "9007199254740993"), ["9007199254740993", "in quotes"]],
  ])("a wrong name or number, %s → UPG_INVALID_TX with its path and what is valid", async (_, json, texts) => {
    await expect(submit(json)).rejects.toMatchObject(refused("UPG_INVALID_TX", ...texts));
  });

  test("a wrong name beside messages → UPG_INVALID_ARGUMENT; a misspelt pin → UPG_INVALID_PLAN_INFO", async () => {
    const expediated = submit({ ...proposal, expediated: true });
    await expect(expediated).rejects.toMatchObject(
      refused("UPG_INVALID_ARGUMENT", "proposal.expediated", '"expedited"'),
    );
    const handlr = submit(withPlan({ info: JSON.stringify({ handlr: { sha256: SHA256 } }) }));
    await expect(handlr).rejects.toMatchObject(refused("UPG_INVALID_PLAN_INFO", 'did you mean "handler"?'));
  });

  test("a proposal → stderr says what it sends: messages, deposit, expedited, and the pin or that there is none", async () => {
    const { tx, said } = await submit({ ...proposal, expedited: true });
    expect(tx).toMatchObject({ body: { messages: [{ expedited: true, messages: [upgrade] }] } });
    expect(said).toContain('expedited proposal "T", deposit 10ustake');
    expect(said).toContain("MsgSoftwareUpgrade");
    expect(said).toContain('plan "v9" at height 90000: no pin: any handler file for this plan will run');
    const pinned = await submit(withPlan({ info: JSON.stringify({ handler: { sha256: SHA256 } }) }));
    expect(pinned.said).toContain(`pins the handler with SHA-256 ${SHA256}`);
  });
});

test("tx broadcast of a file with a misspelt field → UPG_INVALID_TX with its path", async () => {
  const path = file({ body: { mesages: [] } });
  const sent = runHere("tx", "broadcast", path, "--node", "tcp://127.0.0.1:1");
  await expect(sent).rejects.toMatchObject(refused("UPG_INVALID_TX", "body.mesages", '"messages"'));
});

test("tx staking create-validator FILE with a misspelt rate → UPG_INVALID_ARGUMENT, not the default rate", async () => {
  const pubkey = { "@type": "/cosmos.crypto.ed25519.PubKey", key: Buffer.alloc(32, 7).toString("base64") };
  const path = file({ pubkey, amount: "5ustake", moniker: "m", "comission-rate": "0.05" });
  const made = runHere("tx", "staking", "create-validator", path, ...OFFLINE);
  await expect(made).rejects.toMatchObject(refused("UPG_INVALID_ARGUMENT", "comission-rate", '"commission-rate"'));
});

test("tx upgrade software-upgrade --upgrade-info with a misspelt pin → UPG_INVALID_PLAN_INFO", async () => {
  const info = JSON.stringify({ binaries: {}, handlers: { sha256: SHA256 } });
  const flags = [
    "--upgrade-height",
    "9",
    "--upgrade-info",
    info,
    "--title",
    "T",
    "--summary",
    "S",
    "--deposit",
    "1ustake",
  ];
  const made = runHere("tx", "upgrade", "software-upgrade", "v9", ...flags, ...OFFLINE);
  await expect(made).rejects.toMatchObject(refused("UPG_INVALID_PLAN_INFO", 'did you mean "handler"?'));
});
