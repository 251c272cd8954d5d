/** Every way in which a manifest can be wrong. */
import { utf8 } from "../../../host/bytes.js";
import { assemble, build, guest, type ManifestSource, MINIMAL_MANIFEST } from "../build.js";
import type { RefusedGuest } from "./hostile-guest.js";

const S = { name: "s", access: "rw" };

const WRONG: readonly (readonly [what: string, manifest: ManifestSource])[] = [
  ["that is no JSON", "hello"],
  ["with a comment", `${JSON.stringify(MINIMAL_MANIFEST)} // ok`],
  ["that is a list", "[]"],
  ["that is not UTF-8", Uint8Array.from([0x22, 0xff, 0x22])],
  ["nested 17 levels deep", "[".repeat(17)],
  ["of over 16 KiB", `${" ".repeat(16_384)}{}`],
  ["with an unknown field", { more: 1 }],
  ["with a field twice", '{"abi":1,"abi":1,"name":"v2","gasLimit":"1","stores":[],"versions":{}}'],
  ["without a name", '{"abi":1,"gasLimit":"1","stores":[],"versions":{}}'],
  ["of another interface", { abi: 2 }],
  ["with an empty name", { name: "" }],
  ["with a control character in its name", { name: "v\u001b2" }],
  ["with a name of 141 bytes", { name: "v".repeat(141) }],
  ["with a gas limit of 0", { gasLimit: "0" }],
  ["with a gas limit above the chain's", { gasLimit: "1000000000001" }],
  ["with a gas limit that is a number", { gasLimit: 5 }],
  ["with a gas limit below 0", { gasLimit: "-1" }],
  ["with a store twice", { stores: [S, S] }],
  ["with 65 stores", { stores: Array.from({ length: 65 }, (_, i) => ({ name: `s${i}`, access: "r" })) }],
  ["with another access", { stores: [{ name: "s", access: "w" }] }],
  ["with odd hex in a prefix", { stores: [{ ...S, prefixes: ["012"] }] }],
  ["with an empty prefix", { stores: [{ ...S, prefixes: [""] }] }],
  ["with no prefix in a list of them", { stores: [{ ...S, prefixes: [] }] }],
  ["with a prefix inside another", { stores: [{ ...S, prefixes: ["01", "0102"] }] }],
  ["that writes the upgrade module's store", { stores: [{ name: "upgrade", access: "rw" }] }],
  ["that adds a store twice", { storeUpgrades: { added: ["s", "s"] } }],
  ["that deletes the upgrade module's store", { storeUpgrades: { deleted: ["upgrade"] } }],
  ["that lists a store which it deletes", { stores: [S], storeUpgrades: { deleted: ["s"] } }],
  ["with a rename that lacks its target", { storeUpgrades: { renamed: [{ old_key: "a" }] } }],
  ["with a version that goes down", { versions: { m: { from: [3], to: 2 } } }],
  ["with a version above 64 bits", { versions: { m: { to: "18446744073709551616" } } }],
  ["with a fraction for a version", '{"abi":1,"name":"v2","gasLimit":"1","stores":[],"versions":{"m":{"to":1.5}}}'],
  ["with a version twice", { versions: { m: { from: [1, 1], to: 2 } } }],
  ["that removes a module and keeps it", { versions: { m: { to: 1 } }, removes: ["m"] }],
  ["that scans a store which it does not list", { scans: [{ store: "s" }] }],
  ["that scans outside its prefixes", { stores: [{ ...S, prefixes: ["01"] }], scans: [{ store: "s", prefix: "02" }] }],
  ["that scans all of what it has a part of", { stores: [{ ...S, prefixes: ["01"] }], scans: [{ store: "s" }] }],
];

const MANIFEST = "UPG_HANDLER_MANIFEST";
const wat = guest({ batch: "(i32.const 4)" });

export const REFUSED_MANIFESTS: readonly RefusedGuest[] = [
  { what: "no manifest", code: MANIFEST, bytes: () => assemble(wat) },
  {
    what: "two manifests",
    code: MANIFEST,
    bytes: () => Uint8Array.from([...build(wat), ...build(wat).subarray(assemble(wat).length)]),
  },
  { what: "an empty manifest", code: MANIFEST, bytes: () => build(wat, utf8("")) },
  ...WRONG.map(
    ([what, manifest]): RefusedGuest => ({
      what: `a manifest ${what}`,
      code: MANIFEST,
      bytes: () => build(wat, manifest),
    }),
  ),
];
