/**
 * Recursion that a compiler makes expensive: what is computed before a call is computed again after it, so that optimised code
 * keeps it over the call, and the first code does not. Each guest warms itself up, since an engine changes from one to the
 * other when it likes; then it goes as deep as it is asked to. One verdict is due everywhere: UPG_HANDLER_STACK past the
 * budget, the result within it.
 */
import { assemble } from "../guest/build.js";
import { metered } from "../guest/random/metering.js";
import type { EngineCase } from "./run-cases.js";

const GAS = String(1n << 50n);

/** Computed before the call and after it, and stored. */
interface Variant {
  readonly name: string;
  readonly count: number;
  /** An i32, of the parameter 0 and a number. */
  readonly value: (i: number) => string;
}

const VARIANTS: readonly Variant[] = [
  { name: "products", count: 600, value: (i) => `(i32.mul (local.get 0) (i32.const ${2 * i + 3}))` },
  { name: "few-products", count: 40, value: (i) => `(i32.mul (local.get 0) (i32.const ${5 * i + 7}))` },
  { name: "comparisons", count: 300, value: (i) => `(i32.lt_u (local.get 0) (i32.const ${3 * i + 1}))` },
  {
    name: "wide-products",
    count: 400,
    value: (i) => `(i32.wrap_i64 (i64.mul (i64.extend_i32_u (local.get 0)) (i64.const ${9_000_000_000 + 2 * i})))`,
  },
  {
    name: "constants",
    count: 500,
    value: (i) => `(i64.ne (i64.load (i32.const 0)) (i64.const ${12_345_678_901 + i}))`,
  },
  { name: "remainders", count: 200, value: (i) => `(i32.rem_u (local.get 0) (i32.const ${2 * i + 3}))` },
  {
    name: "addresses",
    count: 500,
    value: (i) => `(i32.load (i32.and (i32.mul (local.get 0) (i32.const ${2 * i + 5})) (i32.const 65532)))`,
  },
];

/** (depth, times to warm up at depth 0) → 7. */
function text({ count, value }: Variant): string {
  const stores = Array.from({ length: count }, (_, i) => `(i32.store offset=${8 + 4 * i} (i32.const 0) ${value(i)})`);
  const body = stores.join(" ");
  return `(module (memory (export "memory") 2)
    (func $r (param i32 i32) (result i32)
      (if (i32.eqz (local.get 1)) (then (return (i32.const 7))))
      ${body} (drop (call $r (local.get 0) (i32.sub (local.get 1) (i32.const 1)))) ${body} (i32.const 7))
    (func (export "go") (param i32 i32) (result i32)
      (loop $warm
        (drop (call $r (i32.const 4) (i32.const 1)))
        (br_if $warm (i32.gt_s (local.tee 1 (i32.sub (local.get 1) (i32.const 1))) (i32.const 0))))
      (call $r (i32.const 4) (local.get 0))))`;
}

/** For each variant: as deep as the budget lets it, one deeper, and a thousand deep. */
export function stackCases(): EngineCase[] {
  return VARIANTS.flatMap((variant) => {
    const wasm = assemble(text(variant));
    const deepest = deepestCall(wasm);
    const base64 = Buffer.from(metered(wasm)).toString("base64");
    const once = (depth: number, warm: number): EngineCase => ({
      name: `stack-${variant.name}-${depth === deepest ? "deepest" : depth === deepest + 1 ? "past" : depth}-${warm}`,
      wasm: base64,
      gas: GAS,
      steps: [{ call: "go", args: [`i32:${depth}`, `i32:${warm}`] }],
    });
    return [once(deepest, 1), once(deepest + 1, 1), once(1_000, 5_000), once(deepest, 5_000)];
  });
}

/** Found by trying, on the engine at hand: the count is its own witness that the others must agree with. */
function deepestCall(wasm: Uint8Array): number {
  const module = new WebAssembly.Module(metered(wasm));
  const isDeepEnough = (depth: number) => {
    const { exports } = new WebAssembly.Instance(module);
    (exports["chain-upgrade:gas"] as WebAssembly.Global<"i64">).value = BigInt(GAS);
    try {
      (exports["go"] as (depth: number, warm: number) => number)(depth, 1);
      return true;
    } catch {
      return false;
    }
  };
  let depth = 1;
  while (isDeepEnough(depth + 1)) depth++;
  return depth;
}
