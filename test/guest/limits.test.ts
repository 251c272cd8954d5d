/** Every limit of host/upgrade/wasm/limits.ts, at the limit and one past it. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../host/base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../host/base/types/limits.js";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import * as limits from "../../host/upgrade/wasm/limits.js";
import { build, customSection, guest } from "./build.js";

const repeat = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join(" ");
const moreOf = (fields: string) => build(guest({ more: fields }));

/** What the smallest guest already has: the five functions of `guest()`, three types, five exports. */
const FUNCTIONS = 4;
const TYPES = 2;
const EXPORTS = 5;

function manyParams(total: number): string {
  const full = Math.floor((total - 1) / limits.PARAMS_MAX);
  const rest = total - 1 - full * limits.PARAMS_MAX;
  const i32s = (count: number) => repeat(count, () => "i32");
  // The guest's own (i32) -> i32 has one parameter.
  return `${repeat(full, () => `(type (func (param ${i32s(limits.PARAMS_MAX)})))`)} (type (func (param ${i32s(rest)})))`;
}

function manyLocals(total: number): string {
  const full = Math.floor(total / limits.LOCALS_MAX);
  const locals = (count: number) => `(func (local ${repeat(count, () => "i64")}))`;
  return repeat(full, () => locals(limits.LOCALS_MAX)) + locals(total - full * limits.LOCALS_MAX);
}

/** Blocks in blocks, put where nops were: text tools break on deep nesting. */
function nested(levels: number): Uint8Array {
  const bytes = moreOf(`(func ${"nop ".repeat(3 * levels)})`);
  const at = bytes.findIndex((_, i) => bytes.subarray(i, i + 3 * levels).every((byte) => byte === 0x01));
  for (let i = 0; i < levels; i++) bytes.set([0x02, 0x40], at + 2 * i);
  return bytes.fill(0x0b, at + 2 * levels, at + 3 * levels);
}

const blocks = (count: number) => "(block) ".repeat(count);

/** So many blocks, in functions as large as may be. */
function manyBlocks(total: number): string {
  const full = Math.floor(total / limits.BRANCHES_MAX);
  return `${`(func ${blocks(limits.BRANCHES_MAX)})`.repeat(full)} (func ${blocks(total - full * limits.BRANCHES_MAX)})`;
}

/** A body is: no locals, nops, end. */
const bodyOf = (bytes: number) => `(func ${"nop ".repeat(bytes - 2)})`;
const LOG = '(import "chain" "log" (func (param i32 i32 i32)))';

type Limit = [name: string, limit: number, code: string, make: (count: number) => Uint8Array];

describe("checkHandler()", () => {
  test.each<Limit>([
    ["types", limits.TYPES_MAX, "LIMIT", (n) => moreOf(repeat(n - TYPES, () => "(type (func (param i64)))"))],
    ["imports", limits.IMPORTS_MAX, "LIMIT", (n) => build(guest({ imports: repeat(n, () => LOG) }))],
    ["functions", limits.FUNCTIONS_MAX, "LIMIT", (n) => moreOf(repeat(n - FUNCTIONS, () => "(func)"))],
    [
      "parameters of a type",
      limits.PARAMS_MAX,
      "LIMIT",
      (n) => moreOf(`(type (func (param ${repeat(n, () => "i64")})))`),
    ],
    ["parameters together", limits.PARAMS_TOTAL_MAX, "LIMIT", (n) => moreOf(manyParams(n))],
    ["results", limits.RESULTS_MAX, "OPCODE", (n) => moreOf(`(type (func (result ${repeat(n, () => "i64")})))`)],
    [
      "locals of a function",
      limits.LOCALS_MAX,
      "LIMIT",
      (n) => moreOf(`(func (param i64) (local ${repeat(n, () => "i32")}))`),
    ],
    ["locals together", limits.LOCALS_TOTAL_MAX, "LIMIT", (n) => moreOf(manyLocals(n))],
    ["globals", limits.GLOBALS_MAX, "LIMIT", (n) => moreOf(repeat(n, () => "(global i32 (i32.const 0))"))],
    ["exports", limits.EXPORTS_MAX, "LIMIT", (n) => moreOf(repeat(n - EXPORTS, (i) => `(func (export "f${i}"))`))],
    [
      "element segments",
      limits.ELEMENT_SEGMENTS_MAX,
      "LIMIT",
      (n) => moreOf(`(table 1 funcref) ${repeat(n, () => "(elem (i32.const 0) $run)")}`),
    ],
    [
      "elements of a segment",
      limits.TABLE_ELEMENTS_MAX,
      "LIMIT",
      (n) => moreOf(`(table 4096 funcref) (elem (i32.const 0) ${repeat(n, () => "$run")})`),
    ],
    ["data segments", limits.DATA_SEGMENTS_MAX, "LIMIT", (n) => moreOf(repeat(n, () => '(data (i32.const 0) "x")'))],
    ["bytes of a body", limits.BODY_BYTES_MAX, "LIMIT", (n) => moreOf(bodyOf(n))],
    ["open blocks", limits.NESTING_MAX, "LIMIT", (n) => nested(n)],
    ["branches", limits.BRANCHES_MAX, "LIMIT", (n) => moreOf(`(func ${blocks(n)})`)],
    ["branches together", limits.BRANCHES_TOTAL_MAX, "LIMIT", (n) => moreOf(manyBlocks(n))],
    ["loops", limits.LOOPS_MAX, "LIMIT", (n) => moreOf(`(func ${"(loop) ".repeat(n)})`)],
    [
      "loops inside each other",
      limits.LOOP_NESTING_MAX,
      "LIMIT",
      (n) => moreOf(`(func ${"(loop ".repeat(n)} ${")".repeat(n)})`),
    ],
    [
      "values",
      limits.VALUES_MAX,
      "LIMIT",
      (n) => moreOf(`(func (result i32) (i32.const 0) ${"i32.eqz ".repeat(n - 1)})`),
    ],
    ["calls", limits.CALLS_MAX, "LIMIT", (n) => moreOf(`(func $f) (func ${"(call $f)".repeat(n)})`)],
    [
      "indirect calls",
      limits.CALLS_MAX,
      "LIMIT",
      (n) => moreOf(`(type $t (func)) (table 1 funcref) (func ${"(call_indirect (type $t) (i32.const 0))".repeat(n)})`),
    ],
    [
      "branches × variables",
      limits.BRANCH_VARIABLES_MAX / 100,
      "LIMIT",
      (n) =>
        moreOf(`(func (param i32) (local ${"i32 ".repeat(98)}) ${blocks(n - 1)} (drop (i32.const 0)) ${blocks(1)})`),
    ],
    [
      "branches × values",
      limits.BRANCH_VALUES_MAX / limits.BRANCHES_MAX,
      "LIMIT",
      (n) => moreOf(`(func ${blocks(limits.BRANCHES_MAX)} ${"(drop (memory.size)) ".repeat(n - 1)})`),
    ],
    [
      "labels of a br_table",
      limits.BR_TABLE_LABELS_MAX,
      "LIMIT",
      (n) => moreOf(`(func (br_table ${"0 ".repeat(n)} 0 (i32.const 0)))`),
    ],
    ["elements of a table", limits.TABLE_ELEMENTS_MAX, "LIMIT", (n) => moreOf(`(table ${n} funcref)`)],
    ["maximum of a table", limits.TABLE_ELEMENTS_MAX, "LIMIT", (n) => moreOf(`(table 1 ${n} funcref)`)],
    [
      "initial pages",
      limits.MEMORY_INITIAL_PAGES_MAX,
      "MEMORY",
      (n) => build(guest({ memory: `(memory (export "memory") ${n})` })),
    ],
    [
      "custom sections",
      limits.CUSTOM_SECTIONS_MAX,
      "LIMIT",
      (n) => {
        // The name section and the manifest are two.
        const noise = Array.from({ length: n - 2 }, () => customSection("noise", new Uint8Array(0)));
        return concatBytes(build(guest()), ...noise);
      },
    ],
    [
      "bytes of a custom section's name",
      limits.WASM_NAME_BYTES_MAX,
      "LIMIT",
      // Of two bytes each, and one of one byte where the count is odd.
      (n) => concatBytes(build(guest()), customSection("é".repeat(n / 2) + "a".repeat(n % 2), new Uint8Array(0))),
    ],
    [
      "bytes of an export's name",
      limits.WASM_NAME_BYTES_MAX,
      "LIMIT",
      (n) => moreOf(`(func (export "${"a".repeat(n)}"))`),
    ],
    [
      "bytes of a module",
      HANDLER_BYTES_MAX,
      "LIMIT",
      (n) => {
        const bytes = build(guest());
        // Section id, size in three bytes, length of the name, the name.
        return concatBytes(bytes, customSection("noise", new Uint8Array(n - bytes.length - 1 - 3 - 1 - 5)));
      },
    ],
  ])("checkHandler() at the limit of %s (%i) → taken, one past it → UPG_HANDLER_%s", (_, limit, code, make) => {
    const good = make(limit);
    expect(checkHandler(good).findings).toEqual([]);
    expect(WebAssembly.validate(Uint8Array.from(good))).toBe(true);
    const [first, ...others] = checkHandler(make(limit + 1)).findings;
    expect(first?.code).toBe(`UPG_HANDLER_${code}`);
    expect(others.filter((finding) => finding.code === "UPG_HANDLER_FORMAT")).toEqual([]);
  });

  test("checkHandler() of a module of twice the size → UPG_HANDLER_LIMIT, without reading it", () => {
    expect(checkHandler(new Uint8Array(2 * HANDLER_BYTES_MAX))).toEqual({
      name: null,
      gasLimit: null,
      findings: [
        {
          code: "UPG_HANDLER_LIMIT",
          function: null,
          offset: null,
          message: expect.stringContaining("longer than the 1048576 bytes"),
        },
      ],
    });
  });

  test("checkHandler() of 20,000 nested blocks → UPG_HANDLER_LIMIT at the first that is too deep", () => {
    const { findings } = checkHandler(nested(20_000));
    expect(findings).toEqual([
      {
        code: "UPG_HANDLER_LIMIT",
        function: "func[4]",
        offset: expect.any(Number),
        message: expect.stringContaining("256 levels"),
      },
    ]);
  });

  test("checkHandler() of segments that lie outside → refused before they could fail at instantiation", () => {
    const memory = '(memory (export "memory") 1)';
    const segment = (at: number) => build(guest({ memory, more: `(data (i32.const ${at}) "abc")` }));
    expect(checkHandler(segment(65_533)).findings).toEqual([]);
    for (const at of [65_534, -1]) expect(checkHandler(segment(at)).findings[0]?.code).toBe("UPG_HANDLER_MEMORY");
    const element = (at: number) => moreOf(`(table 2 funcref) (elem (i32.const ${at}) $run)`);
    expect(checkHandler(element(1)).findings).toEqual([]);
    for (const at of [2, -1]) expect(checkHandler(element(at)).findings[0]?.code).toBe("UPG_HANDLER_LIMIT");
  });
});
