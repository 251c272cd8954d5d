/** core.wasm at the ABI: `out, cap`, what an idle block costs, and that nothing is kept between calls. */
import { describe, expect, test } from "vitest";
import { toHex } from "../../host/base/text/bytes.js";
import type { KVStore } from "../../host/base/types/types.js";
import { CacheKVStore } from "../../host/state/branch/kv/cache-kv.js";
import { describeCores, dump, keyHex, storeOf, u64Hex } from "./cores.js";
import { OUTPUTS, PLAN, STORE } from "./outputs.js";
import type { Argument, RawCore } from "./raw-core.js";

const PATTERN = 0xa5;

describeCores((_core, raw) => {
  describe("out, cap", () => {
    test.each(OUTPUTS)("%s(%s) → the size; written only where it fits", (name, args, answer) => {
      const size = answer.length / 2;
      for (const cap of [0, 1, size - 1, size, size + 1, size + 100]) {
        raw.reset(storeOf(STORE));
        const room = raw.bytes.subarray(raw.scratch, raw.scratch + size + 200).fill(PATTERN);
        const out = raw.scratch + 16;
        expect(raw.send(name, ...args, out, cap), `cap ${cap}`).toBe(size);
        const written = cap < size ? "" : answer;
        const expected = "a5".repeat(16) + written + "a5".repeat(room.length - 16 - written.length / 2);
        expect(toHex(room), `cap ${cap}`).toBe(expected);
        expect(raw.calls).toMatchObject({ set: 0, delete: 0 });
        expect(dump(raw.store)).toEqual(STORE);
      }
    });

    test.each(OUTPUTS)("%s(%s) with cap 0 and any pointer → the size", (name, args, answer) => {
      for (const out of [0, 1, raw.scratch, -1]) {
        raw.reset(storeOf(STORE));
        expect(raw.send(name, ...args, out, 0)).toBe(answer.length / 2);
      }
    });

    test.each(["plan_get", "last_done", "version_get", "protocol_version", "receipt_get"])(
      "%s with nothing there → -ABSENT, nothing written",
      (name) => {
        raw.reset();
        const room = raw.bytes.subarray(raw.scratch, raw.scratch + 64).fill(PATTERN);
        const subject = name === "version_get" || name === "receipt_get" ? ["v"] : [];
        expect(raw.send(name, ...subject, raw.scratch, 64)).toBe(-1);
        expect(toHex(room)).toBe("a5".repeat(64));
      },
    );

    test("version_map_get with nothing there → 0 bytes", () => {
      raw.reset();
      expect(raw.call("version_map_get", raw.scratch, 64)).toBe(0);
    });
  });

  describe("an idle block", () => {
    test("costs one kv.get in plan_get, one in pre_block, and nothing else", () => {
      raw.reset(storeOf({ [keyHex("01", "v1")]: u64Hex(5n), [keyHex("02", "a")]: u64Hex(1n), "03": u64Hex(1n) }));
      expect(raw.call("plan_get", raw.scratch, raw.scratchCap)).toBe(-1);
      expect(raw.calls).toEqual({ get: 1, set: 0, delete: 0, seek: 0 });
      for (const flags of [0, 2, 4, 6, 10]) {
        raw.reset(raw.store);
        expect(raw.call("pre_block", 7n, flags)).toBe(0);
        expect(raw.calls).toEqual({ get: 1, set: 0, delete: 0, seek: 0 });
      }
    });
  });

  describe("state between calls", () => {
    test("none: two stores in turn on one instance, each as if it were alone", () => {
      const [a, b] = [storeOf(STORE), storeOf({ [keyHex("01", "z")]: u64Hex(9n), [keyHex("02", "b")]: u64Hex(1n) })];
      const alone = (store: typeof a) => OUTPUTS.map(([name, args]) => answerOf(raw.fresh(), store, name, args));
      const expected = [alone(a), alone(b)];
      const got: string[][] = [[], []];
      for (const [name, args] of OUTPUTS) {
        got[0]?.push(answerOf(raw, a, name, args));
        got[1]?.push(answerOf(raw, b, name, args));
      }
      expect(got).toEqual(expected);
      expect(expected[0]).not.toEqual(expected[1]);
    });

    test("none: what a dropped branch held is gone with it", () => {
      const store = storeOf();
      raw.reset(new CacheKVStore(store));
      expect(raw.send("plan_schedule", 1n, PLAN)).toBe(0);
      expect(Number(raw.call("plan_get", 0, 0))).toBe(PLAN.length);
      raw.reset(store);
      expect(raw.call("plan_get", 0, 0)).toBe(-1);
      expect(raw.call("pre_block", 100n, 1)).toBe(0);
    });
  });
});

function answerOf(core: RawCore, store: KVStore, name: string, args: readonly Argument[]): string {
  core.reset(store);
  const bytes = core.ask(name, ...args);
  return bytes ? toHex(bytes) : "absent";
}
