/** Names of stores in a manifest: they look like nothing else, in any writing. */
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { STORE_NAME_BYTES_MAX } from "../../../../host/base/types/limits.js";
import { parseManifest } from "../../../guest/checker/compared-manifest.js";

const RULE = "a store's name consists of a to z, 0 to 9, _ . / and -";
const manifest = (fields: object) =>
  utf8(JSON.stringify({ abi: 1, name: "v2", gasLimit: "1", stores: [], versions: {}, ...fields }));

/** Every place of a manifest where a store is named. */
const PLACES: readonly (readonly [where: string, fields: (name: string) => object])[] = [
  ["stores", (name) => ({ stores: [{ name, access: "r" }] })],
  ["added", (name) => ({ stores: [], storeUpgrades: { added: [name] } })],
  ["deleted", (name) => ({ storeUpgrades: { deleted: [name] } })],
  ["renamed from", (name) => ({ storeUpgrades: { renamed: [{ old_key: name, new_key: "b" }] } })],
  ["renamed to", (name) => ({ storeUpgrades: { renamed: [{ old_key: "b", new_key: name }] } })],
];
const NAMES = ["Bank", "bank\u202e", "b\u200bank", "bаnk", "ﬁn", "a b", "é", "e\u0301", "`", "{", "@", ":", "^"];
/** What another program could take for a way out of a folder, or for an absolute path. */
const PATHS = [
  ".",
  "..",
  "/",
  "//",
  "../../..",
  "../../x",
  "a/../b",
  "a/..",
  "./a",
  "a/./b",
  "/a",
  "a/",
  "a//b",
  "/etc/x",
];
/** Of chains that are there, and those that JavaScript's objects know otherwise. */
const TAKEN = ["acc", "pool-incentives", "hooks-for-ibc", "06-solomachine", "a/b", "a..b", "..a", "a.", "__proto__"];

describe("parseManifest() of a store's name", () => {
  test.each(PLACES)("%s: letters of another writing, capitals, what does not show → refused", (_, fields) => {
    for (const name of NAMES) expect(() => parseManifest(manifest(fields(name))), name).toThrow(RULE);
  });

  test.each(PLACES)("%s: parts between slashes that are empty, . or .. → refused", (_, fields) => {
    const rule = 'no part of a store\'s name between slashes is empty, "." or ".."';
    for (const name of PATHS) expect(() => parseManifest(manifest(fields(name))), name).toThrow(rule);
  });

  test.each(PLACES)("%s: names of chains that are there, and of JavaScript's objects → taken", (where, fields) => {
    const names = [...TAKEN, "constructor", "prototype", "valueof", "a".repeat(STORE_NAME_BYTES_MAX)];
    for (const name of names) {
      const { stores, storeUpgrades } = parseManifest(manifest(fields(name)));
      expect(JSON.stringify([stores, storeUpgrades]), where).toContain(JSON.stringify(name));
    }
  });

  test.each(PLACES)("%s: one byte more than is allowed → refused", (_, fields) => {
    const name = "a".repeat(STORE_NAME_BYTES_MAX + 1);
    expect(() => parseManifest(manifest(fields(name)))).toThrow("a store's name has at most 128 bytes, got 129");
  });

  test.each(PLACES)("%s: the first and the last character of each range → taken", (_, fields) => {
    expect(() => parseManifest(manifest(fields("az09_./-")))).not.toThrow(RULE);
  });
});
