import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { addressesOf } from "../../../../host/chain/values/address.js";
import { keyFromMnemonic } from "../../../../host/cli/wallet/derive.js";
import { type Backend, Keyring } from "../../../../host/cli/wallet/keyring.js";
import { openArmor } from "../../../../host/cli/wallet/sdk-keyring.js";
import { ADDRESS, MNEMONIC } from "../../../e2e/known-key.js";

/** A keyring that simd of the Cosmos SDK 0.53 wrote, and what its `keys export` printed. */
const SIMD = JSON.parse(readFileSync(join(import.meta.dirname, "sdk-keyring.json"), "utf8")) as {
  readonly files: Readonly<Record<string, string>>;
  readonly armor: string;
};
const FILE_PASSWORD = "simd password";
const ARMOR_PASSWORD = "armour password";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-sdk-keyring-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const code = (name: string, words = "") =>
  expect.objectContaining({ code: name, message: expect.stringContaining(words) });

function simdFolder(changed: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, String(folders++));
  for (const [name, text] of Object.entries({ ...SIMD.files, ...changed })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function keyring(folder: string, backend: Backend, ...answers: string[]): Keyring {
  const next = async () => answers.shift() ?? Promise.reject(new Error("nobody answers"));
  const prompt = { line: next, secret: next, close: () => undefined };
  return new Keyring({ folder, backend, prompt, addresses: addressesOf() });
}

describe("a keyring of the Cosmos SDK in the same folder", () => {
  test("its keys are named with the command that copies them, not reported as missing", () => {
    const ring = keyring(simdFolder(), "test");
    expect(ring.list()).toEqual([]);
    expect(ring.sdkNames()).toEqual(["ms", "pub", "sk"]);
    expect(ring.sdkNotice()).toMatch(
      /wrote: ms, pub, sk\. Copy them with `\S+ keys migrate --keyring-backend test --keyring-dir \S+`$/,
    );
    for (const wanted of ["sk", ADDRESS]) {
      expect(() => ring.find(wanted)).toThrow(code("UPG_NOT_FOUND_KEY", "keys migrate"));
    }
  });

  test("a new key does not take the name of one of them", async () => {
    const ring = keyring(simdFolder(), "test");
    const added = ring.add("sk", keyFromMnemonic(MNEMONIC));
    await expect(added).rejects.toEqual(code("UPG_INVALID_ARGUMENT", "keys migrate"));
    expect(() => ring.addPublic("pub", { type: "secp256k1", bytes: new Uint8Array(33) })).toThrow(/keys migrate/);
  });

  test("migrate, backend test → keys that sign, public and multisig keys, with simd's addresses", async () => {
    const ring = keyring(simdFolder(), "test");
    for (const name of ring.sdkNames()) await ring.migrate(name);
    expect(ring.list().map(({ name, type, address }) => [name, type, address])).toEqual([
      ["ms", "multi", "cosmos1euf06u6c8uspqp8wlace8m5tgraglz7r7gd7w7"],
      ["pub", "offline", "cosmos1gswpqr4k2duwzr04gwm8qdsvwq6ca3swe3ledh"],
      ["sk", "local", ADDRESS],
    ]);
    expect(await ring.privateKey("sk")).toEqual(keyFromMnemonic(MNEMONIC).privateKey);
    expect(ring.sdkNotice()).toBeUndefined();
    await expect(ring.migrate("sk")).rejects.toEqual(code("UPG_INVALID_ARGUMENT", "already"));
  });

  test("migrate, backend file → the password is asked for once and seals the copy", async () => {
    const folder = simdFolder();
    await keyring(folder, "file", FILE_PASSWORD).migrate("fk");
    const again = keyring(folder, "file", FILE_PASSWORD);
    expect(again.find(ADDRESS)).toMatchObject({ name: "fk", type: "local" });
    expect(await again.privateKey("fk")).toEqual(keyFromMnemonic(MNEMONIC).privateKey);
  });

  test("migrate into a keyring with a password → both passwords", async () => {
    const folder = simdFolder();
    await keyring(folder, "file", "our password", "our password").add("ours", keyFromMnemonic(MNEMONIC));
    await keyring(folder, "file", FILE_PASSWORD, "our password").migrate("fk");
    expect(await keyring(folder, "file", "our password").privateKey("fk")).toHaveLength(32);
  });

  test("a wrong password, a missing key, bytes that are no key → a code each, and nothing is written", async () => {
    const folder = simdFolder({ "keyring-test/bad.info": "e30.a.b.c.d", "keyring-test/cut.info": "" });
    const wrong = keyring(folder, "file", "another password").migrate("fk");
    await expect(wrong).rejects.toEqual(code("UPG_INVALID_ARGUMENT", "wrong password"));
    const ring = keyring(folder, "test");
    await expect(ring.migrate("absent")).rejects.toEqual(code("UPG_NOT_FOUND_KEY"));
    for (const name of ["bad", "cut"]) {
      await expect(ring.migrate(name)).rejects.toEqual(code("UPG_STORE_CORRUPT", `${name}.info`));
    }
    expect([...ring.list(), ...keyring(folder, "file").list()]).toEqual([]);
  });

  test("a file that asks for more rounds than any keyring does is refused before the work", async () => {
    const [, ...rest] = (SIMD.files["keyring-test/sk.info"] ?? "").split(".");
    const header = { alg: "PBES2-HS256+A128KW", enc: "A256GCM", p2c: 2 ** 40, p2s: "8v3hi0OTSyx-PsrG" };
    const text = [Buffer.from(JSON.stringify(header)).toString("base64url"), ...rest].join(".");
    const ring = keyring(simdFolder({ "keyring-test/sk.info": text }), "test");
    await expect(ring.migrate("sk")).rejects.toEqual(code("UPG_STORE_CORRUPT", "rounds"));
  });
});

describe("openArmor()", () => {
  test("what simd printed, lines of a terminal around it → the key", () => {
    const text = `Enter passphrase:\r\n${SIMD.armor.replaceAll("\n", "\r\n")}\r\n$ `;
    expect(openArmor(text, ARMOR_PASSWORD).privateKey).toEqual(keyFromMnemonic(MNEMONIC).privateKey);
  });

  test("bcrypt of older versions → the error names the export as hex", () => {
    const old = SIMD.armor.replace("kdf: argon2", "kdf: bcrypt");
    expect(() => openArmor(old, ARMOR_PASSWORD)).toThrow(code("UPG_INVALID_ARGUMENT", "--unarmored-hex --unsafe"));
  });

  test.each([
    ["another password", SIMD.armor, "wrong", "wrong password"],
    ["no end", SIMD.armor.slice(0, -60), ARMOR_PASSWORD, "cut off"],
    ["no salt", SIMD.armor.replace(/^salt.*$/m, ""), ARMOR_PASSWORD, ""],
    ["another type of key", SIMD.armor.replace("type: secp256k1", "type: ed25519"), ARMOR_PASSWORD, "ed25519"],
    ["a body that is not base64", SIMD.armor.replace(/^M7d/m, "M7*"), ARMOR_PASSWORD, "base64"],
  ])("%s → UPG_INVALID_ARGUMENT", (_, text, password, words) => {
    expect(() => openArmor(text, password)).toThrow(code("UPG_INVALID_ARGUMENT", words));
  });
});
