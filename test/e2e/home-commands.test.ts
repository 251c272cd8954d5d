/** What `chaind` does with a home: settings, keys, genesis, and governance beside upgrades. Real processes. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { DIST, TestHome } from "./chaind.js";
import { CommandLine, stopped } from "./command-line.js";

const PASSWORD = "correct horse";
const MNEMONIC = `${"abandon ".repeat(11)}about`;
const ADDRESS = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4";

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? "";

describe("a new home", () => {
  test("init → keys, settings and a document; again → refused; a chain without a validator does not start", async () => {
    const line = new CommandLine();
    expect(await line.json("init", "one", "--chain-id", "demo-1")).toMatchObject({ chain_id: "demo-1" });
    for (const file of ["genesis.json", "client.toml", "app.toml", "priv_validator_key.json", "node_key.json"]) {
      expect(existsSync(join(line.home, "config", file)), file).toBe(true);
    }
    expect((await line.run(["init", "two"])).exit).toBe(2);
    const started = await line.runNode("--max-blocks", "1");
    expect(started.exit).toBe(2);
    expect(lastLine(started.stderr)).toContain("chaind genesis add-account");
    expect(existsSync(join(line.home, "data", "chain.mdb"))).toBe(false);
    await line.json("init", "two", "--overwrite", "--chain-id", "demo-2");
    expect(readFileSync(join(line.home, "config", "client.toml"), "utf8")).toContain('chain-id = "demo-2"');
    for (const offline of [["export"], ["rollback"]]) expect((await line.run(offline)).exit).toBe(2);
  });

  test("config get, set, view → what a file says; a flag and the environment count more", async () => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    expect((await line.run(["config", "set", "node", "tcp://127.0.0.1:2"])).exit).toBe(0);
    expect(await line.text("config", "get", "client", "node")).toBe("tcp://127.0.0.1:2\n");
    expect(await line.json("config", "get", "app", "api.address")).toEqual({ "api.address": "tcp://127.0.0.1:1317" });
    expect((await line.run(["config", "get", "nope"])).exit).toBe(2);
    expect((await line.run(["status"])).stderr).toContain("tcp://127.0.0.1:2");
    expect((await line.run(["status"], "", { CHAIND_NODE: "tcp://127.0.0.1:3" })).stderr).toContain(
      "tcp://127.0.0.1:3",
    );
    expect((await line.run(["status", "--node", "tcp://127.0.0.1:4"])).stderr).toContain("tcp://127.0.0.1:4");
    expect(await line.json("config", "view", "client", "--sources")).toMatchObject({
      "keyring-backend": { value: "test", source: "CHAIND_KEYRING_BACKEND" },
      node: { value: "tcp://127.0.0.1:2" },
    });
    writeFileSync(join(line.home, "config", "client.toml"), "node = \n");
    const broken = await line.run(["status"]);
    expect(broken.exit).toBe(2);
    expect(broken.stderr).toContain("client.toml, line 1");
  });
});

describe("a question that nobody answers", () => {
  test("keys add at the end of a pipe → 2, what was asked and how to answer it", async () => {
    const line = new CommandLine();
    await line.json("init", "one");
    const { exit, stderr } = await line.run(["keys", "add", "carol", "--keyring-backend", "file"], "");
    expect(exit).toBe(2);
    expect(stderr).toContain('no answer to "A new password for the keyring in ');
    expect(stderr).toContain("run the command at a terminal, or pipe the answers to it, a line each");
  });
});

describe("config set", () => {
  test.each([
    [["client", "nod", "x"], 'there is no setting "nod" in client.toml (did you mean "node"?)'],
    [["nod", "x"], 'there is no setting "nod" in client.toml (did you mean "node"?)'],
    [["app", "api.adress", "x"], 'there is no setting "api.adress" in app.toml (did you mean "api.address"?)'],
    [["app", "frobnicate", "x"], 'there is no setting "frobnicate" in app.toml; see'],
    [["client", "halt-height", "5"], "halt-height is a setting of app.toml: chaind config set app halt-height"],
    [["app", "node", "x"], "node is a setting of client.toml: chaind config set client node"],
    [["client", "home", "/x"], 'there is no setting "home" in client.toml'],
  ])("%j → 2, and the file is as it was", async (args, message) => {
    const line = new CommandLine();
    await line.json("init", "one");
    const files = () =>
      ["client", "app"].map((name) => readFileSync(join(line.home, "config", `${name}.toml`), "utf8"));
    const before = files();
    const { exit, stderr } = await line.run(["config", "set", ...args]);
    expect(stderr).toContain(message);
    expect(exit).toBe(2);
    expect(files()).toEqual(before);
  });

  test("a value that no command takes → 2 and what is expected, and the file is as it was", async () => {
    const line = new CommandLine();
    await line.json("init", "one");
    const files = () =>
      ["client", "app"].map((name) => readFileSync(join(line.home, "config", `${name}.toml`), "utf8"));
    const before = files();
    const wrong: readonly [args: readonly string[], message: string][] = [
      [["client", "node", "tcp://"], 'invalid value "tcp://" of the setting node: "tcp://" is no address of a node'],
      [["client", "broadcast-mode", "later"], 'invalid value "later" of the setting broadcast-mode'],
      [["app", "api.address", "nowhere"], "of the setting api.address: expected an address such as"],
      [["app", "api.enable", "maybe"], 'invalid value "maybe" of the setting api.enable: expected true or false'],
      [["app", "block-time", "soon"], "of the setting block-time: expected a duration such as"],
      [["app", "halt-height", "-1"], "of the setting halt-height: expected a block height"],
      [["app", "minimum-gas-prices", "one stake"], 'invalid value "one stake" of the setting minimum-gas-prices'],
      [["app", "limits.max-requests", "0"], "of the setting limits.max-requests: expected more than 0"],
      [["app", "index-events", "[1]"], 'invalid value "[1]" of the setting index-events: expected a,b or ["a", "b"]'],
      [["app", "rpc.cors-allowed-origins", '["https://a"'], "expected a,b or"],
    ];
    for (const [args, message] of wrong) {
      const { exit, stderr } = await line.run(["config", "set", ...args]);
      expect(stderr).toContain(message);
      expect(exit).toBe(2);
    }
    expect(files()).toEqual(before);
    const two = before[1]?.replace("cors-allowed-origins = []", 'cors-allowed-origins = ["https://a", "https://b"]');
    for (const [value, file] of [
      ["https://a,https://b", two],
      ["[]", before[1]],
      ['["https://a", "https://b"]', two],
    ] as const) {
      expect((await line.run(["config", "set", "app", "rpc.cors-allowed-origins", value])).exit).toBe(0);
      expect(files()[1]).toBe(file);
    }
  });

  test("every setting that init writes → taken, under its own value", async () => {
    const line = new CommandLine();
    await line.json("init", "one");
    for (const name of ["client", "app"]) {
      const settings = await line.json("config", "view", name, "--sources");
      for (const [key, { value }] of Object.entries(settings as Record<string, { value: string }>)) {
        const { exit, stderr } = await line.run(["config", "set", name, key, value]);
        expect(exit, `${name} ${key}: ${stderr}`).toBe(0);
      }
    }
  }, 240_000);
});

describe("a home in trouble", () => {
  const onLinux = existsSync("/dev/full") ? test : test.skip;

  test("export with a genesis document cut in half, or none → the state all the same; before the first block → 2", async () => {
    const line = new CommandLine();
    const { path } = new TestHome().schedule({ name: "v2", height: 9n }, 3n);
    const exported = (await line.json("export", "--home", path))["app_state"] as { auth: object };
    expect(JSON.stringify(exported.auth)).toContain('"name":"gov","permissions":["burner"]');
    const file = join(path, "config", "genesis.json");
    writeFileSync(file, readFileSync(file, "utf8").slice(0, 200));
    const whole = JSON.stringify(exported);
    expect(JSON.stringify((await line.json("export", "--home", path))["app_state"])).toBe(whole);
    rmSync(file);
    expect(JSON.stringify((await line.json("export", "--home", path))["app_state"])).toBe(whole);
    const fresh = new TestHome();
    expect((await fresh.start("--halt-height", "1").end).exit).toBe(13);
    const early = await line.run(["export", "--home", fresh.path]);
    expect(early.exit).toBe(2);
    expect(early.stderr).toContain("no block was made here yet");
  });

  test("start --handlers with a folder that is absent → 2, and nothing is written", async () => {
    const home = new TestHome();
    const end = await home.start("--handlers", join(home.path, "no-such-folder")).end;
    expect(end.exit).toBe(2);
    expect(end.stderr).toContain("no-such-folder");
    expect(existsSync(home.data("chain.mdb"))).toBe(false);
  });

  onLinux("the answer goes to a full disk → 30, in one line", async () => {
    const script = `"${process.execPath}" "${join(DIST, "chaind.js")}" version > /dev/full`;
    const failed = await promisify(execFile)("/bin/sh", ["-c", script]).then(
      () => undefined,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed?.code).toBe(30);
    expect(failed?.stderr).toMatch(/^Error: ENOSPC[^\n]*\[UPG_STORE_IO\]\n$/);
  });
});

describe("keys", () => {
  test("a sealed key from a mnemonic, both by pipe; used with its password, refused without", async () => {
    const line = new CommandLine();
    line.env["CHAIND_KEYRING_BACKEND"] = "file";
    const lines = `${MNEMONIC}\n${PASSWORD}\n${PASSWORD}\n`;
    const added = await line.run(["keys", "add", "alice", "--recover", "-o", "json"], lines);
    expect(added.exit, added.stderr).toBe(0);
    expect(JSON.parse(added.stdout)).toMatchObject({ name: "alice", address: ADDRESS });
    expect(added.stdout + added.stderr).not.toContain("abandon abandon");
    expect(await line.text("keys", "show", "alice", "-a")).toBe(`${ADDRESS}\n`);
    const words = ["keys", "export", "alice", "--unarmored-hex", "--unsafe"];
    expect((await line.run(words, `${PASSWORD}\n`)).stdout).toMatch(/^c4a48e2f[0-9a-f]{56}\n$/);
    for (const input of ["", "\n", "wrong password\n"]) {
      const refused = await line.run(words, input);
      expect([refused.exit, refused.stdout]).toEqual([2, ""]);
    }
    expect((await line.run(["keys", "export", "alice"])).exit).toBe(2);
  });

  test("keys add → the mnemonic on stderr for people, in the answer for machines, and never again", async () => {
    const line = new CommandLine();
    const text = await line.run(["keys", "add", "alice"]);
    expect(lastLine(text.stderr).split(" ")).toHaveLength(24);
    expect(text.stdout).not.toContain(lastLine(text.stderr));
    const json = await line.json("keys", "add", "bob");
    expect(Object.keys(json)).toEqual(["name", "type", "address", "pubkey", "mnemonic"]);
    expect(await line.json("keys", "show", "bob")).not.toHaveProperty("mnemonic");
    expect((await line.run(["keys", "add", "bob"])).exit).toBe(2);
    expect((await line.run(["keys", "delete", "bob"], "n\n")).exit).toBe(2);
    expect((await line.run(["keys", "delete", "bob"], "y\n")).exit).toBe(0);
    expect((await line.run(["keys", "show", "bob"])).exit).toBe(3);
  });
});

describe("governance beside upgrades", () => {
  test("submit-proposal from a file, deposit, weighted-vote, cancel-proposal", async () => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    await line.run(["keys", "add", "alice", "--recover"], `${MNEMONIC}\n`);
    await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator", "50");
    const file = join(line.home, "proposal.json");
    const authority = String(await authorityOf(line));
    const plan = { name: "v2", height: "1000000", info: "" };
    const message = { "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", authority, plan };
    const texts = { metadata: "", deposit: "200000ustake", title: "T", summary: "S", expedited: false };
    writeFileSync(file, JSON.stringify({ messages: [message], ...texts }));
    const node = await line.startNode();
    try {
      const tx = (...words: string[]) => line.json("tx", "gov", ...words, "--from", "alice", "--yes", "-b", "block");
      await tx("submit-proposal", file);
      const first = { id: "1", status: "PROPOSAL_STATUS_DEPOSIT_PERIOD", messages: [message] };
      expect(await line.json("query", "gov", "proposal", "1")).toMatchObject({ proposal: first });
      await tx("deposit", "1", "9800000ustake");
      await tx("weighted-vote", "1", "yes=0.75,no=0.25");
      expect(await line.json("query", "gov", "tally", "1")).toMatchObject({
        tally: { yes_count: "37500000", no_count: "12500000" },
      });
      await tx("submit-proposal", file);
      await tx("cancel-proposal", "2");
      expect((await line.run(["query", "gov", "proposal", "2"])).exit).toBe(3);
      const failed = await line.run([
        "tx",
        "gov",
        "vote",
        "2",
        "yes",
        "--from",
        "alice",
        "-y",
        "-b",
        "block",
        "--gas",
        "200000",
      ]);
      expect(failed.exit).toBe(1);
      expect(JSON.parse(failed.stdout)).toMatchObject({ codespace: "gov", raw_log: expect.stringContaining("2") });
      for (const [text, exit] of [
        ["{", 2],
        ["[]", 2],
        ['{"messages":[{"@type":"/nope"}],"title":"T","summary":"S"}', 2],
      ] as const) {
        writeFileSync(file, text);
        expect((await line.run(["tx", "gov", "submit-proposal", file, "--from", "alice", "-y"])).exit).toBe(exit);
      }
    } finally {
      await stopped(node);
    }
  });
});

async function authorityOf(line: CommandLine): Promise<string> {
  const words = ["tx", "upgrade", "cancel-software-upgrade", "--title", "t", "--summary", "s", "--from", ADDRESS];
  const made = await line.json(...words, "--generate-only");
  return /"authority":"([^"]+)"/.exec(JSON.stringify(made))?.[1] ?? "";
}

describe("rollback", () => {
  test("of a block with a transaction → it is in no block, and can be sent again", async () => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    await line.run(["keys", "add", "alice", "--recover"], `${MNEMONIC}\n`);
    await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator");
    const send = () => line.json("tx", "bank", "send", "alice", ADDRESS, "1ustake", "--yes", "-b", "block");
    let node = await line.startNode();
    const sent = await send();
    await stopped(node);
    const height = BigInt(String(sent["height"]));
    let last: Record<string, unknown> = {};
    while (last["removed"] !== String(height)) last = await line.json("rollback");
    expect(last).toMatchObject({ height: String(height - 1n) });
    node = await line.startNode();
    try {
      expect((await line.run(["query", "tx", String(sent["txhash"])])).exit).toBe(3);
      // By an event, and by the height alone: two indexes.
      for (const query of ["message.module='bank'", "tx.height>0", `tx.height=${height}`]) {
        expect(await line.json("query", "txs", "--query", query)).toMatchObject({ total_count: "0" });
      }
      expect(await send()).toMatchObject({ txhash: sent["txhash"], code: 0 });
    } finally {
      await stopped(node);
    }
  });
});

describe("the program", () => {
  test("completion and help are on stdout; a reader that goes away is no error", async () => {
    const line = new CommandLine();
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      expect((await line.run(["completion", shell])).stdout).toContain("__complete");
    }
    expect((await line.run(["__complete", "--", "query", "upgrade", "pl"])).stdout).toBe(
      "plan\tQuery the upgrade plan (if one exists)\n",
    );
    const help = await line.run(["help", "tx", "upgrade"]);
    expect(help.stdout).toBe((await line.run(["tx", "upgrade", "--help"])).stdout);
    expect(help.stdout).toBe((await line.run(["tx", "upgrade"])).stdout);
    const { stdout, stderr } = await promisify(execFile)("sh", [
      "-c",
      `"${process.execPath}" "${join(DIST, "chaind.js")}" start --help | head -1`,
    ]);
    expect([stdout.split("\n").length, stderr]).toEqual([2, ""]);
  });

  test("version, --version and -v; unknown words and flags → exit 2", async () => {
    const line = new CommandLine();
    const { version } = await line.json("version");
    for (const words of [["version"], ["--version"], ["-v"]])
      expect((await line.run(words)).stdout).toBe(`${version}\n`);
    expect(await line.json("version", "--long")).toMatchObject({
      version,
      app_versions: [{ version: "1" }, { version: "2", plan: "v2" }],
    });
    for (const words of [["nope"], ["--nope"], ["version", "x"], ["help", "nope"]]) {
      const { exit, stdout } = await line.run(words);
      expect([exit, stdout], words.join(" ")).toEqual([2, ""]);
    }
    expect((await line.run(["strat"])).stderr).toContain('did you mean "start"?');
  });
});
