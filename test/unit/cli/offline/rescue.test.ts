/** What a report has of a home, and that nothing of it is a secret. */

import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fromBase64, toHex } from "../../../../host/base/text/bytes.js";
import { rescue } from "../../../../host/cli/offline/rescue/rescue.js";
import { Secrets } from "../../../../host/cli/offline/rescue/secrets.js";
import { openSettings } from "../../../../host/cli/offline/rescue/settings.js";
import { DIST, TestHome } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { SPLIT_BALANCES } from "../../../scenario/versions.js";

const MNEMONIC = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
const HANDLERS = join(DIST, "handlers");

/** A home that an upgrade failed in, with secrets in all the places that it should not have them in. */
function failed(): { readonly home: TestHome; readonly secrets: readonly string[]; readonly log: string } {
  const home = new TestHome().schedule({ name: "v2", height: 4n, info: "see the forum" }, 3n);
  withNode({ path: home.path, handlers: HANDLERS }, (node) => makeBlocksUpTo(node, 5n));
  const at = (...names: string[]) => join(home.path, ...names);
  mkdirSync(at("handlers/staged"), { recursive: true });
  cpSync(SPLIT_BALANCES, at("handlers/staged/v3.wasm"));
  writeFileSync(at("handlers/staged/key.wasm"), "-----BEGIN PRIVATE KEY----- of mine");
  mkdirSync(at("keyring-file"));
  const ring = "u7N0bXkgc2VjcmV0IGtleXJpbmcgcmVjb3Jk";
  writeFileSync(at("keyring-file/alice.info"), JSON.stringify({ name: "alice", private: ring }));
  mkdirSync(at("data/receipts"), { recursive: true });
  writeFileSync(at("data/receipts/v2.json"), JSON.stringify({ plan: "v2", note: MNEMONIC }));
  const key = (file: string) => {
    const { priv_key } = JSON.parse(readFileSync(at("config", file), "utf8")) as { priv_key: { value: string } };
    return priv_key.value;
  };
  const keys = [key("priv_validator_key.json"), key("node_key.json")];
  const seed = toHex(fromBase64(keys[0] as string).subarray(0, 32));
  const halt = {
    v: 1,
    code: "UPG_MIGRATION_STUCK",
    height: "6",
    message: `left ${keys[1]}`,
    handler: { file: at("handlers/staged/v3.wasm") },
  };
  writeFileSync(home.data("halt.json"), JSON.stringify(halt));
  appendFileSync(
    at("config/app.toml"),
    '\n[telemetry]\nauth-token = "hunter2hunter2"\nconn = "postgresql://ops:hunter3@db/x"\n# my seed: hunter4\n',
  );
  const log = at("node.log");
  writeFileSync(
    log,
    `INF block made\nERR ${seed}\nwords ${MNEMONIC}\ncall https://ops:hunter3@node/x\npassword=hunter2pass Authorization: Bearer hunter3\n${MNEMONIC.toUpperCase()}\nlast line\n`,
  );
  return {
    home,
    log,
    secrets: [
      ...keys,
      seed,
      ring,
      "hunter2",
      "hunter3",
      "hunter4",
      "abandon abandon",
      "ABANDON ABANDON",
      "PRIVATE KEY",
    ],
  };
}

describe("rescue()", () => {
  test("a home whose upgrade failed → what a report needs; none of its secrets is in the archive, packed or not", () => {
    const { home, secrets, log } = failed();
    const out = join(home.path, "..", "report.tar.gz");
    const rescued = rescue(exampleChain, home.path, { out, log });
    const names = execFileSync("tar", ["-tzf", out], { encoding: "utf8" }).trim().split("\n");
    expect(names).toEqual(rescued.entries.map(({ name }) => name));
    expect(names).toEqual(
      expect.arrayContaining([
        "report.json",
        "halt.json",
        "settings/app.toml",
        "receipts/v2.json",
        "handlers/v3.wasm",
        "log.txt",
      ]),
    );
    expect(names.filter((name) => /key|priv|ring/.test(name))).toEqual([]);
    const bytes = gunzipSync(readFileSync(out));
    for (const secret of secrets) expect(bytes.includes(secret), secret).toBe(false);
    expect(rescued.cleaned).toBeGreaterThan(2);
    expect(rescued.problems.join("\n")).toContain("key.wasm is no WebAssembly module");
    expect(statSync(out).mode & 0o077).toBe(0);
    const entry = (name: string) => execFileSync("tar", ["-xzOf", out, name], { encoding: "utf8" });
    expect(entry("log.txt")).toContain("last line");
    expect(JSON.parse(entry("report.json"))).toMatchObject({
      program: { name: "chaind" },
      state: {
        ...{
          height: "5",
          chain_id: { is: "scenario-1" },
          engine: "embedded",
          versions_held: [{ height: "3", plan: "v2" }],
        },
        upgrade: { plan: null, last_applied: { name: "v2", height: "4" } },
      },
    });
    expect(entry("settings/app.toml")).toContain('auth-token = "[removed]"');
  });

  test.each([
    ["gzip", gzipSync("a line")],
    ["zstd", Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0)],
  ])("a log in %s → left out, and what to do", (name, bytes) => {
    const { home } = failed();
    const log = join(home.path, "node.log.1");
    writeFileSync(log, bytes);
    const { entries, problems } = rescue(exampleChain, home.path, { out: join(home.path, `${name}.tar.gz`), log });
    expect(entries.map((entry) => entry.name)).not.toContain("log.txt");
    expect(problems.join("\n")).toContain(`${log} is compressed (${name}): unpack it`);
  });

  test("a damaged database, no log, no data, twice → what is there, and a line for what is not", () => {
    const { home } = failed();
    writeFileSync(home.data("chain.mdb"), "no database");
    const out = join(home.path, "damaged.tar.gz");
    const rescued = rescue(exampleChain, home.path, { out, log: join(home.path, "absent.log") });
    expect(rescued.problems.join("\n")).toContain("absent.log");
    const report = execFileSync("tar", ["-xzOf", out, "report.json"], { encoding: "utf8" });
    expect(JSON.parse(report)).toMatchObject({ state: { problem: expect.stringContaining("no LMDB database") } });
    expect(rescue(exampleChain, home.path, { out }).file).toBe(rescued.file);
    expect(() => rescue(exampleChain, join(home.path, "none"), { out })).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_CONFIG" }),
    );
    expect(() => rescue(exampleChain, home.path, { out: home.data("chain.mdb") })).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }),
    );
  });

  test("the command beside a node that runs → the list of what is in it", async () => {
    const { home } = failed();
    const node = home.startSlowly("--handlers", HANDLERS);
    await node.says("block made");
    const args = [join(DIST, "chaind.js"), "rescue", "--home", home.path, "--out", join(home.path, "live.tar.gz")];
    const end = spawnSync(process.execPath, args, { encoding: "utf8" });
    node.child.kill("SIGTERM");
    await node.end;
    expect(end.stderr).toBe("");
    expect(end.stdout).toContain("no keys, look through it before you send it");
    expect(end.stdout).toContain("report.json");
  });
});

describe("openSettings()", () => {
  test("numbers, switches, times, addresses and names → kept; other texts, comments, rows → not", () => {
    const toml =
      'a = 1 # key\n# token\n[rpc]\nladdr = "tcp://127.0.0.1:26657"\nmoniker = "me"\ntime = "1m30s"\nx = "abc"\nlist = ["s"]\nlog = """\nsecret\n"""';
    expect(openSettings(toml)).toBe(
      'a = 1\n[rpc]\nladdr = "tcp://127.0.0.1:26657"\nmoniker = "me"\ntime = "1m30s"\nx = "[removed]"\nlist = "[removed]"\nlog = "[removed]"',
    );
  });
});

describe("Secrets", () => {
  test("twelve words in a row, across lines and quotes → removed; a line of English → kept", () => {
    const none = new Secrets([]);
    expect(none.without(`x ${MNEMONIC.replaceAll(" ", '", "')} y`)).toBe("x [removed] y");
    const sentence = "the node halted before the upgrade and the operator did start it again with the new program";
    expect(none.without(sentence)).toBe(sentence);
    expect(none.without("at http://me:pw@host/x")).toBe("at http://[removed]@host/x");
  });

  test("a mnemonic in upper case, in capitals, numbered, in a text of JSON → removed, and what is around it stays", () => {
    const words = MNEMONIC.split(" ");
    const written = [
      MNEMONIC.toUpperCase(),
      words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join(" "),
      words.map((word, at) => `${at + 1}. ${word}`).join("\n"),
      words.join("\\n"),
      words.join(" | "),
    ];
    for (const text of written) {
      expect(new Secrets([]).without(`INF zz ${text} yy\nlast line 12`)).toMatch(
        /^INF zz (1\. )?\[removed\] yy\nlast line 12$/,
      );
    }
  });

  test("values of names, of headers, of flags, keys of any home → removed; names, numbers and prose beside them → kept", () => {
    const none = new Secrets([]);
    const secret = "hunter2pass";
    for (const [text, expected] of [
      [`password=${secret} height=12`, "password=[removed] height=12"],
      [`PASSWORD: ${secret}`, "PASSWORD: [removed]"],
      [`DB_PASSWD='${secret} with words' x`, "DB_PASSWD='[removed]' x"],
      [`token=${secret}&limit=5`, "token=[removed]"],
      [`{"access_token": "${secret}", "height": "5"}`, '{"access_token": "[removed]", "height": "5"}'],
      [`"{\\"api_key\\":\\"${secret}\\",\\"a\\":1}"`, '"{\\"api_key\\":\\"[removed]\\",\\"a\\":1}"'],
      [`Authorization: Bearer ${secret}\nnext`, "Authorization: [removed]\nnext"],
      [`authorization: Basic b3BzOmh1bnRlcjM=`, "authorization: [removed]"],
      [`sent bearer ${secret}.x.y to it`, "sent bearer [removed] to it"],
      [
        `chaind keys add --keyring-password ${secret} --home n`,
        "chaind keys add --keyring-password [removed] --home n",
      ],
      [
        `{"type":"tendermint/PrivKeyEd25519","value":"${secret}"}`,
        '{"type":"tendermint/PrivKeyEd25519","value":"[removed]"}',
      ],
      [`-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\nz`, "[removed]\nz"],
      ['seeds = "a@1.2.3.4:26656" seed_mode = true tokens: 5', 'seeds = "a@1.2.3.4:26656" seed_mode = true tokens: 5'],
      ['auth-token = "[removed]" token=[removed]', 'auth-token = "[removed]" token=[removed]'],
    ] as const) {
      expect(none.without(text)).toBe(expected);
    }
  });
});
