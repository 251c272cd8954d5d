/** The specification's command lines, word for word, on a real chain: text and JSON, before, during and after an upgrade. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build, guest } from "../guest/build.js";
import type { Running } from "./chaind.js";
import { CommandLine, stopped } from "./command-line.js";

const line = new CommandLine();
let node: Running | undefined;
let alice = "";
const bob = "cosmos15pr9t0halmcqsc3fpujk2eanwnqw4qv03kk9y7";
const GOV = "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn";
const PLAN_HEIGHT = "40";
const INFO =
  '{ "binaries": { "linux/amd64":"https://example.com/simd.zip?checksum=sha256:aec070645fe53ee3b3763059376134f058cc337247c978add178b6ccdfb0019f" } }';

/** Hashes and addresses of validators hang on what is in state; their places are what is held here. */
const shapeOf = (text: string) => text.replace(/\b[0-9A-F]{64}\b/g, "<hash>").replace(/\b[0-9A-F]{40}\b/g, "<address>");

beforeAll(async () => {
  await line.run(["init", "moniker", "--chain-id", "demo-1"]);
  const key = "c4a48e2fce1481cd3294b4490f6678090ea98d3d0e5cd984558ab0968741b104";
  alice = String((await line.json("keys", "import-hex", "alice", key))["address"]);
  await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator");
  line.editGenesis((genesis) => {
    genesis.genesis_time = "2026-01-01T00:00:00Z";
    Object.assign(genesis.app_state.gov.params, { voting_period: "60s", max_deposit_period: "60s" });
    Object.assign(genesis.app_state.staking.params, { max_validators: 7, unbonding_time: "60s" });
  });
  node = await line.startNode("--app-version", "1");
}, 120_000);

afterAll(async () => {
  if (node) await stopped(node);
});

describe("before a plan", () => {
  test("query upgrade --help → lists the query commands", async () => {
    const help = await line.run(["query", "upgrade", "--help"]);
    expect(help).toMatchObject({ exit: 0, stderr: "" });
    expect(help.stdout).toMatchInlineSnapshot(`
      "Querying commands for the upgrade module

      Usage:
        chaind query upgrade [flags]
        chaind query upgrade [command]

      Available Commands:
        applied           Query the block header for height at which a completed upgrade was applied
        authority         Query the account that may schedule and cancel upgrades
        module_versions   Query the list of module versions
        plan              Query the upgrade plan (if one exists)
        progress          Query how far the upgrade has come that the node is making
        readiness         Query how much power has attested a plan, with which file and result
        receipt           Query what the handler of a completed upgrade did, with its proof

      Flags:
        -h, --help   help for upgrade

      Global Flags:
            --chain-id string     chain id (default: that of client.toml, else the node's)
            --home string         folder of configuration and data (default "~/.chaind")
            --log_format string   format of logs (plain|json) (default "plain")
            --log_level string    least level of logs (trace|debug|info|warn|error|fatal|silent) (default "info")
            --log_no_color        logs without colours, on a terminal too
        -o, --output string       format of results; --json is the same as -o json (text|json)
            --trace               print the stack of errors

      Use "chaind query upgrade [command] --help" for more information about a command.
      "
    `);
  });

  test.each<[string, string, object]>([
    ["query upgrade plan", "no upgrade scheduled\n", { plan: null }],
    ["q upgrade plan --height 1", "no upgrade scheduled\n", { plan: null }],
    [
      "query staking params",
      'params:\n  bond_denom: ustake\n  historical_entries: 10000\n  max_entries: 7\n  max_validators: 7\n  min_commission_rate: "0.000000000000000000"\n  unbonding_time: 60s\n',
      {
        params: {
          ...{ unbonding_time: "60s", max_validators: 7, max_entries: 7, historical_entries: 10_000 },
          ...{ bond_denom: "ustake", min_commission_rate: "0.000000000000000000" },
        },
      },
    ],
    ["query upgrade authority", `address: ${GOV}\n`, { address: GOV }],
    [
      "query upgrade module_versions bank",
      'module_versions:\n- name: bank\n  version: "1"\n',
      { module_versions: [{ name: "bank", version: "1" }] },
    ],
    [
      "query upgrade module-versions",
      ["auth", "bank", "gov", "staking", "upgrade"].reduce(
        (text, name) => `${text}- name: ${name}\n  version: "1"\n`,
        "module_versions:\n",
      ),
      { module_versions: ["auth", "bank", "gov", "staking", "upgrade"].map((name) => ({ name, version: "1" })) },
    ],
  ])("%s", async (words, text, json) => {
    expect(await line.text(...words.split(" "))).toBe(text);
    expect(await line.json(...words.split(" "))).toEqual(json);
  });

  test.each<[string, number, string]>([
    ["query upgrade applied v2", 3, "no upgrade found"],
    ["query upgrade receipt v2", 3, "no receipt"],
    ["query upgrade module_versions nope", 3, "module version not found"],
    ["query upgrade plan --height 999999", 3, "999999"],
    ["query upgrade applied", 2, "accepts 1 arg(s), received 0"],
    ["query upgrade nope", 2, 'unknown command "nope" for "chaind query upgrade"'],
    ["query upgrade plna", 2, 'did you mean "plan"?'],
    ["query upgrade plan --nope", 2, "unknown flag: --nope"],
    ["query upgrade plan --height x", 2, 'invalid argument "x" for "--height" flag'],
    ["query upgrade plan --height", 2, "flag needs an argument: --height"],
    ["query upgrade plan -o yaml", 2, "--output"],
    ["query upgrade plan --node tcp://127.0.0.1:1", 1, "connection refused"],
    ["query upgrade plan --node nonsense://x", 2, "nonsense"],
    ["query tx nope", 2, "64 hex digits"],
    [`query tx ${"0".repeat(64)}`, 3, "not found"],
    ["query gov proposal 9", 3, "proposal 9 doesn't exist"],
    ["query gov proposal x", 2, "proposal-id"],
    ["query auth account nope", 2, "bech32"],
    ["tx upgrade nope", 2, 'unknown command "nope" for "chaind tx upgrade"'],
    ["tx upgrade software-upgrade", 2, "accepts 1 arg(s), received 0"],
    ["tx upgrade software-upgrade v9 --title t --summary s", 2, 'required flag(s) "upgrade-height" not set'],
    [
      "tx upgrade software-upgrade v9 --upgrade-height 500 --from alice --summary s",
      2,
      'required flag(s) "title" not set',
    ],
    ["tx upgrade cancel-software-upgrade --from alice", 2, 'required flag(s) "title" not set'],
    ["tx upgrade software-upgrade v9 --title t --summary s --upgrade-height -5 --from alice", 2, "greater than 0"],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height abc --from alice",
      2,
      'invalid argument "abc"',
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --from alice",
      2,
      "plan info must not be blank",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --from alice --upgrade-info {}",
      2,
      'no "binaries" entries found',
    ],
    [
      'tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --from alice --upgrade-info {"binaries":{"linux/amd64":"http://127.0.0.1:1/x"}}',
      2,
      "missing checksum query parameter",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --deposit 12 --no-validate --from alice",
      2,
      "invalid deposit",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --no-validate --from alice --authority cosmos1bad",
      2,
      "invalid authority address",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --no-validate --from nobody",
      3,
      'no key "nobody"',
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --no-validate",
      2,
      'required flag(s) "from" not set',
    ],
    ["tx bank send alice nope 5ustake", 2, "bech32"],
    [`tx bank send alice ${bob} 5`, 2, "invalid decimal coin expression: 5"],
    [`tx bank send alice ${bob} 5ustake`, 2, "--yes"],
    [`tx bank send alice ${bob} 5ustake -y --chain-id other-1`, 2, "other-1"],
    [`tx bank send alice ${bob} 999999999999ustake -y --gas 200000 -b block`, 1, "insufficient funds"],
    ["tx gov vote 1 maybe --from alice", 2, "not a valid vote option"],
  ])("%s → exit %i, one line on stderr, JSON with -o json", async (words, exit, message) => {
    const args = words.match(/\{.*\}|\S+/g) ?? [];
    const asText = await line.run(args);
    expect(asText.exit, asText.stderr).toBe(exit);
    expect(asText.stderr).toContain(message);
    expect(asText.stderr.trimEnd().split("\n").at(-1)).toMatch(/^Error: .* \[UPG_[A-Z_]+\]$/);
    if (words.includes("-o yaml")) return;
    const asJson = await line.run(["-o", "json", ...args]);
    expect(asJson.exit, asJson.stderr).toBe(exit);
    const error = JSON.parse(asJson.stderr.trimEnd().split("\n").at(-1) ?? "") as Record<string, string>;
    expect(Object.keys(error)).toEqual(["error", "code"]);
    expect(error["error"]).toContain(message);
    if (asJson.stdout !== "") JSON.parse(asJson.stdout);
  });

  test("--generate-only → the Cosmos SDK's unsigned transaction, byte for byte, without a node", async () => {
    const end = await line.run(
      [
        ...["tx", "upgrade", "software-upgrade", "v9", "--title", "t", "--summary", "s", "--deposit", "1000stake"],
        ...["--upgrade-height", "500", "--upgrade-info", "some text", "--no-validate", "--generate-only"],
        ...["--from", bob, "--node", "tcp://127.0.0.1:1"],
      ],
      "",
    );
    expect(end).toMatchObject({ exit: 0, stderr: "" });
    expect(end.stdout).toBe(
      `{"body":{"messages":[{"@type":"/cosmos.gov.v1.MsgSubmitProposal","messages":[{"@type":"/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade","authority":"${GOV}","plan":{"name":"v9","time":"0001-01-01T00:00:00Z","height":"500","info":"some text","upgraded_client_state":null}}],"initial_deposit":[{"denom":"stake","amount":"1000"}],"proposer":"${bob}","metadata":"","title":"t","summary":"s","expedited":false}],"memo":"","timeout_height":"0","unordered":false,"timeout_timestamp":null,"extension_options":[],"non_critical_extension_options":[]},"auth_info":{"signer_infos":[],"fee":{"amount":[],"gas_limit":"200000","payer":"","granter":""},"tip":null},"signatures":[]}\n`,
    );
  });
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
    await line.run(["tx", "bank", "send", "alice", bob, "5ustake", "--yes", "-b", "block"]);
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
    expect(await line.json("query", "bank", "balances", bob)).toMatchObject({
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
        `tx bank send alice ${bob} 1ustake --dry-run`,
        `tx bank send alice ${bob} 1ustake --generate-only`,
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
        bob,
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
      expect(await line.json("query", "bank", "balance", bob, "ustake")).toMatchObject({ balance: { amount: "12" } });
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
      expect(await next.json("query", "bank", "balance", bob, "ustake")).toMatchObject({ balance: { amount: "12" } });
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
