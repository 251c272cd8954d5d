/** core.wasm at the ABI: pointers of a careless host, and the memory that it is given. */
import { describe, expect, test } from "vitest";
import { ERROR_KINDS } from "../../host/base/errors/errors.js";
import { toHex, utf8 } from "../../host/base/text/bytes.js";
import { describeCores, storeOf } from "./cores.js";
import { OUTPUTS, STORE } from "./outputs.js";
import { canonicalPlan } from "./plan-wire.js";
import type { RawCore } from "./raw-core.js";

/** Every export that takes bytes, and how many pointers it takes before any output. */
const INPUTS: readonly (readonly [
  name: string,
  before: readonly (number | bigint)[],
  pointers: number,
  hasOutput: boolean,
])[] = [
  ["plan_schedule", [1n], 1, false],
  ["apply", [1n], 3, false],
  ["version_map_set", [], 1, false],
  ["receipt_set", [], 2, false],
  ["done_height", [], 1, false],
  ["version_get", [], 1, true],
  ["receipt_get", [], 1, true],
  ["key_done", [], 1, true],
  ["key_version", [], 1, true],
  ["key_receipt", [], 1, true],
  ["plan_validate", [], 1, false],
  ["plan_decode", [], 1, true],
  ["plan_encode", [], 1, true],
  ["halt_text", [4, 1n, 0n], 1, true],
  ["upgrade_info", [1n], 1, true],
];

const TRAP = ERROR_KINDS.UPG_BUG_CORE_TRAP.number;
const LEAVES = "a pointer and its length leave the scratch area and the arena at assembly/core/areas.ts:";
const OVERLAPS = "an output overlaps its input at assembly/core/areas.ts:";

describeCores((_core, raw) => {
  describe("pointers", () => {
    const expectTrap = (core: RawCore, name: string, args: readonly (number | bigint)[], message: string) => {
      expect(() => core.call(name, ...args), `${name}(${args.join()})`).toThrow(WebAssembly.RuntimeError);
      expect(core.error).toEqual({ code: TRAP, message: expect.stringContaining(message) });
    };
    /** Pointers and lengths that do not lie in one area. */
    const strays = (core: RawCore): readonly (readonly [ptr: number, len: number])[] => {
      const [scratch, end] = [core.scratch, core.scratch + core.scratchCap];
      const arena = Number(core.call("core_alloc", 0));
      return [
        [0, 1],
        [scratch - 1, 2],
        [scratch, core.scratchCap + 1],
        [end - 1, 2],
        [scratch, -1],
        [arena, 2 ** 31 - 1],
        [Number(core.call("core_err")), 8],
        [core.bytes.length - 1, 1],
        [core.bytes.length, 1],
        [-1, 1],
        [-1, 2],
        [-256, 512],
      ];
    };

    test.each(INPUTS)(
      "%s of bytes outside of both areas → a trap that says so",
      (name, before, pointers, hasOutput) => {
        for (const stray of strays(raw.fresh())) {
          for (let at = 0; at < pointers; at++) {
            const core = raw.fresh();
            const spans = Array.from({ length: pointers }, (_, i) => (i === at ? stray : [core.scratch, 1])).flat();
            expectTrap(core, name, [...before, ...spans, ...(hasOutput ? [0, 0] : [])], LEAVES);
            expect(core.calls).toEqual({ get: 0, set: 0, delete: 0, seek: 0 });
          }
        }
      },
    );

    test.each(OUTPUTS)("%s(%s) with room outside of both areas → a trap that says so", (name, args) => {
      for (const stray of strays(raw.fresh())) {
        const core = raw.fresh();
        core.store = storeOf(STORE);
        expectTrap(core, name, [...args.flatMap((arg) => core.lay(arg)), ...stray], LEAVES);
      }
    });

    test.each(INPUTS.filter(([, , , hasOutput]) => hasOutput))(
      "%s with an output over its input → a trap that says so",
      (name, before) => {
        for (const [ptr, len, out, cap] of [
          [0, 8, 0, 8],
          [0, 8, 7, 1],
          [7, 1, 0, 8],
          [8, 16, 0, 9],
          [8, 16, 10, 2],
        ] as const) {
          const core = raw.fresh();
          const at = core.scratch;
          expectTrap(core, name, [...before, at + ptr, len, at + out, cap], OVERLAPS);
        }
      },
    );

    test("an output right before or after its input → returned", () => {
      raw.reset();
      const at = raw.scratch;
      raw.bytes.set(utf8("v2"), at + 3);
      expect(raw.call("key_done", at + 3, 2, at, 3)).toBe(3);
      expect(raw.call("key_done", at + 3, 2, at + 5, 3)).toBe(3);
      expect(toHex(raw.bytes.subarray(at, at + 8))).toBe("0176327632017632");
    });

    test("inputs up to the last byte of each area → read", () => {
      raw.reset();
      const plan = canonicalPlan("v2", 1n, "\u2028");
      const ends = [raw.scratch + raw.scratchCap];
      for (let size = 1 << 19; size > 0; size >>= 1) while (Number(raw.call("core_alloc", size)) !== 0);
      raw.call("core_reset");
      ends.push(Number(raw.call("core_alloc", 786_432)) + 786_432);
      for (const end of ends) {
        raw.bytes.set(plan, end - plan.length);
        expect(raw.call("plan_validate", end - plan.length, plan.length)).toBe(0);
        expect(Number(raw.call("upgrade_info", 1n, end - plan.length, plan.length, 0, 0))).toBeGreaterThan(60);
      }
    });
  });

  describe("memory", () => {
    test("has 16 pages and can never have more", () => {
      expect(raw.bytes.length).toBe(16 * 65_536);
      expect(() => raw.memory.grow(1)).toThrow(RangeError);
    });

    test("the scratch area has at least 73,728 bytes, is aligned and stays where it is", () => {
      expect(raw.scratchCap).toBeGreaterThanOrEqual(73_728);
      expect(raw.scratch % 16).toBe(0);
      expect(raw.scratch).toBe(raw.fresh().scratch);
    });

    test("core_alloc gives at least 512 KiB beside the scratch area; 0 when full; core_reset gives them again", () => {
      const take = () => {
        const spans: [number, number][] = [];
        for (const size of [1, 15, 16, 17, 4_096, 524_288 - 4_096 - 5 * 16]) {
          const ptr = Number(raw.call("core_alloc", size));
          expect(ptr % 16).toBe(0);
          expect(ptr).toBeGreaterThan(0);
          spans.push([ptr, size]);
        }
        return spans;
      };
      raw.call("core_reset");
      const spans = [...take(), [raw.scratch, raw.scratchCap] as const].sort(([a], [b]) => a - b);
      spans.slice(1).forEach(([ptr], i) => {
        const [before, size] = spans[i] ?? [0, 0];
        expect(ptr).toBeGreaterThanOrEqual(before + size);
      });
      expect(raw.call("core_alloc", 786_432)).toBe(0);
      expect(raw.call("core_alloc", -1)).toBe(0);
      let left = 0;
      while (Number(raw.call("core_alloc", 4_096)) !== 0) left++;
      expect(left).toBeGreaterThan(0);
      expect(raw.call("core_alloc", 4_096)).toBe(0);
      raw.call("core_reset");
      expect(take()[0]?.[0]).toBe(spans.find(([ptr]) => ptr !== raw.scratch)?.[0]);
    });

    test("core_alloc in a new instance, before any core_reset → the whole arena, at a multiple of 16", () => {
      const arena = Number(raw.fresh().call("core_alloc", 786_432));
      expect(arena).toBeGreaterThan(0);
      expect(arena % 16).toBe(0);
    });

    test("core_alloc of everything at once, and of one byte more", () => {
      raw.call("core_reset");
      expect(raw.call("core_alloc", 786_433)).toBe(0);
      expect(Number(raw.call("core_alloc", 786_432))).toBeGreaterThan(0);
      expect(raw.call("core_alloc", 1)).toBe(0);
      raw.call("core_reset");
    });
  });
});
