/** apply(): what it writes, and what it refuses without writing anything. */
import { describe, expect, test } from "vitest";
import { toHex } from "../../host/base/text/bytes.js";
import { INT64_MAX, UINT64_MAX } from "../../host/base/types/limits.js";
import { dueStore, HEIGHT, PLAN } from "./applying.js";
import { describeCores, dump, expectRefused, keyHex, storeOf, u64Hex } from "./cores.js";
import { canonicalPlan } from "./plan-wire.js";

const map = (versions: Readonly<Record<string, bigint>>) => new Map(Object.entries(versions));

describeCores((core, raw) => {
  describe("apply(), what it writes", () => {
    test("versions, protocol version + 1, no plan, Done at the block's height; the rest stays", () => {
      const rest = { "017631": u64Hex(5n), "047631": "aabb", "05": "01" };
      const store = dueStore({ auth: 1n, bank: 2n, old: 9n }, { ...rest, "03": u64Hex(41n) });
      core.apply(store, HEIGHT + 3n, PLAN, map({ nft: 1n, bank: 2n, auth: 2n }), ["old"]);
      expect(dump(store)).toEqual({
        ...rest,
        [keyHex("01", "v2")]: "0000000000000067",
        [keyHex("02", "auth")]: "0000000000000002",
        [keyHex("02", "bank")]: "0000000000000002",
        [keyHex("02", "nft")]: "0000000000000001",
        "03": "000000000000002a",
      });
      expect(core.lastDone(store)).toEqual({ name: "v2", height: HEIGHT + 3n });
    });

    test("in an empty module → protocol version 1", () => {
      const store = dueStore();
      core.apply(store, HEIGHT, PLAN, map({}), []);
      expect(dump(store)).toEqual({ [keyHex("01", "v2")]: u64Hex(HEIGHT), "03": u64Hex(1n) });
    });

    test("the longest names, of a plan and of a module → written", () => {
      const name = "é".repeat(70);
      const plan = canonicalPlan(name, HEIGHT);
      const store = storeOf({ "00": toHex(plan), [keyHex("02", "m".repeat(140))]: u64Hex(1n) });
      core.apply(store, HEIGHT, plan, map({ [name]: 7n }), ["m".repeat(140)]);
      expect(dump(store)).toEqual({
        [keyHex("01", name)]: u64Hex(HEIGHT),
        [keyHex("02", name)]: u64Hex(7n),
        "03": u64Hex(1n),
      });
    });

    test.each([
      [0n, 0n],
      [0n, UINT64_MAX],
      [UINT64_MAX, UINT64_MAX],
      [2n ** 63n - 1n, 2n ** 63n],
      [127n, 128n],
    ])("a version from %s to %s → written", (from, to) => {
      const store = dueStore({ bank: from });
      core.apply(store, HEIGHT, PLAN, map({ bank: to }), []);
      expect(core.moduleVersion(store, "bank")).toBe(to);
      expect(core.versionMap(store)).toEqual(map({ bank: to }));
    });

    test("at the greatest height → written", () => {
      const store = dueStore();
      core.apply(store, INT64_MAX, PLAN, map({}), []);
      expect(core.doneHeight(store, "v2")).toBe(INT64_MAX);
    });

    test("names that order differently as bytes and as UTF-16 → ascending by bytes", () => {
      const store = dueStore({ "\ufb01": 1n });
      core.apply(store, HEIGHT, PLAN, map({ "\u{10000}": 2n, "\ufb01": 1n, z: 3n, "z-": 4n }), []);
      expect([...core.versionMap(store).keys()]).toEqual(["z", "z-", "\ufb01", "\u{10000}"]);
    });

    test("1,024 modules, all replaced by 1,024 others", () => {
      const name = (prefix: string, i: number) => `${prefix}${i.toString().padStart(139, "0")}`;
      const many = (prefix: string) =>
        Object.fromEntries(Array.from({ length: 1_024 }, (_, i) => [name(prefix, i), BigInt(i)]));
      const store = dueStore(many("a"));
      core.apply(store, HEIGHT, PLAN, map(many("b")), Object.keys(many("a")));
      expect(core.versionMap(store)).toEqual(map(many("b")));
    });

    test("new modules before, between and after stored ones → all there, each written once", () => {
      raw.reset(dueStore({ b: 1n, d: 1n, f: 1n }));
      core.apply(raw.store, HEIGHT, PLAN, map({ a: 1n, b: 2n, c: 1n, e: 1n, f: 1n, g: 1n }), ["d"]);
      expect([...core.versionMap(raw.store)]).toEqual([
        ["a", 1n],
        ["b", 2n],
        ["c", 1n],
        ["e", 1n],
        ["f", 1n],
        ["g", 1n],
      ]);
    });
  });

  describe("apply(), the plan", () => {
    const CHANGED = "the plan changed between the hook that decided and the one that applies";

    test("other bytes than the stored ones, even of the same plan → UPG_BUG_PLAN_CHANGED", () => {
      const store = dueStore();
      const others = [
        new Uint8Array(),
        PLAN.slice(0, -1),
        Uint8Array.from([...PLAN, 0]),
        canonicalPlan("v2", HEIGHT, "inf0"),
        Uint8Array.from([...PLAN, 0x18, 100]),
      ];
      for (const seen of others) {
        expectRefused(store, () => core.apply(store, HEIGHT, seen, map({}), []), "UPG_BUG_PLAN_CHANGED", CHANGED);
      }
    });

    test("no stored plan → UPG_BUG_PLAN_CHANGED", () => {
      const store = storeOf({ "03": u64Hex(1n) });
      expectRefused(store, () => core.apply(store, HEIGHT, PLAN, map({}), []), "UPG_BUG_PLAN_CHANGED", CHANGED);
      expectRefused(store, () => core.apply(store, HEIGHT, new Uint8Array(), map({}), []), "UPG_BUG_PLAN_CHANGED");
    });

    test("one block before it is due → UPG_INVALID_HEIGHT", () => {
      const store = dueStore();
      const work = () => core.apply(store, HEIGHT - 1n, PLAN, map({}), []);
      expectRefused(store, work, "UPG_INVALID_HEIGHT", "apply: the plan is not due at this height");
    });

    test.each([0n, -1n, -INT64_MAX - 1n])("at height %s → UPG_INVALID_HEIGHT", (height) => {
      const store = dueStore();
      const work = () => core.apply(store, height, PLAN, map({}), []);
      expectRefused(store, work, "UPG_INVALID_HEIGHT", "apply: height must be greater than 0");
    });
  });

  describe("apply(), the version map against the stored one", () => {
    const refused = (
      stored: Readonly<Record<string, bigint>>,
      returned: Readonly<Record<string, bigint>>,
      removes: readonly string[],
      message: string,
    ) => {
      const store = dueStore(stored);
      const work = () => core.apply(store, HEIGHT, PLAN, map(returned), removes);
      expectRefused(store, work, "UPG_MIGRATION_VERSION_MAP", message);
    };
    // Specification 2.30.
    const vanishes = (name: string) => `module ${name} vanishes from the version map and is not in removes`;
    // Specification 2.31.
    const contradicts = (name: string) => `module ${name} is in removes and in the version map`;
    // Specification 2.32.
    const lowered = (name: string) => `module ${name} goes down to a lower consensus version`;

    test.each([
      ["the first", { a: 1n, b: 1n, c: 1n }, { b: 1n, c: 1n }, [], vanishes("a")],
      ["one in the middle", { a: 1n, b: 1n, c: 1n }, { a: 1n, c: 1n }, ["a1", "bb"], vanishes("b")],
      ["the last", { a: 1n, b: 1n, c: 1n }, { a: 1n, b: 1n }, [], vanishes("c")],
      ["all", { a: 1n, b: 1n }, {}, [], vanishes("a")],
      ["one of two that removes names", { a: 1n, b: 1n }, {}, ["a"], vanishes("b")],
      ["one with version 0", { a: 0n }, {}, [], vanishes("a")],
      ["one whose name begins another's", { a: 1n, aa: 1n }, { aa: 1n }, [], vanishes("a")],
      ["one that is renamed", { a: 1n }, { b: 1n }, ["b"], vanishes("a")],
    ])("%s vanishes without removes → UPG_MIGRATION_VERSION_MAP", (_, stored, returned, removes, message) => {
      refused(stored, returned, removes, message);
    });

    test.each([
      ["a stored module", { a: 1n }, { a: 1n }, ["a"], contradicts("a")],
      ["a new module", { a: 1n }, { a: 1n, b: 1n }, ["b"], contradicts("b")],
      ["the last of several", { a: 1n, c: 1n }, { c: 1n }, ["a", "c"], contradicts("c")],
      ["a module that would also go down", { a: 2n }, { a: 1n }, ["a"], contradicts("a")],
    ])("removes names %s that the map has → UPG_MIGRATION_VERSION_MAP", (_, stored, returned, removes, message) => {
      refused(stored, returned, removes, message);
    });

    test.each([
      [1n, 0n],
      [2n, 1n],
      [UINT64_MAX, UINT64_MAX - 1n],
      [2n ** 63n, 2n ** 63n - 1n],
      [UINT64_MAX, 0n],
    ])("a version from %s down to %s → UPG_MIGRATION_VERSION_MAP", (from, to) => {
      refused({ bank: from }, { auth: 1n, bank: to, zeta: 1n }, [], lowered("bank"));
      refused({ auth: 1n, bank: from, zeta: 9n }, { auth: 1n, bank: to }, ["zeta"], lowered("bank"));
    });

    test("removes that name what was never there, or a module twice → accepted", () => {
      const store = dueStore({ a: 1n });
      core.apply(store, HEIGHT, PLAN, map({}), ["zz", "a", "a", "b"]);
      expect(core.versionMap(store).size).toBe(0);
    });
  });
});
