/** assembly/shared/u128.ts against BigInt, compiled into a module of its own that works on raw 64-bit halves. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { UINT64_MAX } from "../../host/base/types/limits.js";
import { compile } from "./assemblyscript.js";

const SOURCE = `
import { add, divideByU64, divideUpByU64, fromU64, isLess, mul, sub, u128 } from "../../assembly/shared/u128";

let result: u128 | null = null;

function pair(lo: u64, hi: u64): u128 {
  return new u128(lo, hi);
}
export function lo(): u64 { return result!.lo; }
export function hi(): u64 { return result!.hi; }
/** Numbers stand on the heap, which never gives back: the host empties it between two cases. */
export function empty(): void { heap.reset(); }

export function doFromU64(a: u64): void { result = fromU64(a); }
export function doAdd(a: u64, aHi: u64, b: u64, bHi: u64): void { result = add(pair(a, aHi), pair(b, bHi)); }
export function doSub(a: u64, aHi: u64, b: u64, bHi: u64): void { result = sub(pair(a, aHi), pair(b, bHi)); }
export function doMul(a: u64, aHi: u64, b: u64, bHi: u64): void { result = mul(pair(a, aHi), pair(b, bHi)); }
export function doDivide(a: u64, aHi: u64, b: u64): void { result = divideByU64(pair(a, aHi), b); }
export function doDivideUp(a: u64, aHi: u64, b: u64): void { result = divideUpByU64(pair(a, aHi), b); }
export function doIsLess(a: u64, aHi: u64, b: u64, bHi: u64): bool { return isLess(pair(a, aHi), pair(b, bHi)); }
`;

type Name = "lo" | "hi" | "empty" | "doFromU64" | "doAdd" | "doSub" | "doMul" | "doDivide" | "doDivideUp" | "doIsLess";
type Exports = Readonly<Record<Name, (...halves: bigint[]) => bigint>>;

const U128 = 2n ** 128n;
const halves = (value: bigint): [bigint, bigint] => [value & UINT64_MAX, value >> 64n];

/** Numbers of up to `bits` bits, mostly near powers of two. */
function near(bits: number, max = 2n ** BigInt(bits) - 1n): fc.Arbitrary<bigint> {
  const edge = fc.tuple(fc.nat(bits), fc.bigInt(-2n, 2n)).map(([bit, off]) => 2n ** BigInt(bit) + off);
  const sparse = fc
    .uniqueArray(fc.nat(bits - 1), { maxLength: 4 })
    .map((list) => list.reduce((n, bit) => n | (1n << BigInt(bit)), 0n));
  const full = fc.bigInt(0n, max);
  return fc
    .oneof(
      edge,
      sparse,
      full,
      full.map((n) => n & UINT64_MAX),
    )
    .map((n) => (n < 0n ? 0n : n > max ? max : n));
}

const u128 = near(128);
const divisor = near(63).filter((n) => n > 0n);
const RUNS = { numRuns: 4_000 };

/** The module, started again: a trap poisons one. */
let start: () => Exports;

beforeAll(async () => {
  const flags = [
    "--config",
    "none",
    "--runtime",
    "stub",
    "--initialMemory",
    "1",
    "--maximumMemory",
    "1",
    "--use",
    "abort=",
  ];
  const entry = "test/core/u128-module.ts";
  const bytes = await compile([entry, ...flags, "--optimizeLevel", "3"], { [entry]: SOURCE });
  const module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
  start = () => new WebAssembly.Instance(module).exports as Exports;
});

describe("u128", () => {
  const run = (module: Exports, name: Name, ...args: bigint[]): bigint => {
    module.empty();
    module[name](...args);
    return BigInt.asUintN(64, module.lo()) | (BigInt.asUintN(64, module.hi()) << 64n);
  };
  const pairs = (name: Name, expected: (a: bigint, b: bigint) => bigint) => {
    const module = start();
    fc.assert(
      fc.property(u128, u128, (a, b) => {
        expect(run(module, name, ...halves(a), ...halves(b))).toBe(BigInt.asUintN(128, expected(a, b)));
      }),
      RUNS,
    );
  };
  const divisions = (name: Name, expected: (a: bigint, b: bigint) => bigint) => {
    const module = start();
    fc.assert(
      fc.property(u128, divisor, (a, b) => {
        expect(run(module, name, ...halves(a), b)).toBe(expected(a, b));
      }),
      RUNS,
    );
  };

  test("add() → the sum modulo 2^128", () => pairs("doAdd", (a, b) => a + b));
  test("sub() → the difference modulo 2^128", () => pairs("doSub", (a, b) => a - b));
  test("mul() → the product modulo 2^128", () => pairs("doMul", (a, b) => a * b));
  test("divideByU64() → the quotient rounded down", () => divisions("doDivide", (a, b) => a / b));
  test("divideUpByU64() → the quotient rounded up", () => divisions("doDivideUp", (a, b) => (a + b - 1n) / b));

  test("fromU64() → the number itself", () => {
    const module = start();
    for (const value of [0n, 1n, 2n ** 63n, UINT64_MAX]) expect(run(module, "doFromU64", value)).toBe(value);
  });

  test("isLess() → the order of the numbers", () => {
    const module = start();
    const related = fc.oneof(
      fc.tuple(u128, u128),
      u128.map((a) => [a, a] as const),
      u128.map((a) => [a, (a + 1n) % U128] as const),
    );
    fc.assert(
      fc.property(related, ([a, b]) => {
        module.empty();
        expect(Number(module.doIsLess(...halves(a), ...halves(b)))).toBe(a < b ? 1 : 0);
        expect(Number(module.doIsLess(...halves(b), ...halves(a)))).toBe(b < a ? 1 : 0);
      }),
      RUNS,
    );
  });

  test.each([
    [U128 - 1n, 1n],
    [U128 - 1n, 2n],
    [U128 - 1n, 2n ** 63n - 1n],
    [2n ** 127n, 2n ** 62n],
    [2n ** 64n, 2n ** 63n - 1n],
    [5n, 2n ** 63n - 1n],
    [0n, 1n],
  ])("divideByU64(), divideUpByU64() of %s by %s, which the library gets wrong or never ends", (a, b) => {
    const module = start();
    expect(run(module, "doDivide", ...halves(a), b)).toBe(a / b);
    expect(run(module, "doDivideUp", ...halves(a), b)).toBe((a + b - 1n) / b);
  });

  test.each([0n, 2n ** 63n, UINT64_MAX])("divideByU64() by %s, which is out of range → a trap", (b) => {
    expect(() => run(start(), "doDivide", 7n, 7n, b)).toThrow(WebAssembly.RuntimeError);
    expect(() => run(start(), "doDivideUp", 7n, 7n, b)).toThrow(WebAssembly.RuntimeError);
  });
});
