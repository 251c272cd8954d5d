/** The reads of the module's store, and the keys of its records. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareText, fromHex, toHex, utf8 } from "../../host/base/text/bytes.js";
import { INT64_MAX, RECEIPT_BYTES_MAX, UINT64_MAX } from "../../host/base/types/limits.js";
import { describeCores, dump, expectRefused, keyHex, refusal, storeOf, u64Hex } from "./cores.js";
import { canonicalPlan } from "./plan-wire.js";

const LONG = "é".repeat(70);
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter((text) => utf8(text).length <= 140);

describeCores((core, raw) => {
  const done = (heights: Readonly<Record<string, bigint>>) =>
    storeOf(Object.fromEntries(Object.entries(heights).map(([key, height]) => [keyHex("01", key), u64Hex(height)])));

  describe("lastDone()", () => {
    test.each([
      ["nothing", {}, undefined],
      ["one", { v1: 10n }, ["v1", 10n]],
      ["two, the later name applied last", { v1: 10n, v2: 20n }, ["v2", 20n]],
      ["two, the later name applied first", { v1: 20n, v2: 10n }, ["v1", 20n]],
      ["names that order otherwise than their numbers", { "test-v0.9": 10n, "test-v0.10": 15n }, ["test-v0.10", 15n]],
      ["two at one height", { b: 20n, a: 20n }, ["b", 20n]],
      ["two at one height, one name the start of the other", { ab: 20n, a: 20n, Z: 20n }, ["ab", 20n]],
      ["three at one height behind a greater one", { a: 5n, b: 30n, c: 5n }, ["b", 30n]],
      ["the extremes", { a: INT64_MAX, b: 1n, c: INT64_MAX - 1n }, ["a", INT64_MAX]],
      ["the longest name", { [LONG]: 256n, a: 255n }, [LONG, 256n]],
      ["heights that differ in one byte each", { a: 1n << 8n, b: 1n, c: 1n << 32n, d: 1n << 16n }, ["c", 1n << 32n]],
    ])("of %s", (_, heights, expected) => {
      const last = core.lastDone(done(heights));
      expect(last && [last.name, last.height]).toEqual(expected);
    });

    test("of any upgrades → the greatest height, then the name that sorts last", () => {
      const upgrades = fc.dictionary(name, fc.bigInt(1n, 6n), { maxKeys: 12, noNullPrototype: true });
      fc.assert(
        fc.property(upgrades, (heights) => {
          const [expected] = Object.entries(heights).sort(([a, x], [b, y]) => Number(y - x) || compareText(b, a));
          const last = core.lastDone(done(heights));
          expect(last && [last.name, last.height]).toEqual(expected);
        }),
        { numRuns: 200 },
      );
    });

    test("of 300 → one walk, nothing but seeks", () => {
      raw.reset(
        done(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`v${i}`, BigInt(1 + ((i * 7) % 300))]))),
      );
      expect(raw.ask("last_done")).toEqual(Uint8Array.from([...fromHex("2c01000000000000"), ...utf8("v257")]));
      expect(raw.calls).toEqual({ get: 0, set: 0, delete: 0, seek: 301 });
    });
  });

  describe("doneHeight()", () => {
    test("of a name that is there, is not, begins one, goes on after one", () => {
      const store = done({ v2: 7n, [LONG]: INT64_MAX });
      const heights = ["v2", "v", "v22", "V2", LONG].map((key) => core.doneHeight(store, key));
      expect(heights).toEqual([7n, 0n, 0n, 0n, INT64_MAX]);
    });

    test.each(["", `${LONG}a`, "n".repeat(100_000), "\ud800"])("of a name that none can have (#%#) → 0", (key) => {
      expect(core.doneHeight(done({ v2: 7n }), key)).toBe(0n);
    });
  });

  describe("versionMap(), moduleVersion()", () => {
    test("of any map → ascending by bytes, every version as set", () => {
      const version = fc.oneof(fc.bigInt(0n, UINT64_MAX), fc.constantFrom(0n, 1n, 127n, 128n, INT64_MAX, UINT64_MAX));
      const modules = fc.uniqueArray(fc.tuple(name, version), { maxLength: 12, selector: ([key]) => key });
      fc.assert(
        fc.property(modules, (entries) => {
          const store = storeOf({ "01ff": "", "03": "" });
          core.setVersionMap(store, new Map(entries));
          const sorted = entries.toSorted(([a], [b]) => compareText(a, b));
          expect([...core.versionMap(store)]).toEqual(sorted);
          for (const [key, value] of sorted) expect(core.moduleVersion(store, key)).toBe(value);
        }),
        { numRuns: 200 },
      );
    });

    test.each(["", "ban", "bank2", `${LONG}a`, "\ud800"])("of the module %j, which is absent → undefined", (module) => {
      expect(core.moduleVersion(storeOf({ [keyHex("02", "bank")]: u64Hex(1n) }), module)).toBeUndefined();
    });

    test("of an empty store → an empty map", () => {
      expect(core.versionMap(storeOf())).toEqual(new Map());
    });
  });

  describe("protocolVersion()", () => {
    test.each([
      [undefined, 0n],
      [0n, 0n],
      [1n, 1n],
      [UINT64_MAX, UINT64_MAX],
    ])("stored as %s → %s", (stored, expected) => {
      expect(core.protocolVersion(storeOf(stored === undefined ? {} : { "03": u64Hex(stored) }))).toBe(expected);
    });
  });

  describe("plan(), planBytes()", () => {
    test("none → undefined; one → its fields, and its bytes as stored", () => {
      expect(core.plan(storeOf())).toBeUndefined();
      expect(core.planBytes(storeOf())).toBeUndefined();
      const bytes = canonicalPlan(LONG, INT64_MAX, "{}".repeat(32_768));
      const store = storeOf({ "00": toHex(bytes) });
      expect(core.planBytes(store)).toEqual(bytes);
      expect(core.plan(store)).toEqual({ name: LONG, height: INT64_MAX, info: "{}".repeat(32_768) });
    });
  });

  describe("decodePlan()", () => {
    test("deprecated fields → shown", () => {
      expect(core.decodePlan(fromHex("0a01611200180022016a2a00"))).toEqual({
        name: "a",
        height: 0n,
        info: "j",
        time: { seconds: 0n, nanos: 0 },
        upgradedClientState: { typeUrl: "", value: new Uint8Array() },
      });
    });

    test.each(["0a01ff", "2201ff"])("a text that is not UTF-8 (%s) → UPG_INVALID_PLAN_BYTES", (hex) => {
      const message = "a plan's name and info must be UTF-8";
      expect(() => core.decodePlan(fromHex(hex))).toThrow(refusal("UPG_INVALID_PLAN_BYTES", message));
    });
  });

  describe("receipt(), setReceipt()", () => {
    test.each([1, 255, 256, 257, 73_728, 73_729, 300_000, RECEIPT_BYTES_MAX])(
      "of %i bytes → the same bytes",
      (length) => {
        const store = storeOf();
        const receipt = Uint8Array.from({ length }, (_, i) => i * 31);
        core.setReceipt(store, LONG, receipt);
        expect(core.receipt(store, LONG)).toEqual(receipt);
        expect(Object.keys(dump(store))).toEqual([keyHex("04", LONG)]);
      },
    );

    test("again → replaced; of another name → undefined", () => {
      const store = storeOf();
      core.setReceipt(store, "v2", fromHex("01"));
      core.setReceipt(store, "v2", fromHex("02"));
      expect(dump(store)).toEqual({ [keyHex("04", "v2")]: "02" });
      for (const other of ["v", "v22", "", `${LONG}a`]) expect(core.receipt(store, other)).toBeUndefined();
    });

    test("of no bytes → UPG_INVALID_VALUE: a proof could not show it", () => {
      const store = storeOf();
      const work = () => core.setReceipt(store, "v2", new Uint8Array());
      expectRefused(store, work, "UPG_INVALID_VALUE", "a receipt has 1 byte to 512 KiB");
    });

    test.each([RECEIPT_BYTES_MAX + 1, 700_000, 1_048_576])("of %i bytes → UPG_INVALID_VALUE", (length) => {
      const store = storeOf();
      const work = () => core.setReceipt(store, "v2", new Uint8Array(length));
      expectRefused(store, work, "UPG_INVALID_VALUE", "a receipt has 1 byte to 512 KiB");
    });

    test.each([
      ["", "name cannot be empty: invalid request"],
      [`${LONG}a`, "name expected at most 140 bytes, got 141: invalid request"],
      ["\udfff", "name is not UTF-8: invalid request"],
    ])("of the name %j → UPG_INVALID_PLAN_NAME", (key, message) => {
      const store = storeOf();
      expectRefused(store, () => core.setReceipt(store, key, fromHex("01")), "UPG_INVALID_PLAN_NAME", message);
    });
  });

  describe("keys", () => {
    test("are those of specification 2.10", () => {
      expect(toHex(core.planKey())).toBe("00");
      expect(toHex(core.doneKey("v2"))).toBe("017632");
      expect(toHex(core.versionKey("bank"))).toBe("0262616e6b");
      expect(toHex(core.protocolKey())).toBe("03");
      expect(toHex(core.receiptKey("v2"))).toBe("047632");
    });

    test("of the longest names → 141 bytes", () => {
      for (const [key, prefix] of [
        [core.doneKey(LONG), "01"],
        [core.versionKey(LONG), "02"],
        [core.receiptKey(LONG), "04"],
      ] as const) {
        expect(toHex(key)).toBe(keyHex(prefix, LONG));
        expect(key.length).toBe(141);
      }
    });

    test.each(["", `${LONG}a`, "a\ud800"])("of %j → refused: no record has such a key", (text) => {
      expect(() => core.doneKey(text)).toThrow(refusal("UPG_INVALID_PLAN_NAME"));
      expect(() => core.receiptKey(text)).toThrow(refusal("UPG_INVALID_PLAN_NAME"));
      const message = "a module name must be 1 to 140 bytes of UTF-8";
      expect(() => core.versionKey(text)).toThrow(refusal("UPG_INVALID_NAMES", message));
    });

    test("are those under which the transitions write", () => {
      const store = storeOf();
      core.schedule(store, 1n, { name: "v2", height: 1n, info: "" });
      core.apply(store, 1n, core.planBytes(store) ?? new Uint8Array(), new Map([["bank", 1n]]), []);
      core.schedule(store, 2n, { name: "v3", height: 2n, info: "" });
      core.setReceipt(store, "v2", fromHex("01"));
      const keys = [
        core.planKey(),
        core.doneKey("v2"),
        core.versionKey("bank"),
        core.protocolKey(),
        core.receiptKey("v2"),
      ];
      expect(Object.keys(dump(store))).toEqual(keys.map(toHex));
    });
  });
});
