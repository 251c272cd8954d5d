/** The core's protobuf against protobuf-es: the same messages both ways, and for any other bytes the same or a reason. */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { NamesSchema, PlanSchema, VersionMapSchema } from "../../host/base/gen/chain/upgrade/v1beta1/upgrade_pb.js";
import { compareBytes, compareText, fromHex, toHex, utf8 } from "../../host/base/text/bytes.js";
import { INT64_MAX, UINT64_MAX } from "../../host/base/types/limits.js";
import type { Plan } from "../../host/base/types/types.js";
import { encodeNames, encodeVersionMap } from "../../host/upgrade/core/version-map.js";
import { dueStore, rawApply } from "./applying.js";
import { describeCores, storeOf } from "./cores.js";
import { mutated } from "./mutated-bytes.js";
import { TIME_ZERO } from "./plan-wire.js";
import { planSeen, versionsSeen } from "./protobuf-es.js";
import { type Reason, whyNoNames, whyNoPlan, whyNoVersionMap } from "./strict-wire.js";

const TIME_MAX_SECONDS = 253_402_300_799n;

const edges = [0n, 1n, 127n, 128n, 16_383n, 16_384n, 2n ** 31n, 2n ** 32n, 2n ** 56n, 2n ** 63n - 1n];
const int64 = fc.oneof(fc.constantFrom(...edges, ...edges.map((n) => -n - 1n)), fc.bigInt(-INT64_MAX - 1n, INT64_MAX));
const uint64 = fc.oneof(fc.constantFrom(...edges, 2n ** 63n, UINT64_MAX), fc.bigInt(0n, UINT64_MAX));
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("", "n".repeat(127), "n".repeat(128)),
);
const moduleName = fc.string({ unit: "binary", minLength: 1, maxLength: 10 });
const seconds = fc.oneof(
  fc.constantFrom(TIME_ZERO.seconds, TIME_ZERO.seconds + 1n, -1n, 0n, 1n, TIME_MAX_SECONDS),
  fc.bigInt(TIME_ZERO.seconds, TIME_MAX_SECONDS),
);
const nanos = fc.oneof(fc.constantFrom(0, 1, 999_999_999), fc.nat(999_999_999));
const time = fc.option(fc.record({ seconds, nanos }), { nil: undefined });
const any = fc.option(fc.record({ typeUrl: anyText, value: fc.uint8Array({ maxLength: 6 }) }), { nil: undefined });
const planFields = fc.record({ name: anyText, height: int64, info: anyText, time });
const versions = fc.uniqueArray(fc.tuple(moduleName, uint64), { maxLength: 6, selector: ([name]) => name });

const planMessage = fc
  .record({ name: anyText, height: int64, info: anyText, time, upgradedClientState: any })
  .map((plan) => toBinary(PlanSchema, create(PlanSchema, shapeOf(plan))));

function shapeOf(plan: Plan | { [K in keyof Plan]: Plan[K] | undefined }): MessageInitShape<typeof PlanSchema> {
  const { name, height, info, time, upgradedClientState } = plan;
  return {
    ...(name !== undefined && { name }),
    ...(height !== undefined && { height }),
    ...(info !== undefined && { info }),
    ...(time && { time }),
    ...(upgradedClientState && { upgradedClientState }),
  };
}

const versionMapOf = (entries: readonly (readonly [string, bigint])[]) =>
  toBinary(
    VersionMapSchema,
    create(VersionMapSchema, { moduleVersions: entries.map(([name, version]) => ({ name, version })) }),
  );
const ascending = (entries: readonly (readonly [string, bigint])[]) =>
  entries.toSorted(([a], [b]) => compareText(a, b));

/** The refusal's code, or what `work` gives. */
function outcome<T>(work: () => T): { code: string } | { value: T } {
  try {
    return { value: work() };
  } catch (error) {
    if (isUpgradeError(error)) return { code: error.code };
    throw error;
  }
}

/** Counts reasons, so that a test can ask whether its bytes gave every one. */
const countIn = (counts: Map<Reason | "accepted", number>, reason: Reason | undefined) =>
  counts.set(reason ?? "accepted", (counts.get(reason ?? "accepted") ?? 0) + 1);

describeCores((core, raw) => {
  describe("Plan", () => {
    test("encodePlan() → the bytes of protobuf-es, the time always there", () => {
      fc.assert(
        fc.property(planFields, ({ time, ...rest }) => {
          const bytes = core.encodePlan({ ...rest, ...(time && { time }) });
          const expected = create(PlanSchema, shapeOf({ ...rest, time: time ?? TIME_ZERO }));
          expect(toHex(bytes)).toBe(toHex(toBinary(PlanSchema, expected)));
        }),
        { numRuns: 500 },
      );
    });

    test("decodePlan() of what protobuf-es wrote → the same plan", () => {
      fc.assert(
        fc.property(planMessage, (bytes) => {
          expect(core.decodePlan(bytes)).toEqual(planSeen(bytes));
        }),
        { numRuns: 500 },
      );
    });

    test("decodePlan() of a name that begins with a byte order mark → it is part of the name", () => {
      const bytes = Uint8Array.of(10, 3, 0xef, 0xbb, 0xbf);
      expect(core.decodePlan(bytes)).toMatchObject({ name: "\ufeff" });
      expect(core.decodePlan(bytes)).toEqual(planSeen(bytes));
    });

    test("decodePlan() of any bytes → what protobuf-es sees, or refused for a reason", () => {
      const counts = new Map<Reason | "accepted", number>();
      fc.assert(
        fc.property(mutated(planMessage), (bytes) => {
          const reason = whyNoPlan(bytes);
          countIn(counts, reason);
          const expected = reason ? { code: "UPG_INVALID_PLAN_BYTES" } : { value: planSeen(bytes) };
          expect(
            outcome(() => core.decodePlan(bytes)),
            reason,
          ).toEqual(expected);
        }),
        { numRuns: 6_000 },
      );
      expect([...counts.keys()].sort()).toEqual([
        "accepted",
        "longer than needed",
        "no field",
        "not UTF-8",
        "past 64 bits",
        "time out of range",
        "truncated",
        "unknown field or wrong type",
      ]);
      for (const count of counts.values()) expect(count).toBeGreaterThan(5);
    });

    test.each([
      ["1885808080808080808002", "past 64 bits"],
      ["188500", "longer than needed"],
      ["0a0261", "truncated"],
      ["0a81808080100161", "truncated"],
      ["3001", "unknown field or wrong type"],
      ["f8ffffff1f01", "no field"],
      ["1206108580808010", "time out of range"],
      ["120b10ffffffffffffffffff01", "time out of range"],
      ["2a021800", "unknown field or wrong type"],
      ["0a0180", "not UTF-8"],
    ])("decodePlan() of %s → refused: %s", (hex, reason) => {
      expect(whyNoPlan(fromHex(hex))).toBe(reason);
      expect(outcome(() => core.decodePlan(fromHex(hex)))).toEqual({ code: "UPG_INVALID_PLAN_BYTES" });
    });
  });

  describe("VersionMap", () => {
    test("encodeVersionMap(), the core's map, protobuf-es → one form of the bytes", () => {
      fc.assert(
        fc.property(versions, (entries) => {
          const expected = versionMapOf(ascending(entries));
          expect(toHex(encodeVersionMap(new Map(entries)))).toBe(toHex(expected));
          raw.reset();
          expect(raw.send("version_map_set", expected)).toBe(0);
          expect(toHex(raw.ask("version_map_get") ?? new Uint8Array())).toBe(toHex(expected));
        }),
        { numRuns: 300 },
      );
    });

    test("version_map_set of any bytes → what protobuf-es sees, or refused for a reason", () => {
      const counts = new Map<Reason | "accepted", number>();
      const message = fc.oneof(versions.map(ascending), versions).map(versionMapOf);
      fc.assert(
        fc.property(mutated(message), (bytes) => {
          const reason = whyNoVersionMap(bytes);
          countIn(counts, reason);
          raw.reset(storeOf({ "0261": "0000000000000001" }));
          expect(raw.send("version_map_set", bytes), reason).toBe(reason ? -17 : 0);
          if (reason) return;
          expect([...core.versionMap(raw.store)]).toEqual(versionsSeen(bytes));
        }),
        { numRuns: 4_000 },
      );
      expect(counts.size).toBe(9);
      for (const [reason, count] of counts) expect(count, reason).toBeGreaterThan(2);
    });
  });

  describe("Names", () => {
    const list = fc.array(moduleName, { maxLength: 6 });
    const namesOf = (names: readonly string[]) => toBinary(NamesSchema, create(NamesSchema, { names: [...names] }));

    test("encodeNames() → the bytes of protobuf-es", () => {
      fc.assert(
        fc.property(list, (names) => {
          const ascending = [...new Set(names)].sort((a, b) => compareBytes(utf8(a), utf8(b)));
          expect(toHex(encodeNames(names))).toBe(toHex(namesOf(ascending)));
        }),
        { numRuns: 300 },
      );
    });

    test("apply with any bytes as removes → the names that protobuf-es sees, or refused for a reason", () => {
      fc.assert(
        fc.property(mutated(list.map(namesOf)), (bytes) => {
          const reason = whyNoNames(bytes);
          const seen = reason ? [] : fromBinary(NamesSchema, bytes).names;
          // What the core read shows in what may vanish: every name it saw, and no other.
          const stored = Object.fromEntries([...seen, "kept"].map((name) => [name, 1n]));
          const store = dueStore(stored);
          const map = versionMapOf(seen.includes("kept") ? [] : [["kept", 1n]]);
          expect(rawApply(raw, store, { map, removes: bytes }), reason).toBe(reason ? -18 : 0);
        }),
        { numRuns: 2_000 },
      );
    });
  });
});
