/** The specification's command lines, word for word, on a real chain: text and JSON, during and after an upgrade. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build, guest } from "../guest/build.js";
import type { Running } from "./chaind.js";
import { CommandLine, stopped } from "./command-line.js";
import { BOB, GOV, startDemoChain } from "./demo-chain.js";

const line = new CommandLine();
let node: Running | undefined;
let alice = "";
const PLAN_HEIGHT = "40";
const INFO =
  '{ "binaries": { "linux/amd64":"https://example.com/simd.zip?checksum=sha256:aec070645fe53ee3b3763059376134f058cc337247c978add178b6ccdfb0019f" } }';

/** Hashes and addresses of validators hang on what is in state; their places are what is held here. */
const shapeOf = (text: string) => text.replace(/\b[0-9A-F]{64}\b/g, "<hash>").replace(/\b[0-9A-F]{40}\b/g, "<address>");

beforeAll(async () => {
  ({ node, alice } = await startDemoChain(line));
}, 120_000);

afterAll(async () => {
  if (node) await stopped(node);
});

describe("a plan, its cancellation, the upgrade", () => {
  test("tx upgrade software-upgrade → the proposal is there; the height leaves no time to cancel, which is said", async () => {
    const words = [
      ...["tx", "upgrade", "software-upgrade", "v2", "--title=Test Proposal", "--summary=testing"],
      ...["--deposit=10000000ustake", "--upgrade-height", PLAN_HEIGHT, "--upgrade-info", INFO, "--from", "alice"],
    ];
    const refused = await line.run([...words, "--require-cancellable", "--yes"]);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain("a vote to cancel the upgrade may come too late");
    const sent = await line.run([...words, "-b", "block"], "y\n");
    expect(sent.exit, sent.stderr).toBe(0);
    expect(sent.stderr).toContain(
      "warning: at height 40 a vote to cancel the upgrade may come too late: it needs height",
    );
    expect(JSON.parse(sent.stdout)).toMatchObject({ code: 0, raw_log: "" });
    expect(await line.json("query", "gov", "proposal", "1")).toMatchObject({
      proposal: {
        id: "1",
        messages: [
          {
            "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade",
            authority: GOV,
            plan: { name: "v2", height: PLAN_HEIGHT, info: INFO },
          },
        ],
        status: "PROPOSAL_STATUS_VOTING_PERIOD",
        proposer: alice,
        title: "Test Proposal",
        summary: "testing",
      },
    });
  });

  test("tx gov vote, by TxResponse and by query", async () => {
    const sent = await line.json("tx", "gov", "vote", "1", "yes", "--from", "alice", "--yes");
    expect(Object.keys(sent)).toEqual([
      "height",
      "txhash",
      "codespace",
      "code",
      "data",
      "raw_log",
      "logs",
      "info",
      "gas_wanted",
      "gas_used",
      "tx",
      "timestamp",
      "events",
    ]);
    const found = await line.json("query", "wait-tx", String(sent["txhash"]));
    expect(found).toMatchObject({ code: 0, txhash: sent["txhash"], tx: { "@type": "/cosmos.tx.v1beta1.Tx" } });
    expect(await line.json("query", "tx", String(sent["txhash"]))).toEqual(found);
    expect(await line.json("query", "gov", "tally", "1")).toMatchObject({ tally: { yes_count: "100000000" } });
    expect(await line.json("query", "gov", "votes", "1")).toMatchObject({ votes: [{ voter: alice }] });
    expect(await line.json("query", "txs", "--query", "message.action='/cosmos.gov.v1.MsgVote'")).toMatchObject({
      total_count: "1",
    });
  });

  test("tx upgrade cancel-software-upgrade, while the first is still voted on → one more proposal", async () => {
    const words = [
      "tx",
      "upgrade",
      "cancel-software-upgrade",
      "--title=Test Proposal",
      "--summary=testing",
      "--deposit=10000000ustake",
    ];
    const sent = await line.run([...words, "--from", alice, "--yes", "-b", "block"]);
    expect(sent.exit, sent.stderr).toBe(0);
    expect(await line.json("query", "gov", "proposals", "--status", "voting_period", "--reverse")).toMatchObject({
      proposals: [
        { id: "2", messages: [{ "@type": "/cosmos.upgrade.v1beta1.MsgCancelUpgrade", authority: GOV }] },
        { id: "1" },
      ],
    });
  });

  test("query upgrade plan → the five fields, and when it will be", async () => {
    await stopped(node as Running);
    expect((await line.runNode("--app-version", "1", "--max-blocks", "16")).exit).toBe(0);
    node = await line.startNode("--app-version", "1");
    const fields = {
      name: "v2",
      time: "0001-01-01T00:00:00Z",
      height: PLAN_HEIGHT,
      info: INFO,
      upgraded_client_state: null,
    };
    expect(await line.json("query", "upgrade", "plan")).toEqual({ plan: fields });
    const text = await line.text("query", "upgrade", "plan");
    expect(text).toMatch(
      /^plan:\n {2}height: "40"\n {2}info: '[^']+'\n {2}name: v2\n {2}time: "0001-01-01T00:00:00Z"\n {2}upgraded_client_state: null\nleft:\n {2}blocks: \d+ after \d+\n/,
    );
    expect(text).toMatch(
      / {2}in: .+ ±.+, at 5\.000 s a block\n {2}utc: Thursday, 1 January 2026 at 00:03:15 UTC\n {2}local: /,
    );
    const { estimate } = await line.json("query", "upgrade", "plan", "--estimate");
    expect(estimate).toMatchObject({ block_seconds: "5.000", time: "2026-01-01T00:03:15.000Z" });
    expect(await line.json("query", "gov", "proposal", "2")).toMatchObject({
      proposal: { status: "PROPOSAL_STATUS_REJECTED" },
    });
  });

  test("the halt, the new version, and query upgrade applied → the block record", async () => {
    await stopped(node as Running);
    expect((await line.runNode("--app-version", "1")).exit).toBe(10);
    expect((await line.run(["pre-upgrade"])).exit).toBe(0);
    node = await line.startNode();
    await expect.poll(() => line.json("query", "upgrade", "plan"), { timeout: 30_000 }).toEqual({ plan: null });
    // Nothing is due any more, so it is no 31, although the node has the home.
    expect((await line.run(["pre-upgrade"])).exit).toBe(0);
    expect((await line.run(["rollback"])).exit).toBe(30);
    await line.run(["tx", "bank", "send", "alice", BOB, "5ustake", "--yes", "-b", "block"]);
    expect(shapeOf(await line.text("query", "upgrade", "applied", "v2"))).toMatchInlineSnapshot(`
      "block_id:
        hash: <hash>
        parts:
          hash: <hash>
          total: 1
      block_size: "576"
      header:
        app_hash: <hash>
        chain_id: demo-1
        consensus_hash: <hash>
        data_hash: <hash>
        evidence_hash: <hash>
        height: "40"
        last_block_id:
          hash: <hash>
          parts:
            hash: <hash>
            total: 1
        last_commit_hash: <hash>
        last_results_hash: <hash>
        next_validators_hash: <hash>
        proposer_address: <address>
        time: "2026-01-01T00:03:15Z"
        validators_hash: <hash>
        version:
          block: "11"
      num_txs: "0"
      "
    `);
    const id = { hash: "<hash>", parts: { total: 1, hash: "<hash>" } };
    expect(JSON.parse(shapeOf(JSON.stringify(await line.json("query", "upgrade", "applied", "v2"))))).toMatchObject({
      block_id: id,
      header: { version: { block: "11" }, chain_id: "demo-1", height: PLAN_HEIGHT, last_block_id: id },
      num_txs: "0",
    });
  });

  test("query upgrade receipt → with a proof that was verified; module versions and plan are the new ones", async () => {
    const answer = await line.json("query", "upgrade", "receipt", "v2");
    expect(answer).toMatchObject({
      receipt: { plan: "v2", height: PLAN_HEIGHT, handler_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      proof: { ops: [{ type: "ics23:iavl" }, { type: "ics23:simple" }] },
    });
    expect(await line.json("query", "upgrade", "module_versions", "bank")).toEqual({
      module_versions: [{ name: "bank", version: "2" }],
    });
    expect(await line.json("query", "upgrade", "plan")).toEqual({ plan: null });
    expect(await line.json("query", "bank", "balances", BOB)).toMatchObject({
      balances: [{ denom: "ustake", amount: "5" }],
    });
  });

  test("stdout is one JSON object with -o json, whatever is asked", async () => {
    const asked = [
      ...[
        "status",
        "version",
        "version --long",
        "config view client",
        "config view app --sources",
        "config home",
        "config get node",
      ],
      ...["keys list", "keys list -n", "keys show alice", "keys show alice -a", "keys mnemonic", "genesis validate"],
      ...[
        "query block",
        "query block 40",
        "query block-results 40",
        "query gov params",
        "query bank total",
        "query auth module-accounts",
      ],
      ...[
        "query auth module-account gov",
        `query auth account ${alice}`,
        `query bank balance ${alice} ustake`,
        "query gov deposits 1",
      ],
      ...[
        `query gov vote 1 ${alice}`,
        `tx bank send alice ${BOB} 1ustake --dry-run`,
        `tx bank send alice ${BOB} 1ustake --generate-only`,
      ],
    ];
    for (const words of asked) {
      const { exit, stdout, stderr } = await line.run([...words.split(" "), "-o=json"]);
      if (words.startsWith("query gov vote")) expect(exit).toBe(3);
      else expect(exit, `${words}: ${stderr}`).toBe(0);
      if (exit === 0) expect(stdout.trimEnd().split("\n"), words).toHaveLength(1);
      if (exit === 0) JSON.parse(stdout);
    }
  });

  test("software-upgrade --handler → the plan pins the file; what it may do is read before it is sent, and by voters", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-proposed-"));
    try {
      const file = join(folder, "v3.wasm");
      const stores = [{ name: "bank", access: "rw" }];
      const versions = { bank: { from: [2], to: 3 } };
      writeFileSync(file, build(guest(), { name: "v3", stores, versions, storeUpgrades: { deleted: ["old"] } }));
      const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
      const info = `{"handler":{"sha256":"${sha256}"},"binaries":{"any":"https://example.com/v3?checksum=sha256:${sha256}"}}`;
      const binaries = `{"binaries":{"any":"https://example.com/v3?checksum=sha256:${sha256}"}}`;
      const words = [
        ...["tx", "upgrade", "software-upgrade", "v3", "--title=T", "--deposit=10000000ustake", "--from", "alice"],
        ...["--upgrade-height", "1000", "--upgrade-info", binaries, "--handler", file],
      ];
      const refused = await line.run(words, "n\n");
      expect([refused.exit, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toContain("cancelled");
      const [shown, asked] = [refused.stderr.indexOf("DELETES STORE"), refused.stderr.indexOf('{"body":')];
      expect(shown).toBeGreaterThan(-1);
      expect(asked).toBeGreaterThan(shown);
      expect(refused.stderr).toContain("  writes stores    bank\n");
      expect(await line.json(...words, "--dry-run")).toHaveProperty("gas_estimate");
      const made = await line.json(...words, "--generate-only");
      expect(made).toMatchObject({
        body: { messages: [{ messages: [{ plan: { name: "v3", info } }], summary: expect.stringContaining(sha256) }] },
      });
      await line.json(...words, "--yes", "-b", "block");
      const { proposals } = (await line.json("query", "gov", "proposals", "--reverse")) as { proposals: object[] };
      expect(proposals[0]).toMatchObject({
        messages: [{ plan: { name: "v3", height: "1000", info } }],
        summary: expect.stringMatching(/DELETES STORE: old, with everything in it.*\nreads stores/s),
      });
      const given = await line.json(...words, "--summary", "Mine", "--generate-only");
      expect(given).toMatchObject({ body: { messages: [{ summary: "Mine" }] } });

      const other = await line.run(words.with(3, "v4"));
      expect([other.exit, other.stdout]).toEqual([2, ""]);
      expect(other.stderr).toContain('is for plan "v3", and the proposal is for "v4"');
      writeFileSync(file, "no wasm");
      const bad = await line.run([...words, "--no-validate"]);
      expect([bad.exit, bad.stdout]).toEqual([21, ""]);
      expect(bad.stderr).toContain(`chaind handler check ${file}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("generate-only, sign, broadcast → the same as sending at once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-files-"));
    try {
      const [unsigned, signed] = [join(folder, "unsigned.json"), join(folder, "signed.json")];
      const made = await line.run([
        "tx",
        "bank",
        "send",
        "alice",
        BOB,
        "7ustake",
        "--generate-only",
        "--note",
        "a <note>",
      ]);
      writeFileSync(unsigned, made.stdout);
      writeFileSync(signed, (await line.run(["tx", "sign", unsigned, "--from", "alice"])).stdout);
      expect((await line.run(["tx", "broadcast", unsigned])).exit).toBe(2);
      const sent = await line.run(["tx", "broadcast", signed, "-b", "block"]);
      expect(sent.exit, sent.stderr).toBe(0);
      expect(JSON.parse(sent.stdout)).toMatchObject({ code: 0, tx: { body: { memo: "a <note>" } } });
      expect(await line.json("query", "bank", "balance", BOB, "ustake")).toMatchObject({ balance: { amount: "12" } });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("rollback takes back the last block; export leads to a chain with the same balances and powers", async () => {
    const before = (await line.json("query", "bank", "total"))["supply"];
    const account = await line.json("query", "auth", "account", alice);
    const { sync_info } = (await line.json("status")) as { sync_info: { latest_block_height: string } };
    await stopped(node as Running);
    node = undefined;
    const height = BigInt(sync_info.latest_block_height);
    expect(await line.json("rollback")).toMatchObject({ height: String(height - 1n), removed: String(height) });
    const exported = (await line.run(["export"])).stdout;
    const next = new CommandLine();
    writeFileSync(`${next.home}.json`, exported);
    await next.json("init", "next", "--chain-id", "demo-2", "--genesis", `${next.home}.json`);
    expect(await next.json("genesis", "validate")).toMatchObject({
      app_version: "2",
      initial_height: String(height),
      validators: "1",
    });
    const asked = await next.startNode();
    try {
      expect((await next.json("query", "bank", "total"))["supply"]).toEqual(before);
      expect(await next.json("query", "bank", "balance", BOB, "ustake")).toMatchObject({ balance: { amount: "12" } });
      expect(await next.json("query", "gov", "proposal", "1")).toMatchObject({
        proposal: { status: "PROPOSAL_STATUS_PASSED" },
      });
      expect(await next.json("query", "auth", "account", alice)).toEqual(account);
    } finally {
      await stopped(asked);
    }
    const again = JSON.parse((await next.run(["export", "--height", String(height)])).stdout) as { app_state: object };
    expect(again.app_state).toEqual((JSON.parse(exported) as { app_state: object }).app_state);
    rmSync(`${next.home}.json`);
    expect(readFileSync(join(line.home, "config", "client.toml"), "utf8")).toContain('chain-id = "demo-1"');
  });
});
