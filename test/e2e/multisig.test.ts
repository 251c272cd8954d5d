/** A 2-of-3 multisig by the command line: keys, a vote on an upgrade signed by two members, a real node that takes it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMultisigThresholdPubkey, pubkeyToAddress } from "@cosmjs/amino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Running } from "./chaind.js";
import { CommandLine, stopped } from "./command-line.js";

const line = new CommandLine();
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-multisig-"));
const file = (name: string) => join(folder, name);
const NAMES = ["alice", "bob", "carol"];
let node: Running | undefined;
let committee = "";

beforeAll(async () => {
  await line.run(["init", "moniker", "--chain-id", "demo-1"]);
  for (const name of NAMES) await line.json("keys", "add", name, "--no-backup");
  const made = await line.json("keys", "add", "committee", "--multisig", NAMES.join(","), "--multisig-threshold", "2");
  expect(made).toMatchObject({ name: "committee", type: "multi" });
  committee = String(made["address"]);
  await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator");
  await line.json("genesis", "add-account", "committee", "1000000ustake");
  line.editGenesis((genesis) => {
    genesis.genesis_time = "2026-01-01T00:00:00Z";
    Object.assign(genesis.app_state.gov.params, { voting_period: "60s", max_deposit_period: "60s" });
  });
  node = await line.startNode("--app-version", "1");
}, 120_000);

afterAll(async () => {
  if (node) await stopped(node);
  rmSync(folder, { recursive: true, force: true });
});

test("keys add --multisig → the address that CosmJS computes; list and show know it", async () => {
  const keys = await Promise.all(
    NAMES.map(async (name) => {
      const { key } = JSON.parse(String((await line.json("keys", "show", name))["pubkey"]));
      return { type: "tendermint/PubKeySecp256k1", value: key };
    }),
  );
  expect(pubkeyToAddress(createMultisigThresholdPubkey(keys, 2), "cosmos")).toBe(committee);
  const shown = await line.json("keys", "show", "committee");
  expect(JSON.parse(String(shown["pubkey"]))).toMatchObject({
    "@type": "/cosmos.crypto.multisig.LegacyAminoPubKey",
    threshold: 2,
  });
});

test("a proposal, then the committee's vote signed by two members → counted; its account has the multisig key", async () => {
  const upgrade = "tx upgrade software-upgrade v2 --upgrade-height 200 --title T --summary S --deposit 10000000ustake";
  const amino = "--no-validate --from alice --yes -b block --sign-mode amino-json";
  expect(await line.json(...upgrade.split(" "), ...amino.split(" "))).toMatchObject({ code: 0 });

  const unsigned = await line.run(["tx", "gov", "vote", "1", "yes", "--from", "committee", "--generate-only"]);
  expect(unsigned).toMatchObject({ exit: 0 });
  writeFileSync(file("vote.json"), unsigned.stdout);
  for (const name of ["alice", "carol"]) {
    const words = `tx sign ${file("vote.json")} --from ${name} --multisig committee --output-document ${file(name)}`;
    expect(await line.run(words.split(" "))).toMatchObject({ exit: 0 });
  }
  const descriptor = JSON.parse(readFileSync(file("alice"), "utf8"));
  expect(descriptor.signatures[0].data.single.mode).toBe("SIGN_MODE_LEGACY_AMINO_JSON");

  const join2 = ["tx", "multisign", file("vote.json"), "committee", file("alice"), file("carol")];
  const whole = await line.run(join2);
  expect(whole).toMatchObject({ exit: 0 });
  writeFileSync(file("signed.json"), whole.stdout);
  expect(await line.json("tx", "broadcast", file("signed.json"), "-b", "block")).toMatchObject({ code: 0 });

  const vote = await line.json("query", "gov", "vote", "1", committee);
  expect(vote).toMatchObject({ vote: { voter: committee, options: [{ option: "VOTE_OPTION_YES" }] } });
  const account = await line.json("query", "auth", "account", committee);
  expect(JSON.stringify(account)).toContain("/cosmos.crypto.multisig.LegacyAminoPubKey");
});

test.each([
  ["too few signatures", () => [file("alice")], "needs the signatures of 2 members, got those of 1"],
  [
    "the same signature twice",
    () => [file("alice"), file("alice")],
    "needs the signatures of 2 members, got those of 1",
  ],
  [
    "signatures for the sequence before",
    () => [file("alice"), file("carol")],
    "the signature is not of this transaction",
  ],
])("tx multisign with %s → exit 2, says so", async (_, files, words) => {
  const sequence = words.startsWith("needs") ? ["--sequence", "0"] : [];
  const end = await line.run(["tx", "multisign", file("vote.json"), "committee", ...files(), ...sequence]);
  expect(end.exit).toBe(2);
  expect(end.stderr).toContain(words);
});

test.each([
  ["tx gov vote 1 yes --from committee --yes", "is a multisig key"],
  ["keys export committee --unarmored-hex --unsafe", "is a public key: its members sign for it"],
  ["keys add none --multisig alice,bob --multisig-threshold 3", "len(pubKeys) < k"],
  ["keys add none --multisig alice,alice", "a key is a member twice"],
  ["keys add none --pubkey {}", "--pubkey is no key that can sign"],
])("%s → exit 2, says why", async (words, why) => {
  const end = await line.run(words.split(" "));
  expect(end).toMatchObject({ exit: 2 });
  expect(end.stderr).toContain(why);
});

test("keys add --pubkey → a key of somebody else, who can be a member", async () => {
  const pubkey = JSON.stringify({
    "@type": "/cosmos.crypto.secp256k1.PubKey",
    key: "A08EGB7ro1ORuFhjOnZcSgwYlpe0DSFjVNUIkNNQxwKQ",
  });
  expect(await line.json("keys", "add", "dora", "--pubkey", pubkey)).toMatchObject({ type: "offline" });
  const made = await line.json("keys", "add", "pair", "--multisig", "alice,dora", "--multisig-threshold", "2");
  expect(made).toMatchObject({ type: "multi" });
});
