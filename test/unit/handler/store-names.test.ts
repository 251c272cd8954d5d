/** Names of stores in a manifest: they look like nothing else, in any writing. */
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../host/bytes.js";
import { parseManifest } from "../../../host/handler/manifest.js";

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

describe("parseManifest() of a store's name", () => {
  test.each(PLACES)("%s: letters of another writing, capitals, what does not show → refused", (_, fields) => {
    for (const name of NAMES) expect(() => parseManifest(manifest(fields(name))), name).toThrow(RULE);
  });

  test.each(PLACES)("%s: the first and the last character of each range → taken", (_, fields) => {
    expect(() => parseManifest(manifest(fields("az09_./-")))).not.toThrow(RULE);
  });
});
