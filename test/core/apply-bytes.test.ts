/** apply() and version_map_set as any language calls them: version maps and names that are malformed, and their limits. */
import { describe, expect, test } from "vitest";
import { ERROR_KINDS } from "../../host/base/errors/errors.js";
import { concatBytes, fromHex, toHex } from "../../host/base/text/bytes.js";
import { MODULE_NAME_BYTES_MAX, UINT64_MAX, VERSION_MAP_MODULES_MAX } from "../../host/base/types/limits.js";
import { dueStore, entry, names, rawApply } from "./applying.js";
import { describeCores, dump, expectRefused, keyHex, storeOf, u64Hex } from "./cores.js";

const MAP = ERROR_KINDS.UPG_INVALID_VERSION_MAP.number;
const NAMES = ERROR_KINDS.UPG_INVALID_NAMES.number;

const MALFORMED = "version map: malformed protobuf or an unknown field";
const BAD_NAME = "version map: a module name must be 1 to 140 bytes of UTF-8";
const ascends = (name: string) => `version map: names must ascend strictly, at ${name}`;
const whole = (hex: string) => concatBytes(entry("a", 1n), fromHex(hex));
const many = (count: number) =>
  concatBytes(...Array.from({ length: count }, (_, i) => entry(`m${String(i).padStart(4, "0")}`, 1n)));

const BAD_MAPS: readonly (readonly [what: string, map: Uint8Array, message: string])[] = [
  ["a field 2", whole("1001"), MALFORMED],
  ["a field 2 before its entries", fromHex("12000a030a0161"), MALFORMED],
  ["a field 1 that is a varint", whole("0801"), MALFORMED],
  ["a tag of field 0", whole("0200"), MALFORMED],
  ["a tag without a length", whole("0a"), MALFORMED],
  ["an entry that ends early", whole("0a050a0162"), MALFORMED],
  ["a length of 2^32 + 3", whole("0a83808080100a0162"), MALFORMED],
  ["a length of 2^64 - 1", whole("0affffffffffffffffff010a0162"), MALFORMED],
  ["a length in more bytes than needed", whole("0a83000a0162"), MALFORMED],
  ["a tag in more bytes than needed", whole("8a00030a0162"), MALFORMED],
  ["an unknown field in an entry", whole("0a050a01621801"), MALFORMED],
  ["a name that is a varint", whole("0a020801"), MALFORMED],
  ["a version that is bytes", whole("0a060a0162120101"), MALFORMED],
  ["a version that ends early", whole("0a050a01621080"), MALFORMED],
  ["a version past 64 bits", whole("0a0e0a016210ffffffffffffffffff02"), MALFORMED],
  ["a version of 11 bytes", whole("0a0f0a016210ffffffffffffffffffff01"), MALFORMED],
  ["a version in more bytes than needed", whole("0a060a0162108100"), MALFORMED],
  ["a name that reaches behind its entry", whole("0a030a0362636465"), MALFORMED],
  ["a group", whole("0b0c"), MALFORMED],
  ["an empty entry", whole("0a00"), BAD_NAME],
  ["an empty name", concatBytes(entry("", 1n), entry("b", 1n)), BAD_NAME],
  ["no name", concatBytes(entry("a"), entry(undefined, 1n)), BAD_NAME],
  ["a name of 141 bytes", entry("n".repeat(141), 1n), BAD_NAME],
  ["a name of 71 letters of 2 bytes", entry("é".repeat(71), 1n), BAD_NAME],
  ["a name that is not UTF-8", entry(fromHex("61ff"), 1n), BAD_NAME],
  ["a name with a surrogate", entry(fromHex("eda080"), 1n), BAD_NAME],
  ["a name twice", concatBytes(entry("a", 1n), entry("a", 2n)), ascends("a")],
  ["a name before the last", concatBytes(entry("a", 1n), entry("c", 1n), entry("b", 1n)), ascends("b")],
  ["a name that begins the last", concatBytes(entry("aa", 1n), entry("a", 1n)), ascends("a")],
  ["1,025 modules", many(1_025), "version map: more than 1024 modules"],
];

const NOT_NAMES = "removes: not a list of names of 1 to 140 bytes of UTF-8";
const BAD_NAMES: readonly (readonly [what: string, removes: Uint8Array, message: string])[] = [
  ["a field 2", fromHex("0a01611001"), NOT_NAMES],
  ["a varint", fromHex("0801"), NOT_NAMES],
  ["a name that ends early", fromHex("0a0261"), NOT_NAMES],
  ["a length of 2^32 + 1", fromHex("0a818080801061"), NOT_NAMES],
  ["a length in more bytes than needed", fromHex("0a810061"), NOT_NAMES],
  ["an empty name", names("a", ""), NOT_NAMES],
  ["a name of 141 bytes", names("n".repeat(141)), NOT_NAMES],
  ["a name that is not UTF-8", names(fromHex("ff")), NOT_NAMES],
  ["a name twice", names("a", "b", "b"), `removes: names must ascend strictly, at b`],
  ["a name before the last", names("a", "c", "b"), `removes: names must ascend strictly, at b`],
  ["a name that begins the last", names("aa", "a"), `removes: names must ascend strictly, at a`],
  [
    "1,025 names",
    names(...Array.from({ length: 1_025 }, (_, i) => String(i).padStart(4, "0"))),
    "removes: more than 1024 names",
  ],
];

describeCores((core, raw) => {
  describe("apply(), bytes", () => {
    test.each(BAD_MAPS)("a version map with %s → UPG_INVALID_VERSION_MAP, nothing written", (_, map, message) => {
      const store = dueStore({ a: 1n });
      const before = dump(store);
      expect(rawApply(raw, store, { map })).toBe(-MAP);
      expect(raw.error).toEqual({ code: MAP, message });
      expect(raw.calls).toMatchObject({ set: 0, delete: 0 });
      expect(dump(store)).toEqual(before);
    });

    test.each(BAD_NAMES)("removes with %s → UPG_INVALID_NAMES, nothing written", (_, removes, message) => {
      const store = dueStore();
      const before = dump(store);
      expect(rawApply(raw, store, { removes })).toBe(-NAMES);
      expect(raw.error).toEqual({ code: NAMES, message });
      expect(dump(store)).toEqual(before);
    });

    test("a bad map and bad removes → the map is the answer", () => {
      expect(rawApply(raw, dueStore(), { map: fromHex("1001"), removes: fromHex("1001") })).toBe(-MAP);
    });

    test("1,024 modules and 1,024 names, each of 140 bytes → taken", () => {
      const long = (prefix: string) =>
        Array.from({ length: 1_024 }, (_, i) => `${prefix}${String(i).padStart(139, "0")}`);
      const store = dueStore();
      const map = concatBytes(...long("a").map((name) => entry(name, UINT64_MAX)));
      expect(rawApply(raw, store, { map, removes: names(...long("b")) })).toBe(0);
      expect(Object.keys(dump(store)).filter((key) => key.startsWith("02"))).toHaveLength(1_024);
    });

    test("entries with their fields the other way round, twice, or explicit zeros → the last of each", () => {
      const store = dueStore();
      const map = fromHex(["0a0510020a0161", "0a0c0a0178100710090a01621003", "0a050a01631000"].join(""));
      expect(rawApply(raw, store, { map })).toBe(0);
      expect(core.versionMap(store)).toEqual(
        new Map([
          ["a", 2n],
          ["b", 3n],
          ["c", 0n],
        ]),
      );
    });
  });

  describe("setVersionMap()", () => {
    test.each(BAD_MAPS)("with %s → UPG_INVALID_VERSION_MAP, nothing written", (_, map, message) => {
      const store = storeOf({ [keyHex("02", "z")]: u64Hex(1n) });
      raw.reset(store);
      expect(raw.send("version_map_set", map)).toBe(-MAP);
      expect(raw.error).toEqual({ code: MAP, message });
      expect(dump(store)).toEqual({ [keyHex("02", "z")]: u64Hex(1n) });
    });

    test("replaces what is stored, lower versions and vanished modules included; nothing else changes", () => {
      const rest = { "00": "aa", "017631": u64Hex(1n), "03": u64Hex(1n), "047631": "bb" };
      const store = storeOf({ ...rest, [keyHex("02", "a")]: u64Hex(9n), [keyHex("02", "b")]: u64Hex(9n) });
      core.setVersionMap(
        store,
        new Map([
          ["c", 1n],
          ["b", 2n],
        ]),
      );
      expect(dump(store)).toEqual({ ...rest, [keyHex("02", "b")]: u64Hex(2n), [keyHex("02", "c")]: u64Hex(1n) });
      core.setVersionMap(store, new Map());
      expect(dump(store)).toEqual(rest);
    });

    test.each([
      ["-1n", -1n],
      ["2n ** 64n", 2n ** 64n],
    ])("with the version %s → UPG_INVALID_VERSION_MAP", (_, version) => {
      const store = storeOf();
      const message = "version map: a version must be a bigint from 0 to 2^64 - 1";
      expectRefused(
        store,
        () => core.setVersionMap(store, new Map([["a", version]])),
        "UPG_INVALID_VERSION_MAP",
        message,
      );
    });
  });

  test("the limits are those of host/base/types/limits.ts", () => {
    expect([MODULE_NAME_BYTES_MAX, VERSION_MAP_MODULES_MAX]).toEqual([140, 1_024]);
    expect(toHex(entry("a", 1n))).toBe("0a050a01611001");
  });
});
