import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import type { Prompt } from "../../../../host/base/terminal/prompt.js";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { verifySignature } from "../../../../host/chain/comet-types/keys.js";
import { addressesOf } from "../../../../host/chain/values/address.js";
import { accountKey, keyFromMnemonic, newMnemonic } from "../../../../host/cli/wallet/derive.js";
import { type Backend, Keyring } from "../../../../host/cli/wallet/keyring.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-keyring-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = () => join(root, String(folders++));
const code = (name: string) => expect.objectContaining({ code: name });

/** Answers questions from a list. */
function answering(...answers: string[]): Prompt {
  const next = async () => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error("nobody answers");
    return answer;
  };
  return { line: next, secret: next, close: () => undefined };
}

const keyring = (folder: string, backend: Backend, ...answers: string[]) =>
  new Keyring({ folder, backend, prompt: answering(...answers), addresses: addressesOf() });

const { encode } = addressesOf();
const KEY = accountKey(new Uint8Array(32).fill(7));
const KEY_ADDRESS = encode(KEY.addressBytes);
const OTHER = accountKey(new Uint8Array(32).fill(8));
const OTHER_ADDRESS = encode(OTHER.addressBytes);
const PASSWORD = "correct horse";

interface KeyCase {
  readonly kind: string;
  readonly signer: Readonly<Record<"mnemonic" | "path" | "private" | "public" | "address", string>>;
}

describe("keyFromMnemonic()", () => {
  const file = join(process.env["VECTORS"] ?? join(import.meta.dirname, "../../../vectors"), "tx.json.gz");
  const { cases } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { cases: KeyCase[] };
  const keys = cases.filter(({ kind }) => kind === "key");

  test("the Cosmos SDK's vectors → the same keys and addresses", () => {
    expect(keys.length).toBeGreaterThan(0);
    for (const { signer } of keys) {
      const { privateKey, publicKey, addressBytes } = keyFromMnemonic(signer.mnemonic, signer.path);
      expect([toHex(privateKey), toHex(publicKey), encode(addressBytes)]).toEqual([
        signer.private,
        signer.public,
        signer.address,
      ]);
    }
  });

  test("capitals and spaces around the words do not count", () => {
    const [{ signer } = { signer: undefined }] = keys;
    const spaced = `  ${signer?.mnemonic.toUpperCase().replaceAll(" ", "\n ")}\n`;
    expect(encode(keyFromMnemonic(spaced).addressBytes)).toBe(signer?.address);
  });

  test.each(["", "abandon", `${"abandon ".repeat(12)}`, "not a mnemonic at all"])(
    "%j → UPG_INVALID_ARGUMENT, without the words",
    (words) => {
      expect(() => keyFromMnemonic(words)).toThrow(code("UPG_INVALID_ARGUMENT"));
      expect(() => keyFromMnemonic(`${words} secret`)).not.toThrow(/secret/);
    },
  );

  test.each(["", "m", "44'/118'", "m/x", "m/99999999999", "m/4294967296"])("path %j → UPG_INVALID_ARGUMENT", (path) => {
    expect(() => keyFromMnemonic(newMnemonic(12), path)).toThrow(code("UPG_INVALID_ARGUMENT"));
  });

  test("newMnemonic() of other lengths than BIP-39 has → UPG_INVALID_ARGUMENT; its words are valid", () => {
    expect(() => newMnemonic(13)).toThrow(code("UPG_INVALID_ARGUMENT"));
    for (const words of [12, 15, 18, 21, 24]) expect(newMnemonic(words).split(" ")).toHaveLength(words);
    expect(encode(keyFromMnemonic(newMnemonic()).addressBytes)).toMatch(/^cosmos1/);
  });
});

describe.each(["file", "test"] as const)("Keyring %s", (backend) => {
  const open = (folder: string) => keyring(folder, backend, PASSWORD, PASSWORD);

  test("add, list, find by name and address, sign, remove", async () => {
    const folder = newFolder();
    const ring = open(folder);
    await ring.add("bob", KEY);
    await ring.add("al.ice-1_x", OTHER);
    expect(ring.list().map(({ name }) => name)).toEqual(["al.ice-1_x", "bob"]);
    const key = { type: "secp256k1", bytes: KEY.publicKey };
    expect(ring.find("bob")).toEqual({ name: "bob", address: KEY_ADDRESS, type: "local", key });
    expect(ring.find(OTHER_ADDRESS).name).toBe("al.ice-1_x");
    const signature = await open(folder).sign("bob", utf8("message"));
    expect(verifySignature({ type: "secp256k1", bytes: KEY.publicKey }, utf8("message"), signature)).toBe(true);
    ring.remove("bob");
    expect(() => ring.find("bob")).toThrow(code("UPG_NOT_FOUND_KEY"));
    expect(() => ring.remove("bob")).toThrow(code("UPG_NOT_FOUND_KEY"));
  });

  test("files are for their owner alone, and nothing else lies beside them", async () => {
    const folder = newFolder();
    await open(folder).add("bob", KEY);
    const path = join(folder, `keyring-${backend}`);
    expect(readdirSync(path)).toEqual(["bob.json"]);
    expect(statSync(join(path, "bob.json")).mode & 0o777).toBe(0o600);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    const hasSecret = readFileSync(join(path, "bob.json"), "utf8").includes(toHex(KEY.privateKey));
    expect(hasSecret).toBe(backend === "test");
  });

  test("a name that is taken → UPG_INVALID_ARGUMENT, and the key stays", async () => {
    const folder = newFolder();
    await open(folder).add("bob", KEY);
    await expect(open(folder).add("bob", OTHER)).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(open(folder).find("bob").address).toBe(KEY_ADDRESS);
  });

  test.each(["", ".", "..", "../x", "a/b", "a\\b", "a\0", "-a", ".a", "a b", "é", "x".repeat(65)])(
    "name %j → UPG_INVALID_ARGUMENT, nothing written",
    async (name) => {
      const folder = newFolder();
      await expect(open(folder).add(name, KEY)).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
      expect(open(folder).list()).toEqual([]);
      expect(() => open(folder).find(name)).toThrow(code("UPG_INVALID_ARGUMENT"));
    },
  );

  test("a file cut short, of another name or with another address → UPG_STORE_CORRUPT", async () => {
    const folder = newFolder();
    await open(folder).add("bob", KEY);
    const path = join(folder, `keyring-${backend}`, "bob.json");
    const whole = readFileSync(path, "utf8");
    for (const torn of [
      "",
      whole.slice(0, whole.length / 2),
      "null",
      "[]",
      '{"v":1}',
      whole.replace('"bob"', '"rob"'),
      whole.replace(/"pubkey":\s*"/, "$&*"),
    ]) {
      writeFileSync(path, torn);
      expect(() => open(folder).find("bob"), torn).toThrow(code("UPG_STORE_CORRUPT"));
    }
    writeFileSync(path, whole.replace(KEY_ADDRESS, OTHER_ADDRESS));
    const expected = backend === "test" ? "UPG_STORE_CORRUPT" : "UPG_INVALID_ARGUMENT";
    await expect(open(folder).privateKey("bob")).rejects.toMatchObject({ code: expected });
  });
});

describe("add() while another process adds to the same keyring", () => {
  /** Asks for a password, and runs `meanwhile` before the answer. */
  const slow = (folder: string, meanwhile: () => Promise<unknown>): Keyring => {
    let wait: (() => Promise<unknown>) | undefined = meanwhile;
    const secret = async () => {
      await wait?.();
      wait = undefined;
      return PASSWORD;
    };
    const prompt = { line: secret, secret, close: () => undefined };
    return new Keyring({ folder, backend: "file", prompt, addresses: addressesOf() });
  };
  const bobs = "another password";
  const addBob = (folder: string, name = "bob", password = bobs) =>
    keyring(folder, "file", password, password).add(name, OTHER);

  test("with another first password → UPG_INVALID_ARGUMENT, the other key opens with its own, and the keyring goes on with that", async () => {
    const folder = newFolder();
    const add = slow(folder, () => addBob(folder)).add("alice", KEY);
    await expect(add).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringMatching(/"alice" was not added: .*another password meanwhile, with the key "bob"/),
    });
    expect(keyring(folder, "file").has("alice")).toBe(false);
    expect(await keyring(folder, "file", bobs).privateKey("bob")).toEqual(OTHER.privateKey);
    await keyring(folder, "file", bobs).add("alice", KEY);
    expect(await keyring(folder, "file", bobs).privateKey("alice")).toEqual(KEY.privateKey);
  });

  test("a key that a killed process left under a temporary name → removed by the next one", async () => {
    const folder = newFolder();
    await keyring(folder, "test").add("alice", KEY);
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /alice/.test(name));
    const left = join(folder, `${file}.${pid}.tmp`);
    writeFileSync(left, "a key");
    await keyring(folder, "test").add("bob", OTHER);
    expect(existsSync(left)).toBe(false);
    expect(await keyring(folder, "test").privateKey("alice")).toEqual(KEY.privateKey);
  });

  test("with the same name → UPG_INVALID_ARGUMENT, and the other key stays; with the same password → both are there", async () => {
    const folder = newFolder();
    const add = slow(folder, () => addBob(folder, "alice", PASSWORD)).add("alice", KEY);
    await expect(add).rejects.toMatchObject({ message: expect.stringContaining('there is a key "alice" already') });
    expect(await keyring(folder, "file", PASSWORD).privateKey("alice")).toEqual(OTHER.privateKey);
    await slow(folder, () => addBob(folder, "carol", PASSWORD)).add("bob", KEY);
    expect(
      keyring(folder, "file")
        .list()
        .map(({ name }) => name),
    ).toEqual(["alice", "bob", "carol"]);
  });
});

describe("Keyring file", () => {
  test("a wrong password → UPG_INVALID_ARGUMENT; a new key needs the password of those that are there", async () => {
    const folder = newFolder();
    await keyring(folder, "file", PASSWORD, PASSWORD).add("bob", KEY);
    await expect(keyring(folder, "file", "wrong pass").privateKey("bob")).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
    await expect(keyring(folder, "file", "wrong pass").add("eve", OTHER)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
    await keyring(folder, "file", PASSWORD).add("eve", OTHER);
    expect(await keyring(folder, "file", PASSWORD).privateKey("eve")).toEqual(OTHER.privateKey);
  });

  test("a password that is short, or not the same twice → UPG_INVALID_ARGUMENT, nothing written", async () => {
    const folder = newFolder();
    await expect(keyring(folder, "file", "short").add("bob", KEY)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
    await expect(keyring(folder, "file", PASSWORD, "another one").add("bob", KEY)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
    expect(keyring(folder, "file").list()).toEqual([]);
  });

  test("any changed part of the seal → an error, never another key; work is bounded", async () => {
    const folder = newFolder();
    await keyring(folder, "file", PASSWORD, PASSWORD).add("bob", KEY);
    const path = join(folder, "keyring-file", "bob.json");
    const record = JSON.parse(readFileSync(path, "utf8")) as { sealed: Record<string, unknown> };
    const changes: Record<string, unknown>[] = [
      { text: "AAAA" },
      { nonce: "AAAA" },
      { salt: Buffer.alloc(16).toString("base64") },
      { salt: "not base64" },
      { nonce: "*".repeat(32) },
      { text: `${record.sealed["text"]}\n` },
      { n: 2 ** 30 },
      { n: 3 },
      { r: 10_000 },
      { p: 0 },
      { kdf: "none" },
      { cipher: "none" },
      { text: 5 },
    ];
    for (const change of changes) {
      writeFileSync(path, JSON.stringify({ ...record, sealed: { ...record.sealed, ...change } }));
      await expect(keyring(folder, "file", PASSWORD).privateKey("bob"), JSON.stringify(change)).rejects.toMatchObject({
        code: expect.stringMatching(/^UPG_(STORE_CORRUPT|INVALID_ARGUMENT)$/),
      });
    }
  });

  test("a sealed key copied under another name does not open", async () => {
    const folder = newFolder();
    await keyring(folder, "file", PASSWORD, PASSWORD).add("bob", KEY);
    const path = join(folder, "keyring-file");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "eve.json"), readFileSync(join(path, "bob.json"), "utf8").replace('"bob"', '"eve"'));
    await expect(keyring(folder, "file", PASSWORD).privateKey("eve")).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
  });
});
