/** A store that holds what the core would never write: UPG_STORE_CORRUPT, which names key and length, and no guess. */
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../host/base/text/bytes.js";
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../host/base/types/limits.js";
import type { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import type { Core } from "../../host/upgrade/core/core.js";
import { HEIGHT, PLAN } from "./applying.js";
import { describeCores, expectRefused, keyHex, storeOf, u64Hex } from "./cores.js";
import { canonicalPlan, TIME_ZERO, wirePlan } from "./plan-wire.js";

const FACTS = { hasHandler: true, hasLastHandler: false, isSkipHeight: false, isFirstBlock: true };
const NAME = "bank";
const CORRUPT = 'store "upgrade": ';
const LENGTHS = [0, 1, 7, 9, 16, 355, 356, 504, 505, 65_000, VALUE_BYTES_MAX];

type Operation = (core: Core, store: MemoryKVStore) => unknown;
const AFTER = new Map([
  ["auth", 1n],
  [NAME, 2n],
]);
const schedule: Operation = (core, store) => core.schedule(store, HEIGHT, { name: NAME, height: HEIGHT, info: "" });
const preBlock: Operation = (core, store) => core.preBlock(store, HEIGHT - 1n, FACTS);
const apply: Operation = (core, store) => {
  core.apply(store, HEIGHT, PLAN, AFTER, []);
};

/** Operations that read one record by its key, and those that walk over all records of a prefix. */
const BY_KEY: readonly (readonly [what: string, prefix: string, operation: Operation])[] = [
  ["schedule()", "01", schedule],
  ["doneHeight()", "01", (core, store) => core.doneHeight(store, NAME)],
  ["moduleVersion()", "02", (core, store) => core.moduleVersion(store, NAME)],
];
const WALKS: readonly (readonly [what: string, prefix: string, operation: Operation])[] = [
  ["lastDone()", "01", (core, store) => core.lastDone(store)],
  ["preBlock()", "01", preBlock],
  ["apply()", "02", apply],
  ["versionMap()", "02", (core, store) => core.versionMap(store)],
  ["setVersionMap()", "02", (core, store) => core.setVersionMap(store, new Map([[NAME, 2n]]))],
];

/** A plan that is due at `HEIGHT`, and these records. */
const withPlan = (records: Readonly<Record<string, string>>) => storeOf({ "00": toHex(PLAN), ...records });
const zeros = (length: number) => "00".repeat(length);

describeCores((core) => {
  const corrupt = (store: MemoryKVStore, operation: Operation, message: string) =>
    expectRefused(store, () => operation(core, store), "UPG_STORE_CORRUPT", CORRUPT + message);

  test.each(BY_KEY)("%s with a value of another length than 8 under %s → key and length", (_, prefix, operation) => {
    const key = keyHex(prefix, NAME);
    for (const length of LENGTHS) {
      corrupt(storeOf({ [key]: zeros(length) }), operation, `the value of key ${key} has ${length} bytes, expected 8`);
    }
  });

  test.each(WALKS)("%s with a value of another length than 8 under %s → key and length", (_, prefix, operation) => {
    const before = { [keyHex(prefix, "auth")]: u64Hex(1n) };
    const key = keyHex(prefix, NAME);
    for (const length of LENGTHS) {
      const store = withPlan({ ...before, [key]: zeros(length) });
      const message =
        length < 65_536
          ? `the value of key ${key} has ${length} bytes, expected 8`
          : `the first pair at or behind key ${keyHex(prefix, "auth")}00 takes ${length + 5} bytes, expected at most 149`;
      corrupt(store, operation, message);
    }
  });

  test.each(WALKS)("%s with a key that holds no name under %s → key and length", (_, prefix, operation) => {
    const name = "ab".repeat(140);
    const keys: readonly (readonly [key: string, shown: string])[] = [
      [prefix, prefix],
      [prefix + "61".repeat(141), `${prefix}${"61".repeat(140)}...`],
      [prefix + "61".repeat(KEY_BYTES_MAX - 1), `${prefix}${"61".repeat(140)}...`],
      [`${prefix}ff`, `${prefix}ff`],
      [prefix + name, prefix + name],
      [`${prefix}61eda080`, `${prefix}61eda080`],
    ];
    for (const [key, shown] of keys) {
      const message = `key ${shown} has ${key.length / 2} bytes, expected 2 to 141 with a name in UTF-8`;
      corrupt(withPlan({ [key]: u64Hex(1n) }), operation, message);
    }
  });

  describe("a Done record that is no height", () => {
    const DONE = [...BY_KEY, ...WALKS].filter(([, prefix]) => prefix === "01");

    test.each(DONE)("%s with a height of 0 or past 2^63 - 1 → key and number", (_, _prefix, operation) => {
      for (const height of [0n, 2n ** 63n, 2n ** 63n + 1n, 2n ** 64n - 2n, 2n ** 64n - 1n]) {
        const store = withPlan({ [keyHex("01", NAME)]: u64Hex(height) });
        corrupt(store, operation, `the value of key 0162616e6b is ${height}, which is not a height`);
      }
    });
  });

  describe("protocol version", () => {
    const OPERATIONS = [apply, (c: Core, store: MemoryKVStore) => c.protocolVersion(store)];

    test("of another length than 8 → key and length", () => {
      for (const operation of OPERATIONS) {
        for (const length of LENGTHS) {
          corrupt(withPlan({ "03": zeros(length) }), operation, `the value of key 03 has ${length} bytes, expected 8`);
        }
      }
    });

    test("of 2^64 - 2 → one more; of 2^64 - 1 → no more", () => {
      const store = withPlan({ "03": u64Hex(2n ** 64n - 2n) });
      apply(core, store);
      expect(core.protocolVersion(store)).toBe(2n ** 64n - 1n);
      corrupt(withPlan({ "03": u64Hex(2n ** 64n - 1n) }), apply, "the protocol version is 2^64 - 1");
    });
  });

  describe("plan", () => {
    const garbage: readonly (readonly [what: string, bytes: Uint8Array])[] = [
      ["nothing", new Uint8Array()],
      ["a byte", fromHex("ff")],
      ["zeros", new Uint8Array(21)],
      ["half a plan", PLAN.slice(0, 9)],
      ["a plan and a byte", Uint8Array.from([...PLAN, 0])],
      ["an unknown field", Uint8Array.from([...PLAN, 0x30, 1])],
      ["another record", fromHex(u64Hex(7n))],
      ["73,728 bytes", new Uint8Array(73_728)],
      ["73,729 bytes", new Uint8Array(73_729)],
      ["1 MiB", new Uint8Array(VALUE_BYTES_MAX)],
      ["no name", canonicalPlan("", HEIGHT)],
      ["a name of 141 bytes", canonicalPlan("n".repeat(141), HEIGHT)],
      ["a name that is not UTF-8", wirePlan({ name: fromHex("ff"), height: HEIGHT })],
      ["no height", canonicalPlan("v2", 0n)],
      ["a negative height", canonicalPlan("v2", -1n)],
      ["a time", wirePlan({ name: "v2", height: HEIGHT, time: { ...TIME_ZERO, nanos: 1 } })],
      ["a client state", wirePlan({ name: "v2", height: HEIGHT, clientState: fromHex("0a0161") })],
      ["an info of 65,537 bytes", canonicalPlan("v2", HEIGHT, "i".repeat(65_537))],
    ];

    test.each(garbage)("of %s → its key and length, whatever asks for it", (_, bytes) => {
      const store = storeOf({ "00": toHex(bytes) });
      const message = `the value of key 00 has ${bytes.length} bytes, which are not a valid Plan`;
      corrupt(store, preBlock, message);
      corrupt(store, apply, message);
      corrupt(store, (c) => c.planBytes(store), message);
      corrupt(store, (c) => c.plan(store), message);
    });

    test("of anything → schedule() replaces it", () => {
      for (const [, bytes] of garbage) {
        const store = storeOf({ "00": toHex(bytes) });
        schedule(core, store);
        expect(core.plan(store)).toEqual({ name: NAME, height: HEIGHT, info: "" });
      }
    });
  });

  test("records under other prefixes, and under 05 and up → not looked at", () => {
    const store = withPlan({ "04": "aa", "0461": "", "05": "01", "0561": "02", ff: "03" });
    expect(core.lastDone(store)).toBeUndefined();
    expect(core.versionMap(store).size).toBe(0);
    apply(core, store);
    expect(core.lastDone(store)).toEqual({ name: "v2", height: HEIGHT });
    expect(core.versionMap(store)).toEqual(AFTER);
  });
});
