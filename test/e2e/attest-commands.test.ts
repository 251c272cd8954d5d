/** Attestations by the command line, against a node: attested, replaced, withdrawn, refused, and who no longer counts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Running } from "./chaind.js";
import { CommandLine, stopped } from "./command-line.js";
import { MNEMONIC } from "./known-key.js";

const line = new CommandLine();
let node: Running | undefined;
const operators = { alice: "", bob: "" };
const INFO = JSON.stringify({ handler: { sha256: "11".repeat(32) } });

const tx = (from: string, ...words: string[]) =>
  line.run(["tx", ...words, "--from", from, "--yes", "-b", "block", "-o", "json"]);

async function good(from: string, ...words: string[]): Promise<void> {
  const { exit, stdout, stderr } = await tx(from, ...words);
  if (exit !== 0) throw new Error(`tx ${words.join(" ")} ended with ${exit}: ${stderr}${stdout}`);
}

/** In the header of the block after it. */
async function appHashAfter(height: bigint): Promise<string> {
  const { block } = (await line.json("query", "block", "--type", "height", String(height + 1n))) as {
    block: { header: { app_hash: string } };
  };
  return block.header.app_hash;
}

const readiness = async (...words: string[]) =>
  (await line.json("query", "upgrade", "readiness", ...words))["readiness"];

beforeAll(async () => {
  await line.json("init", "one", "--chain-id", "demo-1");
  await line.run(["keys", "add", "alice", "--recover"], `${MNEMONIC}\n`);
  await line.json("keys", "add", "bob");
  await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator", "50");
  await line.json("genesis", "add-account", "bob", "1000000000ustake");
  for (const name of ["alice", "bob"] as const) {
    operators[name] = String((await line.json("keys", "show", name, "--bech", "val"))["address"]);
  }
  node = await line.startNode();
  const file = join(line.home, "validator.json");
  const pubkey = { "@type": "/cosmos.crypto.ed25519.PubKey", key: Buffer.alloc(32, 7).toString("base64") };
  writeFileSync(file, JSON.stringify({ pubkey, amount: "5000000ustake", moniker: "two" }));
  await good("bob", "staking", "create-validator", file);
}, 120_000);

afterAll(async () => {
  if (node) await stopped(node);
});

describe("tx upgrade attest, query upgrade readiness", () => {
  test("a name that nothing schedules → refused before it is signed; without a plan there is no readiness", async () => {
    const { exit, stderr } = await tx("alice", "upgrade", "attest", "v2", "--artifact-sha256", "11".repeat(32));
    expect([exit, stderr]).toEqual([2, expect.stringContaining("no plan is scheduled, and no open proposal names")]);
    expect(await readiness()).toBeNull();
  });

  test("a plan that a proposal names → attested by power, replaced, who differs, who is silent", async () => {
    const proposal = ["--title", "T", "--summary", "S", "--deposit", "10000000ustake", "--upgrade-height", "100000"];
    await good("alice", "upgrade", "software-upgrade", "v2", ...proposal, "--upgrade-info", INFO);
    await good("alice", "upgrade", "attest", "v2", "--artifact-sha256", "22".repeat(32));
    expect(await readiness("v2")).toMatchObject({
      ...{ plan: "v2", plan_height: "0", total_power: "55", attested_power: "50" },
      groups: [{ artifact_sha256: "22".repeat(32), power: "50", rehearsed_height: "0", is_pinned: false }],
      silent: { power: "5", validators: [{ operator_address: operators.bob, moniker: "two", power: "5" }] },
    });
    const same = ["--artifact-sha256", "11".repeat(32), "--app-hash", "AB".repeat(32), "--at", "2"];
    await good("alice", "upgrade", "attest", "v2", ...same);
    await good("bob", "upgrade", "attest", "v2", ...same);
    expect(await readiness("v2")).toMatchObject({
      ...{ attested_power: "55", silent: { power: "0", validators: [] } },
      groups: [
        {
          ...{ artifact_sha256: "11".repeat(32), app_hash: "AB".repeat(32), rehearsed_height: "2", power: "55" },
          validators: [{ operator_address: operators.alice }, { operator_address: operators.bob }],
        },
      ],
    });
    expect(await line.text("query", "upgrade", "readiness", "v2")).toContain(
      'upgrade "v2", which is not scheduled: 100.00 % of the power has attested',
    );
  });

  test("a rehearsal: of another chain, of a block that is not made, of another state → refused; of this one, after a space → attested", async () => {
    const state = { height: "2", app_hash: await appHashAfter(2n), block_height: "4" };
    const attest = async (change: object) => {
      const file = join(line.home, "rehearsal.json");
      const plan = { name: "v2", height: "4", info: "" };
      const handler = { kind: "wasm", sha256: "11".repeat(32), file: "" };
      const common = { exit: 0, verdict: "would apply", chain_id: "demo-1", plan, handler, state };
      writeFileSync(file, JSON.stringify({ ...common, applied: { app_hash: "AB".repeat(32) }, ...change }));
      return await tx("alice", "upgrade", "attest", "v2", "--rehearsal", file);
    };
    const proposed = {
      plan: { name: "v2", height: "100000", info: INFO },
      state: { ...state, block_height: "100000" },
    };
    const far = { name: "v2", height: "99999999", info: "" };
    for (const [change, words] of [
      [{ chain_id: "other-1" }, "rehearsal.json is of the chain"],
      [{ plan: far, state: { ...state, block_height: far.height } }, "and the one that is proposed is at 100000"],
      [{ plan: { ...far, height: "4", info: "{}" } }, "and the one that is proposed is at 100000"],
      [{}, 'a plan "v2" at height 4, and the one that is proposed is at 100000'],
      [{}, `{"name":"v2","height":"100000","info":${JSON.stringify(INFO)}}`],
      [
        { plan: { ...far, height: "100000" }, state: { ...state, block_height: "100000" } },
        'a plan "v2" with other info than the one that is proposed',
      ],
      [{}, `upgrade rehearse --home ${line.home} --plan FILE`],
      [{ ...proposed, state: { ...proposed.state, app_hash: "00".repeat(32) } }, "is on another state of block 2"],
      [
        { ...proposed, state: { ...proposed.state, height: "8998" } },
        "is on the state of block 8998, and the last block is",
      ],
    ] as const) {
      const { exit, stderr } = await attest(change);
      expect([exit, JSON.parse(stderr).error]).toEqual([2, expect.stringContaining(words)]);
    }
    expect((await attest(proposed)).stderr).toContain("on block 2");
    expect(await readiness("v2")).toMatchObject({ attested_power: "55" });
    const { exit, stderr } = await tx("alice", "upgrade", "attest", "--artifact-sha256", "11".repeat(32));
    expect([exit, stderr]).toEqual([3, expect.stringContaining("no plan is scheduled: name the one")]);
  });

  test("by one who operates no validator → the node refuses it; withdrawn → counts no more; unbonded → counts no more", async () => {
    await line.json("keys", "add", "carol");
    await good(
      "alice",
      "bank",
      "send",
      "alice",
      String((await line.json("keys", "show", "carol"))["address"]),
      "1000000ustake",
    );
    const refused = await tx(
      "carol",
      "upgrade",
      "attest",
      "v2",
      "--artifact-sha256",
      "11".repeat(32),
      "--gas",
      "200000",
    );
    expect(refused.exit).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ codespace: "staking", code: 3 });
    await good("alice", "upgrade", "withdraw-attestation", "v2");
    expect(await readiness("v2")).toMatchObject({ total_power: "55", attested_power: "5", silent: { power: "50" } });
    await good("bob", "staking", "unbond", operators.bob, "5000000ustake");
    expect(await readiness("v2")).toMatchObject({ total_power: "50", attested_power: "0", groups: [] });
  });
});
