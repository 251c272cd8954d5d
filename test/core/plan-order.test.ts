import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../host/base/errors/errors.js";
import { fromHex, toHex } from "../../host/base/text/bytes.js";
import type { Plan } from "../../host/base/types/types.js";
import { describeCores, dump, storeOf, u64Hex } from "./cores.js";
import { canonicalPlan, TIME_ZERO, wirePlan } from "./plan-wire.js";

import { NOW, plan, Scheduling, TEXTS } from "./scheduling.js";

const ANY = { typeUrl: "/ibc.lightclients.tendermint.v1.ClientState", value: Uint8Array.of(8, 1) };

describeCores((core) => {
  const scheduling = new Scheduling(core);

  describe("schedule(), several things wrong", () => {
    const FAULTS: readonly (readonly [ErrorCode, string, Partial<Plan>])[] = [
      ["UPG_INVALID_PLAN_DEPRECATED", TEXTS.time, { time: { seconds: 0n, nanos: 0 } }],
      ["UPG_INVALID_PLAN_DEPRECATED", TEXTS.clientState, { upgradedClientState: ANY }],
      ["UPG_INVALID_PLAN_NAME", TEXTS.control, { name: "\n" }],
      ["UPG_INVALID_PLAN_INFO", TEXTS.infoUtf8, { info: "\ud800" }],
      ["UPG_INVALID_PLAN_HEIGHT", TEXTS.height, { height: -3n }],
      ["UPG_INVALID_PLAN_IN_PAST", TEXTS.past, { height: 3n }],
      ["UPG_INVALID_PLAN_DONE", TEXTS.done("v1"), { name: "v1" }],
    ];
    const pairs = FAULTS.flatMap((first, i) =>
      FAULTS.slice(i + 1).map((second) => ({ title: `${first[1]} | ${second[1]}`, first, second })),
    );

    test.each(pairs)("$title → the first", ({ first: [code, message, fault], second }) => {
      scheduling.refused(code, message, { ...second[2], ...fault });
    });

    test("each fault and all that come after it → it is the answer", () => {
      FAULTS.forEach(([code, message], i) => {
        const fields = Object.assign(
          {},
          ...FAULTS.slice(i)
            .toReversed()
            .map(([, , fault]) => fault),
        );
        scheduling.refused(code, message, fields);
      });
    });

    test("a name too long and not UTF-8 → its length; not UTF-8 with control characters → UTF-8", () => {
      scheduling.bytesRefused("UPG_INVALID_PLAN_NAME", TEXTS.nameBytes(141), { name: new Uint8Array(141).fill(0xff) });
      scheduling.bytesRefused("UPG_INVALID_PLAN_NAME", TEXTS.nameUtf8, { name: fromHex("0aff") });
    });
  });

  describe("schedule(), what it stores", () => {
    test("fields in any order → the canonical bytes", () => {
      const fields = { name: "v2", time: TIME_ZERO, height: 100n, info: '{"a":1}' };
      const expected = toHex(canonicalPlan("v2", 100n, '{"a":1}'));
      expect(expected).toBe("0a027632120b088092b8c398feffffff01186422077b2261223a317d");
      const names = ["name", "time", "height", "info"] as const;
      for (const order of permutations(names)) {
        for (const shown of [order, order.filter((field) => field !== "time")]) {
          const store = storeOf({ "00": "aa" });
          core.scheduleBytes(store, NOW, wirePlan(fields, shown));
          expect(dump(store)).toEqual({ "00": expected });
        }
      }
    });

    test("explicit defaults and repeated fields → the last of each, canonical", () => {
      const store = storeOf();
      core.scheduleBytes(
        store,
        NOW,
        fromHex("2200" + "0a0161" + "1807" + "120208011200" + "0a027632" + "120b088092b8c398feffffff01" + "1864"),
      );
      expect(dump(store)).toEqual({ "00": toHex(canonicalPlan("v2", 100n)) });
    });

    test("the bytes of the Cosmos SDK for {test, 11}", () => {
      const store = storeOf();
      core.schedule(store, 10n, { name: "test", height: 11n, info: "" });
      expect(dump(store)).toEqual({ "00": "0a0474657374120b088092b8c398feffffff01180b" });
    });

    test("over another plan → replaces it, sooner or later, and touches nothing else", () => {
      const rest = { "017631": u64Hex(5n), "02617574": u64Hex(1n), "03": u64Hex(1n) };
      const store = storeOf({ ...rest, "00": toHex(canonicalPlan("v2", 100n, "old")) });
      for (const [name, height] of [
        ["v2", 60n],
        ["v2", 900n],
        ["v3", 70n],
      ] as const) {
        core.schedule(store, NOW, plan({ name, height }));
        expect(dump(store)).toEqual({ ...rest, "00": toHex(canonicalPlan(name, height)) });
      }
    });
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}
