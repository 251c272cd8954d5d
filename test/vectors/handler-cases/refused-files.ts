/** Files that are refused: those of test/guest/hostile, and what the manifest is held to, field by field. */
import { concatBytes } from "../../../host/base/text/bytes.js";
import { examineHandler } from "../../../host/upgrade/handler/check/check.js";
import { METERED_SECTION, withMetered } from "../../../host/upgrade/handler/metered-section.js";
import {
  assemble,
  build,
  customSection,
  guest,
  leb,
  type ManifestSource,
  MINIMAL_MANIFEST,
  manifestSection,
  section,
} from "../../guest/build.js";
import { REFUSED_MANIFESTS } from "../../guest/hostile/refused-manifests.js";
import { REFUSED_MODULES } from "../../guest/hostile/refused-modules.js";
import type { Collection } from "./collection.js";

/** Larger files show nothing that smaller ones do not. */
const REFUSED_BYTES_MAX = 40_000;

const S = { name: "s", access: "rw" };
const wat = guest({ batch: "(i32.const 4)" });
/** The section of the module with the smallest manifest: what is refused is the manifest alone. */
const METERED = customSection(METERED_SECTION, meteredOf(build(wat)));

/** Each field with values that are none. */
const WRONG_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  abi: [null, "1", 0, 2, 1.5, [], {}],
  name: [null, 1, "", "\n", "a\u007f", "v".repeat(141), "é".repeat(71), []],
  gasLimit: [null, 1, "", "-1", "0", "00", "01", "1.0", "1e3", " 1", "1000000000001", "99999999999999999999", []],
  stores: [
    null,
    {},
    "s",
    [null],
    ["s"],
    [{}],
    [{ name: "s" }],
    [{ access: "rw" }],
    [{ ...S, more: 1 }],
    [{ ...S, access: "RW" }],
    [{ ...S, access: null }],
    [{ ...S, name: "S" }],
    [{ ...S, name: "" }],
    [{ ...S, name: "s".repeat(129) }],
    [{ ...S, prefixes: null }],
    [{ ...S, prefixes: "01" }],
    [{ ...S, prefixes: [1] }],
    [{ ...S, prefixes: ["0"] }],
    [{ ...S, prefixes: ["zz"] }],
    [{ ...S, prefixes: ["01", "01"] }],
    [{ ...S, prefixes: ["0102", "01"] }],
    [{ ...S, prefixes: ["AB", "ab"] }],
    [{ ...S, prefixes: Array.from({ length: 65 }, (_, i) => i.toString(16).padStart(2, "0")) }],
  ],
  storeUpgrades: [
    null,
    [],
    { more: [] },
    { added: null },
    { added: "s" },
    { added: [1] },
    { added: [""] },
    { renamed: [{}] },
    { renamed: [{ old_key: "a", new_key: "a" }] },
    { renamed: [{ old_key: "a", new_key: "b", more: 1 }] },
    { renamed: ["a"] },
    { added: ["upgrade"] },
    { renamed: [{ old_key: "upgrade", new_key: "b" }] },
    { deleted: [null] },
  ],
  versions: [
    null,
    [],
    { m: null },
    { m: 1 },
    { m: {} },
    { m: { to: null } },
    { m: { to: -1 } },
    { m: { to: 1.5 } },
    { m: { to: 1e21 } },
    { m: { to: "x" } },
    { m: { to: 2, from: 1 } },
    { m: { to: 2, from: [] } },
    { m: { to: 2, from: [3] } },
    { m: { to: 2, from: [-1] } },
    { m: { to: 2, from: ["1", 1] } },
    { m: { to: 2, more: 1 } },
    { m: { to: 4_294_967_296 } },
    { m: { to: "18446744073709551615" } },
    { m: { to: 4_294_967_295, from: [4_294_967_296] } },
    { "": { to: 1 } },
    { "a\n": { to: 1 } },
    { ["m".repeat(141)]: { to: 1 } },
  ],
  removes: [null, {}, "m", [1], [""], ["m", "m"], ["a\u001b"], ["m".repeat(141)]],
  scans: [
    null,
    {},
    ["s"],
    [{}],
    [{ store: 1 }],
    [{ store: "t" }],
    [{ store: "s", prefix: "0" }],
    [{ store: "s", prefix: 1 }],
    [{ store: "s", prefix: "" }],
    [{ store: "s", more: 1 }],
    Array(65).fill({ store: "s" }),
  ],
  allows: [
    null,
    [],
    "x",
    { more: [] },
    { deleteStores: "s" },
    { deleteStores: ["s"] },
    { removeModules: ["gov"] },
    { writeStores: ["t"] },
    { keepStores: ["s"] },
    { emptyVersionMap: 1 },
  ],
};

/** `allows` of what the manifest does not do, or twice. */
const IDLE_ALLOWANCES: Readonly<Record<string, ManifestSource & object>> = {
  "keeps a store that is deleted": {
    storeUpgrades: { deleted: ["m"] },
    removes: ["m"],
    allows: { keepStores: ["m"] },
  },
  "keeps a store that is renamed": {
    storeUpgrades: { renamed: [{ old_key: "m", new_key: "n" }] },
    removes: ["m"],
    allows: { keepStores: ["m"] },
  },
  "keeps a store twice": { removes: ["m"], allows: { keepStores: ["m", "m"] } },
  "deletes the new name of a rename": {
    storeUpgrades: { renamed: [{ old_key: "m", new_key: "s" }] },
    allows: { deleteStores: ["s"] },
  },
  "writes by the old name of a rename that is not listed": {
    storeUpgrades: { renamed: [{ old_key: "m", new_key: "n" }] },
    allows: { writeStores: ["m"] },
  },
};

/** Texts that a JSON parser may take for the same as another. */
const TEXTS: Readonly<Record<string, string>> = {
  "a byte order mark": `\ufeff${JSON.stringify(MINIMAL_MANIFEST)}`,
  "a second value": `${JSON.stringify(MINIMAL_MANIFEST)} 1`,
  "a comma at the end": JSON.stringify(MINIMAL_MANIFEST).replace("}", ",}"),
  "single quotes": "{'abi':1}",
  "a number with a point": JSON.stringify(MINIMAL_MANIFEST).replace('"abi":1', '"abi":1.0'),
  "a number with an exponent": JSON.stringify(MINIMAL_MANIFEST).replace('"abi":1', '"abi":1e0'),
  "a number with a zero before it": JSON.stringify(MINIMAL_MANIFEST).replace('"abi":1', '"abi":01'),
  "a name escaped twice over": JSON.stringify(MINIMAL_MANIFEST).replace('"abi":1', '"abi":1,"\\u0061bi":1'),
  "a field twice, deep": JSON.stringify({ ...MINIMAL_MANIFEST, stores: [S] }).replace(
    '"name":"s"',
    '"name":"s","name":"s"',
  ),
  "a line break in a text": JSON.stringify(MINIMAL_MANIFEST).replace("v2", "v\n2"),
  "half a surrogate": JSON.stringify(MINIMAL_MANIFEST).replace("v2", "\\ud800"),
  nothing: "",
  null: "null",
  "an end that is missing": JSON.stringify(MINIMAL_MANIFEST).slice(0, -1),
};

export function addRefusedFiles(to: Collection): void {
  for (const { what, bytes } of [...REFUSED_MODULES, ...REFUSED_MANIFESTS]) {
    const file = bytes();
    if (file.length <= REFUSED_BYTES_MAX) to.refused(what, file);
  }
  for (const [field, values] of Object.entries(WRONG_VALUES)) {
    for (const value of values) {
      const manifest = { stores: [S], [field]: value };
      to.refused(
        `manifest: ${field} ${JSON.stringify(value).slice(0, 60)}`,
        concatBytes(build(wat, manifest), METERED),
      );
    }
    const without: ManifestSource = { ...MINIMAL_MANIFEST };
    delete without[field];
    if (field in MINIMAL_MANIFEST)
      to.refused(`manifest: no ${field}`, concatBytes(build(wat, JSON.stringify(without)), METERED));
  }
  for (const [what, manifest] of Object.entries(IDLE_ALLOWANCES))
    to.refused(`manifest: allows, ${what}`, concatBytes(build(wat, { stores: [S], ...manifest }), METERED));
  for (const [what, text] of Object.entries(TEXTS))
    to.refused(`manifest: ${what}`, concatBytes(build(wat, text), METERED));
  to.refused("scans without handler_batch", build(guest(), { stores: [S], scans: [{ store: "s" }] }));
  to.refused("a manifest before a module", concatBytes(manifestSection(MINIMAL_MANIFEST), assemble(wat)));
  addMetered(to);
}

/** Files whose metered module is absent, or not that of the file. */
function addMetered(to: Collection): void {
  to.unmetered("no metered module", build(wat));
  const other = (parts: Parameters<typeof guest>[0]) => meteredOf(build(guest({ batch: "(i32.const 4)", ...parts })));
  const own = meteredOf(build(wat));
  const plain = assemble(wat);
  const payloads: Readonly<Record<string, Uint8Array>> = {
    nothing: new Uint8Array(0),
    "a header alone": own.subarray(0, 8),
    "cut in half": own.subarray(0, own.length >> 1),
    "a byte less": own.subarray(0, -1),
    "a byte more": concatBytes(own, Uint8Array.of(0)),
    "no WebAssembly": new TextEncoder().encode("hello"),
    "the file's own module": plain,
    "an export more": other({ more: '(func (export "more"))' }),
    "an export less": meteredOf(build(guest())),
    "an import more": other({ imports: '(import "chain" "progress" (func (param i64 i64)))' }),
    "an import of another module": replaced(
      other({ imports: '(import "chain" "progress" (func (param i64 i64)))' }),
      "chain",
      "chaim",
    ),
    "a start section": concatBytes(
      own.subarray(0, sectionAt(own, 8)),
      section(8, [0]),
      own.subarray(sectionAt(own, 8)),
    ),
    "no counter of gas": replaced(own, "chain-upgrade:gas", "chain-upgrade:has"),
    "513 pages": pagesOf(own, 513),
    "no greatest number of pages": pagesOf(own, undefined),
  };
  for (const [what, payload] of Object.entries(payloads)) {
    to.refused(`metered module: ${what}`, concatBytes(build(wat), customSection(METERED_SECTION, payload)));
  }
  to.refused("metered module: twice", concatBytes(build(wat), METERED, METERED));
  const file = (payload: Uint8Array) => concatBytes(build(wat), customSection(METERED_SECTION, payload));
  to.refusedByMeter("metered module: of another body", file(other({ run: "(i32.const 1)" })));
  to.refusedByMeter("metered module: a price less", file(cheaper(own)));
}

/** Where the first section is whose id is this or comes after it. */
function sectionAt(bytes: Uint8Array, id: number): number {
  let at = 8;
  while (at < bytes.length && (bytes[at] as number) < id) at += 1 + sizeAt(bytes, at + 1).whole;
  return at;
}

/** A LEB, and what it counts after it. */
function sizeAt(bytes: Uint8Array, at: number): { value: number; whole: number } {
  let value = 0;
  for (let i = 0; ; i++) {
    const byte = bytes[at + i] as number;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return { value, whole: i + 1 + value };
  }
}

/** With another memory section: 16 pages, and at most so many. */
function pagesOf(bytes: Uint8Array, most: number | undefined): Uint8Array {
  const at = sectionAt(bytes, 5);
  const end = at + 1 + sizeAt(bytes, at + 1).whole;
  const limits = most === undefined ? [1, 0, 16] : [1, 1, 16, ...leb(most)];
  return concatBytes(bytes.subarray(0, at), section(5, limits), bytes.subarray(end));
}

function replaced(bytes: Uint8Array, text: string, by: string): Uint8Array {
  const [from, to] = [text, by].map((each) => Buffer.from(each)) as [Buffer, Buffer];
  const at = Buffer.from(bytes).indexOf(from);
  if (at < 0) throw new Error(`there is no "${text}"`);
  return concatBytes(bytes.subarray(0, at), to, bytes.subarray(at + from.length));
}

/** The last `i64.const` of two bytes is one less. */
function cheaper(bytes: Uint8Array): Uint8Array {
  const at = bytes.findLastIndex(
    (byte, i) => byte === 0x42 && (bytes[i + 1] as number) > 1 && (bytes[i + 1] as number) < 0x40,
  );
  return bytes.with(at + 1, (bytes[at + 1] as number) - 1);
}

function meteredOf(file: Uint8Array): Uint8Array {
  const { metered } = examineHandler(withMetered(file));
  if (!metered) throw new Error("a file with a metered module has none");
  return metered;
}
