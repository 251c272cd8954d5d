/** Every way in which a manifest can be wrong. */
import { utf8 } from "../../../host/base/text/bytes.js";
import { assemble, build, guest, type ManifestSource, MINIMAL_MANIFEST } from "../build.js";
import type { RefusedGuest } from "./hostile-guest.js";

const S = { name: "s", access: "rw" };

/** That a terminal shows as another, or that a program could take for a path. */
const NAMES: readonly (readonly [what: string, name: string])[] = [
  ["..", ".."],
  ["../..", "../.."],
  ["../../x", "../../x"],
  ["a/../b", "a/../b"],
  ["/etc", "/etc"],
  ["a//b", "a//b"],
  ["with a slash at its end", "a/"],
  ["with an escape sequence", "gov\u001b[2K"],
  ["with a line break", "gov\nbank"],
  ["with a control character of eight bits", "gov\u009b2K"],
  ["from right to left", "\u202evog"],
  ["with an isolate", "\u2066gov"],
  ["with a space that does not show", "g\u200bov"],
  ["with a Cyrillic o", "g\u043ev"],
];

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
  ["that adds and deletes a store", { storeUpgrades: { added: ["s"], deleted: ["s"] } }],
  ["that deletes a store twice", { storeUpgrades: { deleted: ["s", "s"] } }],
  [
    "that renames a store and deletes it",
    { storeUpgrades: { renamed: [{ old_key: "s", new_key: "t" }], deleted: ["s"] } },
  ],
  [
    "that renames two stores to one",
    { storeUpgrades: { renamed: ["a", "b"].map((old_key) => ({ old_key, new_key: "c" })) } },
  ],
  ...NAMES.flatMap(([what, name]) => [
    [`with a store named ${what}`, { stores: [{ name, access: "r" }] }] as const,
    [`that adds a store named ${what}`, { storeUpgrades: { added: [name] } }] as const,
    [`that deletes a store named ${what}`, { storeUpgrades: { deleted: [name] } }] as const,
    [`that renames a store named ${what}`, { storeUpgrades: { renamed: [{ old_key: name, new_key: "b" }] } }] as const,
    [`that names a store ${what}`, { storeUpgrades: { renamed: [{ old_key: "b", new_key: name }] } }] as const,
  ]),
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
