import { describe, expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../host/base/text/bytes.js";
import { INT64_MAX } from "../../host/base/types/limits.js";
import { describeCores, dump, expectRefused, refusal, storeOf, u64Hex } from "./cores.js";
import { canonicalPlan, TIME_ZERO, wirePlan } from "./plan-wire.js";

import { NOW, plan, Scheduling, TEXTS } from "./scheduling.js";

const INT64_MIN = -INT64_MAX - 1n;
const ANY = { typeUrl: "/ibc.lightclients.tendermint.v1.ClientState", value: Uint8Array.of(8, 1) };

describeCores((core) => {
  const scheduling = new Scheduling(core);

  describe("schedule(), the height", () => {
    test.each([0n, -1n, INT64_MIN])("%s → UPG_INVALID_PLAN_HEIGHT", (height) => {
      scheduling.refused("UPG_INVALID_PLAN_HEIGHT", TEXTS.height, { height });
      scheduling.refused("UPG_INVALID_PLAN_HEIGHT", TEXTS.height, { height }, 0n);
    });

    test("of 1 and of 2^63 - 1 → accepted", () => {
      scheduling.accepted({ height: 1n }, 0n);
      scheduling.accepted({ height: 1n }, 1n);
      scheduling.accepted({ height: INT64_MAX });
      scheduling.accepted({ height: INT64_MAX }, INT64_MAX);
    });

    test("one below, at and one above the block's → in the past, accepted, accepted", () => {
      scheduling.refused("UPG_INVALID_PLAN_IN_PAST", TEXTS.past, { height: NOW - 1n });
      scheduling.accepted({ height: NOW });
      scheduling.accepted({ height: NOW + 1n });
      scheduling.refused("UPG_INVALID_PLAN_IN_PAST", TEXTS.past, { height: 1n }, INT64_MAX);
    });

    test("that is no bigint of 64 bits → UPG_INVALID_PLAN_HEIGHT", () => {
      for (const height of [INT64_MAX + 1n, INT64_MIN - 1n, 2n ** 64n + 100n]) {
        scheduling.refused("UPG_INVALID_PLAN_HEIGHT", `height must be a bigint of 64 bits, got ${height}`, { height });
      }
    });

    test("of a block that is negative or no bigint of 64 bits → UPG_INVALID_HEIGHT", () => {
      scheduling.refused("UPG_INVALID_HEIGHT", "plan_schedule: height must not be negative", {}, -1n);
      scheduling.refused("UPG_INVALID_HEIGHT", "plan_schedule: height must not be negative", {}, INT64_MIN);
      const text = "height must be a bigint of 64 bits, got 9223372036854775808";
      scheduling.refused("UPG_INVALID_HEIGHT", text, {}, INT64_MAX + 1n);
    });
  });

  describe("schedule(), deprecated fields", () => {
    test.each([
      ["1970", 0n, 0],
      ["now", 1_700_000_000n, 5],
      ["one second behind zero", TIME_ZERO.seconds + 1n, 0],
      ["one nanosecond behind zero", TIME_ZERO.seconds, 1],
      ["the last nanosecond of 9999", 253_402_300_799n, 999_999_999],
    ])("a time of %s → UPG_INVALID_PLAN_DEPRECATED", (_, seconds, nanos) => {
      scheduling.refused("UPG_INVALID_PLAN_DEPRECATED", TEXTS.time, { time: { seconds, nanos } });
      scheduling.bytesRefused("UPG_INVALID_PLAN_DEPRECATED", TEXTS.time, { time: { seconds, nanos } });
    });

    test("a time that is absent or zero → accepted; present and empty is 1970 → refused", () => {
      for (const time of [undefined, TIME_ZERO]) {
        const store = storeOf();
        core.scheduleBytes(store, NOW, wirePlan({ name: "v2", height: 100n, ...(time && { time }) }));
        expect(core.plan(store)).toEqual(plan());
      }
      expect(() => core.validatePlan(fromHex("0a02763212001864"))).toThrow(
        refusal("UPG_INVALID_PLAN_DEPRECATED", TEXTS.time),
      );
    });

    test.each([
      [TIME_ZERO.seconds - 1n, 0],
      [253_402_300_800n, 0],
      [INT64_MAX, 0],
      [0n, -1],
      [0n, 1_000_000_000],
      [TIME_ZERO.seconds, 2 ** 31 - 1],
    ])("a time of %s s %i ns → UPG_INVALID_PLAN_BYTES: outside the years 1 to 9999", (seconds, nanos) => {
      const message = "plan fields: time is outside the years 1 to 9999";
      scheduling.refused("UPG_INVALID_PLAN_BYTES", message, { time: { seconds, nanos } });
      const text = "not a Plan: malformed or unknown field, or time out of range, at byte 6";
      const bytes = wirePlan({ name: "v2", height: 1n, time: { seconds, nanos } }, ["name", "height", "time"]);
      expect(() => core.validatePlan(bytes)).toThrow(refusal("UPG_INVALID_PLAN_BYTES", text));
    });

    test.each([
      [INT64_MAX + 1n, 0],
      [TIME_ZERO.seconds, 2 ** 32],
      [TIME_ZERO.seconds, 0.5],
      [TIME_ZERO.seconds, Number.NaN],
      [TIME_ZERO.seconds - 2n ** 64n, 0],
    ])("a time of %s s %d ns, which no field holds → UPG_INVALID_PLAN_BYTES", (seconds, nanos) => {
      const message = `time must be a bigint of seconds and whole nanos, got ${seconds} and ${nanos}`;
      scheduling.refused("UPG_INVALID_PLAN_BYTES", message, { time: { seconds, nanos } });
    });

    test("a client state, even an empty one → UPG_INVALID_PLAN_DEPRECATED", () => {
      scheduling.refused("UPG_INVALID_PLAN_DEPRECATED", TEXTS.clientState, { upgradedClientState: ANY });
      const nothing = { typeUrl: "", value: new Uint8Array() };
      scheduling.refused("UPG_INVALID_PLAN_DEPRECATED", TEXTS.clientState, { upgradedClientState: nothing });
      scheduling.bytesRefused("UPG_INVALID_PLAN_DEPRECATED", TEXTS.clientState, { clientState: new Uint8Array() });
    });

    test("encodePlan() of a client state → UPG_INVALID_PLAN_DEPRECATED", () => {
      const expected = refusal("UPG_INVALID_PLAN_DEPRECATED", TEXTS.clientState);
      expect(() => core.encodePlan(plan({ upgradedClientState: ANY }))).toThrow(expected);
    });
  });

  describe("schedule(), names that were used", () => {
    test("a name that is Done → UPG_INVALID_PLAN_DONE, at any height; its prefix is another name", () => {
      for (const name of ["v1", "é", "n".repeat(140)]) {
        const store = storeOf({ [`01${toHex(utf8(name))}`]: u64Hex(1n) });
        const work = () => core.schedule(store, NOW, plan({ name, height: INT64_MAX }));
        expectRefused(store, work, "UPG_INVALID_PLAN_DONE", TEXTS.done(name));
        core.schedule(store, NOW, plan({ name: `${name.slice(0, 1)}-` }));
      }
    });

    test("the name of the scheduled plan, of a cleared one, of a cancelled one → accepted", () => {
      const store = storeOf();
      core.schedule(store, NOW, plan());
      core.schedule(store, NOW, plan({ height: 101n }));
      core.clear(store);
      core.schedule(store, NOW, plan({ height: 102n }));
      expect(core.plan(store)).toEqual(plan({ height: 102n }));
    });
  });

  describe("clear()", () => {
    test("with a plan, and again without one → no plan, no error, nothing else changed", () => {
      const store = storeOf({ "00": toHex(canonicalPlan("v2", 100n)), "03": u64Hex(1n) });
      core.clear(store);
      expect(dump(store)).toEqual({ "03": u64Hex(1n) });
      core.clear(store);
      expect(dump(store)).toEqual({ "03": u64Hex(1n) });
      expect(core.plan(store)).toBeUndefined();
    });

    test("of bytes that are no plan → cleared: a way out", () => {
      const store = storeOf({ "00": "ff" });
      core.clear(store);
      expect(dump(store)).toEqual({});
    });
  });
});
