/** The meter on modules small enough to be counted by hand, and on shapes that would hurt a careless one. */
import { describe, expect, test } from "vitest";
import { CodeWriter } from "../../../../host/upgrade/handler/meter/code-writer.js";
import { METER_EXPORTS } from "../../../../host/upgrade/handler/meter/meter-exports.js";
import {
  FLAT_PRICE_MAX,
  FRAME_BYTES,
  SLOT_BYTES,
  STACK_BUDGET,
} from "../../../../host/upgrade/handler/meter/schedule.js";
import { assemble } from "../../../guest/build.js";
import { metered } from "../../../guest/random/metering.js";

const GAS = 1_000_000n;

interface Ended {
  readonly answer: number | "trap";
  readonly gas: bigint;
  readonly stack: number;
  readonly memory: DataView;
}

function run(wasm: Uint8Array<ArrayBuffer>, gas = GAS): Ended {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm));
  const { [METER_EXPORTS.gas]: counter, [METER_EXPORTS.stack]: stack, memory } = exports;
  if (!(counter instanceof WebAssembly.Global && stack instanceof WebAssembly.Global)) throw new Error("no counters");
  counter.value = gas;
  let answer: number | "trap" = "trap";
  try {
    answer = (exports["go"] as (n: number) => number)(3);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  }
  const { buffer } = memory as WebAssembly.Memory;
  return { answer, gas: gas - BigInt(counter.value), stack: stack.value, memory: new DataView(buffer) };
}

function go(body: string, more = ""): Uint8Array<ArrayBuffer> {
  return metered(
    assemble(`(module (memory (export "memory") 1 4) (func (export "go") (param i32) (result i32) ${body}) ${more})`),
  );
}

describe("gas by hand", () => {
  test.each<[what: string, body: string, gas: number, more?: string]>([
    ["a constant", "(i32.const 7)", 1],
    ["a sum", "(i32.add (local.get 0) (i32.const 7))", 3],
    ["nops and blocks", "(block (nop) (nop)) (i32.const 0)", 3],
    ["a load", "(i32.load (i32.const 8))", 1 + 30],
    ["a division", "(i32.div_u (local.get 0) (i32.const 2))", 10],
    ["dead code", "(return (i32.const 0)) (i32.div_u (i32.const 1) (i32.const 1))", 2],
    [
      "an if that is taken",
      "(if (result i32) (local.get 0) (then (i32.const 1)) (else (i32.load (i32.const 0))))",
      1 + 3 + 1,
    ],
    [
      "an if that is not",
      "(if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1)) (else (i32.load (i32.const 0))))",
      1 + 1 + 3 + 1 + 30,
    ],
    [
      "a loop that runs three times",
      "(loop $l (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (i32.const 0)",
      3 * (3 + 4 + 3) + 1,
    ],
    [
      "code behind a branch that leaves it out",
      "(block $b (br_if $b (local.get 0)) (drop (i32.load (i32.const 0)))) (i32.const 0)",
      1 + 3 + 1,
    ],
    [
      "memory.fill of 99 bytes",
      "(memory.fill (i32.const 0) (i32.const 1) (i32.const 99)) (i32.const 0)",
      3 + 400 + 12 + 1,
    ],
    ["memory.grow by two pages", "(memory.grow (i32.const 2))", 1 + 600 + 180_000],
    ["memory.grow past the maximum", "(memory.grow (i32.const 9))", 1 + 600],
    [
      "a small function, paid for whole",
      "(call $f)",
      6 + (1 + 3 + 1 + 1),
      "(func $f (result i32) (if (i32.const 0) (then (nop))) (i32.const 1))",
    ],
    [
      "a function of the table",
      "(call_indirect (result i32) (i32.const 0))",
      1 + 12 + 1,
      "(table 1 funcref) (elem (i32.const 0) $f) (func $f (result i32) (i32.const 1))",
    ],
  ])("%s: %s → %i gas", (_, body, gas, more) => {
    expect(run(go(body, more)).gas).toBe(BigInt(gas));
  });

  test("a function is small up to its limit, and not one past it", () => {
    // An untaken branch over the nops: the one who pays for the whole pays for them too.
    const helper = (nops: number) =>
      `(func $f (result i32) (block $b (br_if $b (i32.const 1)) ${"nop ".repeat(nops)}) (i32.const 1))`;
    const rest = 1 + 3 + 1;
    expect(run(go("(call $f)", helper(FLAT_PRICE_MAX - rest))).gas).toBe(BigInt(6 + FLAT_PRICE_MAX));
    expect(run(go("(call $f)", helper(FLAT_PRICE_MAX - rest + 1))).gas).toBe(BigInt(6 + rest));
  });

  test("the last unit of gas is enough, one less is not", () => {
    const wasm = go("(loop $l (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (i32.const 5)");
    expect(run(wasm, 31n)).toMatchObject({ answer: 5, gas: 31n });
    expect(run(wasm, 30n).gas).toBe(31n);
  });
});

describe("stack", () => {
  /** Counts its calls at address 0 and calls itself for ever, with `held` operands on the stack. */
  const endless = (held: number, locals: number) => {
    const count = "(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))";
    const operands = Array.from({ length: held }, () => "(i32.const 1)").join(" ");
    const drops = "(drop) ".repeat(held);
    return `(func $f (local ${"i64 ".repeat(locals)}) ${count} ${operands} (call $f) ${drops})`;
  };

  test.each([
    [0, 0, 3],
    [0, 100, 3],
    [40, 0, 40],
    [17, 9, 17],
  ])("%i operands and %i locals → frames by the greatest height, %i", (held, locals, height) => {
    const { answer, memory, stack } = run(go("(call $f) (i32.const 0)", endless(held, locals)), 1n << 40n);
    // The sum and two addresses may be kept.
    const frame = FRAME_BYTES + SLOT_BYTES * (locals + height + 3);
    const outer = FRAME_BYTES + SLOT_BYTES * (2 + 1);
    expect(answer).toBe("trap");
    expect(stack).toBeLessThan(0);
    expect(memory.getInt32(0, true)).toBe(Math.floor((STACK_BUDGET - outer) / frame));
  });

  test.each<[what: string, code: string, kept: number]>([
    ["arithmetic", "(drop (i32.add (i32.const 1) (i32.const 2)))", 1],
    ["a comparison and a conversion", "(drop (i64.extend_i32_u (i64.eqz (i64.const 1))))", 3],
    ["a load: its address", "(drop (i32.load (i32.const 4)))", 1],
    ["a store: its address", "(i32.store (i32.const 4) (i32.const 1))", 1],
    ["constants of 32 bits, the memory's size: nothing", "(drop (i32.const 9)) (drop (memory.size))", 0],
  ])("a function that computes %s → what a compiler may keep is in its frame", (_, code, kept) => {
    const count = "(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))";
    const { memory } = run(go("(call $f) (i32.const 0)", `(func $f ${count} ${code} (call $f))`), 1n << 40n);
    const frame = FRAME_BYTES + SLOT_BYTES * (3 + 3 + kept);
    const outer = FRAME_BYTES + SLOT_BYTES * (2 + 1);
    expect(memory.getInt32(0, true)).toBe(Math.floor((STACK_BUDGET - outer) / frame));
  });

  test("it comes back, whichever way a function is left", () => {
    const ways =
      "(if (i32.eq (local.get 0) (i32.const 1)) (then (return (i32.const 1)))) (br_if 0 (i32.const 2) (i32.eq (local.get 0) (i32.const 2)))";
    const f = `(func $f (param i32) (result i32) ${ways} (drop) (call $f (i32.sub (local.get 0) (i32.const 1))))`;
    const wasm = go("(drop (call $f (i32.const 3))) (drop (call $f (i32.const 2))) (call $f (i32.const 1))", f);
    expect(run(wasm)).toMatchObject({ answer: 1, stack: STACK_BUDGET });
  });
});

describe("meterModule()", () => {
  /** Each of `count` functions calls the next `times` times. */
  const chain = (count: number, times: number) => {
    const calls = (i: number) => `(call $f${i + 1})`.repeat(times);
    const functions = Array.from({ length: count }, (_, i) => `(func $f${i} ${calls(i)})`).join("");
    return `${functions} (func $f${count})`;
  };

  test("a chain of 19,000 functions → metered without recursion of the host's, stopped by the stack budget", () => {
    expect(run(go("(call $f0) (i32.const 0)", chain(19_000, 1)), 1n << 40n)).toMatchObject({ answer: "trap" });
    expect(run(go("(call $f0) (i32.const 0)", chain(1_000, 1)), 1n << 40n)).toMatchObject({ answer: 0 });
  });

  test("functions that each call the next twice → out of gas, not out of time", () => {
    const { answer, gas } = run(go("(call $f0) (i32.const 0)", chain(60, 2)));
    expect(answer).toBe("trap");
    expect(gas).toBeGreaterThan(GAS);
  });

  test("the same bytes → the same bytes", () => {
    const wat = `(module (memory (export "memory") 1) (func (export "go") (loop (br 0))))`;
    expect(metered(assemble(wat))).toEqual(metered(assemble(wat)));
  });

  test("names and other custom sections are left out", () => {
    const wasm = go("(call $with_a_name)", "(func $with_a_name (result i32) (i32.const 1))");
    expect(WebAssembly.Module.customSections(new WebAssembly.Module(wasm), "name")).toEqual([]);
  });
});

describe("CodeWriter", () => {
  test("u32 and signed are the shortest LEB128", () => {
    const bytes = (write: (out: CodeWriter) => void) => {
      const out = new CodeWriter(1);
      write(out);
      return [...out.finish()];
    };
    expect(bytes((out) => out.u32(0).u32(127).u32(128).u32(0xffffffff))).toEqual([
      0, 127, 128, 1, 255, 255, 255, 255, 15,
    ]);
    expect(bytes((out) => out.signed(63).signed(64).signed(-64).signed(-65))).toEqual([63, 192, 0, 64, 191, 127]);
    expect(bytes((out) => out.signed(131_072).signed(-1))).toEqual([128, 128, 8, 127]);
  });
});
