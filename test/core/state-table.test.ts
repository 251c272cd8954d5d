/** preBlock(): the state table, every row and which of two rows wins, against a table written out here. */
import { describe, expect, test } from "vitest";
import { INT64_MAX } from "../../host/base/types/limits.js";
import type { Decision } from "../../host/base/types/types.js";
import { describeCores, dump, expectRefused, storeOf, u64Hex } from "./cores.js";

const HEIGHT = 100n;
const TIME = "120b088092b8c398feffffff01";
/** Hex of the plan "v2" at a height below 128. */
const planAt = (height: number) => `0a027632${TIME}18${height.toString(16).padStart(2, "0")}`;
const PLANS: Readonly<Record<string, string | undefined>> = {
  "no plan": undefined,
  "a plan for the next block": planAt(101),
  "a plan for this block": planAt(100),
  "a plan for an earlier block": planAt(99),
};
/** Upgrades that were applied, by key and value. */
const LASTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "nothing applied": {},
  "one applied": { "017631": u64Hex(50n) },
  "several applied": { "017631": u64Hex(50n), "01617574": u64Hex(60n), "017a": u64Hex(7n) },
};

const LETTERS: Readonly<Record<string, Decision>> = {
  i: "Idle",
  p: "Pending",
  s: "Skip",
  a: "Apply",
  n: "HaltUpgradeNeeded",
  e: "HaltBinaryTooEarly",
  m: "HaltHandlerMissing",
};
const NUMBERS: readonly Decision[] = [
  "Idle",
  "Pending",
  "Skip",
  "Apply",
  "HaltUpgradeNeeded",
  "HaltBinaryTooEarly",
  "HaltHandlerMissing",
];
const [HANDLER, LAST_HANDLER, SKIP, FIRST] = [1, 2, 4, 8];

// Flags 0 to 15 from left to right; the last upgrade is known to this process where flag 2 is set.
const TABLE: readonly (readonly [plan: string, last: string, decisions: string])[] = [
  ["no plan", "nothing applied", "iiiiiiii" + "iiiiiiii"],
  ["no plan", "one applied", "iiiiiiii" + "mmiimmii"],
  ["no plan", "several applied", "iiiiiiii" + "mmiimmii"],
  ["a plan for the next block", "nothing applied", "pepepepe" + "pepepepe"],
  ["a plan for the next block", "one applied", "pepepepe" + "mmpemmpe"],
  ["a plan for the next block", "several applied", "pepepepe" + "mmpemmpe"],
  ["a plan for this block", "nothing applied", "nanassss" + "nanassss"],
  ["a plan for this block", "one applied", "nanassss" + "nanammss"],
  ["a plan for this block", "several applied", "nanassss" + "nanammss"],
  ["a plan for an earlier block", "nothing applied", "nanassss" + "nanassss"],
  ["a plan for an earlier block", "one applied", "nanassss" + "nanammss"],
  ["a plan for an earlier block", "several applied", "nanassss" + "nanammss"],
];

const factsOf = (flags: number) => ({
  hasHandler: (flags & HANDLER) !== 0,
  hasLastHandler: (flags & LAST_HANDLER) !== 0,
  isSkipHeight: (flags & SKIP) !== 0,
  isFirstBlock: (flags & FIRST) !== 0,
});

describeCores((core, raw) => {
  describe("preBlock()", () => {
    test("the table has every pair of a plan and a history, sixteen flags each", () => {
      const pairs = Object.keys(PLANS).flatMap((plan) => Object.keys(LASTS).map((last) => `${plan}, ${last}`));
      expect(TABLE.map(([plan, last]) => `${plan}, ${last}`)).toEqual(pairs);
      for (const [, , decisions] of TABLE) expect(decisions).toMatch(/^[ipsanem]{16}$/);
    });

    test.each(TABLE)("with %s, %s → %s by flags, writing nothing", (plan, last, decisions) => {
      const stored = PLANS[plan];
      const store = storeOf({
        ...(stored && { "00": stored }),
        ...LASTS[last],
        "026175": u64Hex(1n),
        "03": u64Hex(2n),
      });
      const before = dump(store);
      [...decisions].forEach((letter, flags) => {
        const decision = core.preBlock(store, HEIGHT, factsOf(flags));
        expect(decision, `flags ${flags}`).toBe(LETTERS[letter]);
        raw.reset(store);
        expect(raw.call("pre_block", HEIGHT, flags), `number of the decision, flags ${flags}`).toBe(
          NUMBERS.indexOf(decision),
        );
        expect(raw.calls).toMatchObject({ get: 1, set: 0, delete: 0 });
      });
      expect(dump(store)).toEqual(before);
    });

    test("with a plan that is due and not skipped → no record of an applied upgrade is read", () => {
      raw.reset(storeOf({ "00": planAt(100), "0176": "00" }));
      for (const flags of [FIRST, FIRST | HANDLER])
        expect(Number(raw.call("pre_block", HEIGHT, flags))).toBeGreaterThan(2);
      expect(raw.calls.seek).toBe(0);
      expect(raw.call("pre_block", HEIGHT, FIRST | SKIP)).toBe(-110);
    });

    test("a skip height is compared with the block, not with the plan → a missed plan is still skipped", () => {
      const store = storeOf({ "00": planAt(99) });
      expect(core.preBlock(store, HEIGHT, factsOf(SKIP | HANDLER))).toBe("Skip");
      expect(core.preBlock(store, 98n, factsOf(SKIP | HANDLER))).toBe("HaltBinaryTooEarly");
    });

    test.each([
      [0n, "Pending"],
      [99n, "Pending"],
      [100n, "HaltUpgradeNeeded"],
      [INT64_MAX, "HaltUpgradeNeeded"],
    ])("at height %s for a plan at 100 → %s", (height, decision) => {
      expect(core.preBlock(storeOf({ "00": planAt(100) }), height, factsOf(0))).toBe(decision);
    });

    test("for a plan at the greatest height → due there and not one before", () => {
      const store = storeOf({ "00": `0a027632${TIME}18ffffffffffffffff7f` });
      expect(core.preBlock(store, INT64_MAX - 1n, factsOf(HANDLER))).toBe("HaltBinaryTooEarly");
      expect(core.preBlock(store, INT64_MAX, factsOf(HANDLER))).toBe("Apply");
    });

    test.each([-1n, -INT64_MAX - 1n])("at height %s → UPG_INVALID_HEIGHT", (height) => {
      const message = "pre_block: height must not be negative";
      expectRefused(storeOf(), () => core.preBlock(storeOf(), height, factsOf(0)), "UPG_INVALID_HEIGHT", message);
    });

    test.each([16, 31, 1 << 30, -1])("with the flags %i → UPG_INVALID_ARGUMENT", (flags) => {
      raw.reset();
      expect(raw.call("pre_block", HEIGHT, flags)).toBe(-19);
      expect(raw.error).toEqual({ code: 19, message: "pre_block: unknown flag" });
      expect(raw.calls).toEqual({ get: 0, set: 0, delete: 0, seek: 0 });
    });
  });

  describe("clear(), what a host does on Skip", () => {
    test("clears the plan → not Done, versions and protocol version untouched", () => {
      const rest = { "017631": u64Hex(50n), "02617574": u64Hex(3n), "03": u64Hex(1n), "047631": "aa" };
      const store = storeOf({ "00": planAt(100), ...rest });
      core.clear(store);
      expect(dump(store)).toEqual(rest);
      expect(core.doneHeight(store, "v2")).toBe(0n);
    });
  });
});
