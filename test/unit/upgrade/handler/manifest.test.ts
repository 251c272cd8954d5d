import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { GAS_LIMIT_MAX, MANIFEST_BYTES_MAX } from "../../../../host/base/types/limits.js";
import { parseManifest } from "../../../guest/checker/compared-manifest.js";

const FULL = {
  abi: 1,
  name: "v2",
  gasLimit: "5000000000",
  stores: [
    { name: "auth", access: "rw", prefixes: ["01"] },
    { name: "bank", access: "rw" },
    { name: "gov", access: "r", prefixes: ["0a", "0B0c"] },
  ],
  allows: {
    deleteStores: ["mint"],
    removeModules: ["mint"],
    writeStores: ["bank"],
    keepStores: ["minted"],
    emptyVersionMap: true,
  },
  storeUpgrades: { added: ["bank"], renamed: [{ old_key: "stake", new_key: "staking" }], deleted: ["mint"] },
  versions: { auth: { from: [1, 2], to: 2 }, bank: { to: 1 } },
  removes: ["mint"],
  scans: [{ store: "auth", prefix: "0102" }, { store: "bank" }, { store: "gov", prefix: "0a" }],
};
const SMALL = { abi: 1, name: "v2", gasLimit: "1", stores: [], versions: {} };

const parseText = (text: string) => parseManifest(utf8(text));
const parse = (fields: object) => parseText(JSON.stringify({ ...SMALL, ...fields }));

/** The path that the refusal names, and its text. */
function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    expect(error.code).toBe("UPG_HANDLER_MANIFEST");
    expect(error.message).toContain(error.details["path"]);
    return error.message.replace("manifest: ", "");
  }
  throw new Error("the manifest was taken");
}

describe("parseManifest()", () => {
  test("parseManifest() of a full manifest gives all of it", () => {
    expect(parseText(JSON.stringify(FULL))).toEqual({
      abi: 1,
      name: "v2",
      gasLimit: 5_000_000_000n,
      stores: [
        { name: "auth", access: "rw", prefixes: [Uint8Array.of(1)] },
        { name: "bank", access: "rw", prefixes: undefined },
        { name: "gov", access: "r", prefixes: [Uint8Array.of(10), Uint8Array.of(11, 12)] },
      ],
      storeUpgrades: { added: ["bank"], renamed: [{ oldKey: "stake", newKey: "staking" }], deleted: ["mint"] },
      versions: new Map([
        ["auth", { from: [1n, 2n], to: 2n }],
        ["bank", { from: undefined, to: 1n }],
      ]),
      removes: ["mint"],
      scans: [
        { store: "auth", prefix: Uint8Array.of(1, 2) },
        { store: "bank", prefix: undefined },
        { store: "gov", prefix: Uint8Array.of(10) },
      ],
      allows: {
        deleteStores: ["mint"],
        removeModules: ["mint"],
        writeStores: ["bank"],
        keepStores: ["minted"],
        emptyVersionMap: true,
      },
    });
  });

  test("parseManifest() of allows beyond what the manifest does, twice, or of another type → UPG_HANDLER_MANIFEST, by its path", () => {
    for (const [allows, path] of [
      [{ deleteStores: ["gov"] }, "$.allows.deleteStores[0]"],
      [{ removeModules: ["gov"] }, "$.allows.removeModules[0]"],
      [{ writeStores: ["gov"] }, "$.allows.writeStores[0]"],
      [{ emptyVersionMap: 1 }, "$.allows.emptyVersionMap"],
      [{ everything: true }, "$.allows.everything"],
    ] as const) {
      expect(() => parse({ stores: [{ name: "gov", access: "r" }], allows })).toThrow(path);
    }
    const twice = { deleted: ["gov"] };
    expect(() => parse({ storeUpgrades: twice, allows: { deleteStores: ["gov", "gov"] } })).toThrow("listed twice");
  });

  test("parseManifest() without storeUpgrades, removes and scans takes them as empty", () => {
    expect(parse({})).toMatchObject({ storeUpgrades: { added: [], renamed: [], deleted: [] }, removes: [], scans: [] });
    expect(parse({ storeUpgrades: {} }).storeUpgrades).toEqual({ added: [], renamed: [], deleted: [] });
  });

  test("parseManifest() keeps every digit of a version, as an integer or as a string", () => {
    const versions = (text: string) =>
      parseText(`{"abi":1,"name":"v2","gasLimit":"1","stores":[],"versions":{"m":${text}}}`).versions.get("m");
    const expected = { from: [4294967294n, 1n], to: 4294967295n };
    expect(versions('{"from":[4294967294,1],"to":4294967295}')).toEqual(expected);
    expect(versions('{"from":["4294967294","1"],"to":"4294967295"}')).toEqual(expected);
    for (const above of ["4294967296", "9007199254740993", '"18446744073709551615"']) {
      expect(refusal(() => versions(`{"to":${above}}`))).toContain("at most 4294967295");
      expect(refusal(() => versions(`{"from":[${above}],"to":4294967295}`))).toContain("at most 4294967295");
    }
    expect(versions('{"from":[0],"to":0}')).toEqual({ from: [0n], to: 0n });
  });

  test("parseManifest() takes each value at its limit", () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(parse({ gasLimit: String(GAS_LIMIT_MAX) }).gasLimit).toBe(GAS_LIMIT_MAX);
    expect(parse({ name: "é".repeat(70) }).name).toBe("é".repeat(70));
    expect(parse({ stores: many(64).map((i) => ({ name: `s${i}`, access: "r" })) }).stores).toHaveLength(64);
    const prefixes = many(64).map((i) => (i + 16).toString(16));
    expect(parse({ stores: [{ name: "s", access: "r", prefixes }] }).stores[0]?.prefixes).toHaveLength(64);
    const scans = many(64).map(() => ({ store: "s" }));
    expect(parse({ stores: [{ name: "s", access: "r" }], scans }).scans).toHaveLength(64);
    const padded = JSON.stringify(SMALL).padEnd(MANIFEST_BYTES_MAX, " ");
    expect(parseText(padded).name).toBe("v2");
    expect(refusal(() => parseText(`${padded} `))).toBe("$: has 16385 bytes, at most 16384 are allowed");
  });

  const store = (fields: object) => ({ stores: [{ name: "s", access: "rw", ...fields }] });
  const sixtyFive = (make: (index: number) => unknown) => Array.from({ length: 65 }, (_, index) => make(index));

  test.each<[fields: object, message: string]>([
    [{ abi: 2 }, "$.abi: this host speaks interface 1, not 2"],
    [{ abi: "1" }, "$.abi: must be an integer, not a string"],
    [{ abi: -1 }, "$.abi: must not be negative"],
    [{ abi: null }, "$.abi: must be an integer, not null"],
    [{ name: "" }, "$.name: is empty"],
    [{ name: 2 }, "$.name: must be a string, not an integer"],
    [{ name: "é".repeat(71) }, "$.name: has 142 bytes, at most 140 are allowed"],
    [{ name: "a\u0000" }, "$.name: holds a control character"],
    [{ name: "a\u009f" }, "$.name: holds a control character"],
    [{ gasLimit: 5 }, "$.gasLimit: must be a string, not an integer"],
    [{ gasLimit: "0" }, "$.gasLimit: must be at least 1"],
    [{ gasLimit: "05" }, "$.gasLimit: must be a decimal number as a string"],
    [{ gasLimit: "" }, "$.gasLimit: must be a decimal number as a string"],
    [{ gasLimit: "-1" }, "$.gasLimit: must be a decimal number as a string"],
    [{ gasLimit: "0x10" }, "$.gasLimit: must be a decimal number as a string"],
    [{ gasLimit: " 1" }, "$.gasLimit: must be a decimal number as a string"],
    [{ gasLimit: "9".repeat(30) }, "$.gasLimit: must be a decimal number as a string"],
    [{ gasLimit: "1000000000001" }, "$.gasLimit: is 1000000000001, at most 1000000000000 is allowed"],
    [{ extra: 1 }, "$.extra: is not a known field"],
    [{ Name: "v2" }, "$.Name: is not a known field"],
    [{ stores: {} }, "$.stores: must be a list, not an object"],
    [{ stores: ["s"] }, "$.stores[0]: must be an object, not a string"],
    [{ stores: [{ name: "s" }] }, "$.stores[0].access: is missing"],
    [{ stores: [{ access: "r" }] }, "$.stores[0].name: is missing"],
    [{ stores: sixtyFive((i) => ({ name: `s${i}`, access: "r" })) }, "$.stores: has 65 items, at most 64 are allowed"],
    [store({ extra: true }), "$.stores[0].extra: is not a known field"],
    [store({ access: "w" }), '$.stores[0].access: must be "r" or "rw"'],
    [store({ access: "RW" }), '$.stores[0].access: must be "r" or "rw"'],
    [store({ name: "" }), "$.stores[0].name: is empty"],
    [store({ name: "x".repeat(141) }), "$.stores[0].name: has 141 bytes, at most 140 are allowed"],
    [
      store({ name: "upgrade" }),
      '$.stores[0].access: store "upgrade" belongs to the upgrade module; "r" is all there is',
    ],
    [
      {
        stores: [
          { name: "s", access: "r" },
          { name: "t", access: "r" },
          { name: "s", access: "rw" },
        ],
      },
      '$.stores[2].name: store "s" is listed twice',
    ],
    [store({ prefixes: "01" }), "$.stores[0].prefixes: must be a list, not a string"],
    [store({ prefixes: [] }), "$.stores[0].prefixes: is empty; leave it out to mean every key"],
    [store({ prefixes: [""] }), "$.stores[0].prefixes[0]: is empty; leave it out to mean every key"],
    [store({ prefixes: ["01", "1"] }), "$.stores[0].prefixes[1]: must be an even number of hex digits"],
    [store({ prefixes: ["0g"] }), "$.stores[0].prefixes[0]: must be an even number of hex digits"],
    [store({ prefixes: ["0x01"] }), "$.stores[0].prefixes[0]: must be an even number of hex digits"],
    [store({ prefixes: [1] }), "$.stores[0].prefixes[0]: must be a string, not an integer"],
    [
      store({ prefixes: sixtyFive((i) => `${i + 100}`.padStart(4, "0")) }),
      "$.stores[0].prefixes: has 65 items, at most 64 are allowed",
    ],
    [
      store({ prefixes: ["0a", "0A"] }),
      "$.stores[0].prefixes[0]: begins with another prefix of this store (or equals it)",
    ],
    [
      store({ prefixes: ["01", "0102"] }),
      "$.stores[0].prefixes[1]: begins with another prefix of this store (or equals it)",
    ],
    [{ versions: [] }, "$.versions: must be an object, not a list"],
    [{ versions: { m: 1 } }, "$.versions.m: must be an object, not an integer"],
    [{ versions: { m: {} } }, "$.versions.m.to: is missing"],
    [{ versions: { m: { to: 1, by: 2 } } }, "$.versions.m.by: is not a known field"],
    [{ versions: { "": { to: 1 } } }, '$.versions[""]: the module\'s name is empty'],
    [{ versions: { "a\n": { to: 1 } } }, '$.versions["a "]: the module\'s name holds a control character'],
    [{ versions: { m: { to: -1 } } }, "$.versions.m.to: must not be negative"],
    [{ versions: { m: { to: true } } }, "$.versions.m.to: must be an integer, not a boolean"],
    [
      { versions: { m: { to: "18446744073709551616" } } },
      "$.versions.m.to: is 18446744073709551616, at most 18446744073709551615 is allowed",
    ],
    [{ versions: { m: { to: "1.0" } } }, "$.versions.m.to: must be a decimal number as a string"],
    [{ versions: { m: { from: 1, to: 2 } } }, "$.versions.m.from: must be a list, not an integer"],
    [{ versions: { m: { from: [], to: 2 } } }, "$.versions.m.from: is empty; leave it out for a new module"],
    [{ versions: { m: { from: [1, 1], to: 2 } } }, "$.versions.m.from[1]: this version is listed twice"],
    [
      { versions: { m: { from: [1, 3], to: 2 } } },
      '$.versions.m.from[1]: is above "to" (2); a version never goes down',
    ],
    [{ removes: "m" }, "$.removes: must be a list, not a string"],
    [{ removes: ["a", "a"] }, '$.removes[1]: module "a" is listed twice'],
    [{ removes: ["a"], versions: { a: { to: 1 } } }, '$.removes[0]: module "a" is also listed at $.versions.a'],
    [{ storeUpgrades: [] }, "$.storeUpgrades: must be an object, not a list"],
    [{ storeUpgrades: { add: [] } }, "$.storeUpgrades.add: is not a known field"],
    [{ storeUpgrades: { added: ["a", "a"] } }, '$.storeUpgrades.added[1]: store "a" occurs twice in storeUpgrades'],
    [
      { storeUpgrades: { added: ["a"], deleted: ["a"] } },
      '$.storeUpgrades.deleted[0]: store "a" occurs twice in storeUpgrades',
    ],
    [
      { storeUpgrades: { renamed: [{ old_key: "a", new_key: "a" }] } },
      '$.storeUpgrades.renamed[0].new_key: store "a" occurs twice in storeUpgrades',
    ],
    [{ storeUpgrades: { renamed: [{ old_key: "a" }] } }, "$.storeUpgrades.renamed[0].new_key: is missing"],
    [{ storeUpgrades: { renamed: [{ oldKey: "a", newKey: "b" }] } }, "$.storeUpgrades.renamed[0].old_key: is missing"],
    [
      { storeUpgrades: { deleted: ["upgrade"] } },
      '$.storeUpgrades.deleted[0]: store "upgrade" belongs to the upgrade module',
    ],
    [
      { ...store({}), storeUpgrades: { deleted: ["s"] } },
      '$.stores[0].name: storeUpgrades takes store "s" away before the run',
    ],
    [
      { ...store({}), storeUpgrades: { renamed: [{ old_key: "s", new_key: "t" }] } },
      '$.stores[0].name: storeUpgrades takes store "s" away before the run',
    ],
    [{ ...store({}), scans: ["s"] }, "$.scans[0]: must be an object, not a string"],
    [{ ...store({}), scans: [{ prefix: "01" }] }, "$.scans[0].store: is missing"],
    [{ ...store({}), scans: [{ store: "t" }] }, '$.scans[0].store: store "t" is not listed in stores'],
    [
      { ...store({}), scans: [{ store: "s", prefix: "" }] },
      "$.scans[0].prefix: is empty; leave it out to mean every key",
    ],
    [
      { ...store({}), scans: [{ store: "s", prefix: "123" }] },
      "$.scans[0].prefix: must be an even number of hex digits",
    ],
    [{ ...store({}), scans: sixtyFive(() => ({ store: "s" })) }, "$.scans: has 65 items, at most 64 are allowed"],
    [
      { ...store({ prefixes: ["01"] }), scans: [{ store: "s" }] },
      '$.scans[0]: needs a prefix: the manifest gives only parts of store "s"',
    ],
    [
      { ...store({ prefixes: ["0102"] }), scans: [{ store: "s", prefix: "01" }] },
      '$.scans[0].prefix: lies outside the prefixes that the manifest gives of store "s"',
    ],
  ])("parseManifest() with %j → %s", (fields, message) => {
    expect(refusal(() => parse(fields))).toBe(message);
  });

  test.each(["abi", "name", "gasLimit", "stores", "versions"])(
    "parseManifest() without %s → says that it is missing",
    (field) => {
      const fields: Record<string, unknown> = { ...SMALL };
      delete fields[field];
      expect(refusal(() => parseText(JSON.stringify(fields)))).toBe(`$.${field}: is missing`);
    },
  );

  test.each<[text: string, message: string]>([
    ["", "$: a value is due at character 0, not the end"],
    ["[]", "$: must be an object, not a list"],
    ["null", "$: must be an object, not null"],
    ['{"abi":1,"abi":1}', "$.abi: this field occurs twice"],
    ['{"stores":[{"name":"a","access":"r","access":"rw"}]}', "$.stores[0].access: this field occurs twice"],
    ['{"versions":{"bank":{"to":1},"bank":{"to":2}}}', "$.versions.bank: this field occurs twice"],
    ['{"abi":1.0}', "$.abi: an integer is due, not a fraction or exponent"],
    ['{"abi":1}x', '$: the end is due at character 9, not "x"'],
    [`{"a":${"[".repeat(16)}`, `$.a${"[0]".repeat(15)}: nested deeper than 16 levels`],
  ])("parseManifest(%j) → %s", (text, message) => {
    expect(refusal(() => parseText(text))).toBe(message);
  });
});
