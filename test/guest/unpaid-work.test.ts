/** Work that gas must bound although no instruction or byte shows it: debts of functions, walks over what was deleted. */
import { describe, expect, test } from "vitest";
import { examineHandler } from "../../host/upgrade/handler/check/check.js";
import { METER_EXPORTS } from "../../host/upgrade/handler/meter/meter-exports.js";
import { HOST_PRICES } from "../../host/upgrade/handler/meter/schedule.js";
import { runHandler } from "../../host/upgrade/handler/run/sandbox.js";
import { MemoryStores } from "../../host/upgrade/test-kit/memory-stores.js";
import { build, guest, load } from "./build.js";
import { IMPORTS, STORES } from "./running.js";

describe("debts", () => {
  const step = "(global.set $g (i64.div_u (global.get $g) (local.get 0)))";
  const small = `(func $small (param i64) ${step.repeat(30)})`;
  const large = (calls: number) => `(func $large ${"(call $small (i64.const 3))".repeat(calls)})`;
  const plain = `(func $large (local i64) (local.set 0 (i64.const 3)) ${step.repeat(1_500)})`;
  const caller = `(func $caller ${"(call $large)".repeat(500)})`;

  /** What the metered module owes when it ends itself; it had enough for the caller alone. */
  function debt(functions: string): bigint {
    const more = `(global $g (mut i64) (i64.const 1)) ${functions} ${caller}`;
    const { metered, findings } = examineHandler(build(guest({ run: "(call $caller) (i32.const 0)", more })));
    if (!metered || findings.length > 0) throw new Error(findings[0]?.message);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(metered));
    const gas = exports[METER_EXPORTS.gas] as WebAssembly.Global<"i64">;
    gas.value = 5_000n;
    expect(() => (exports["handler_run"] as (length: number) => number)(0)).toThrow(WebAssembly.RuntimeError);
    return -gas.value;
  }

  test("a large function that calls nobody who counts, called again and again → the first call finds the end", () => {
    const price = 30n * 11n + 1n + 6n;
    expect(debt(small + large(200))).toBeLessThan(2n * 200n * price);
    expect(debt(plain)).toBeLessThan(2n * 1_500n * 11n);
  });
});

describe("store_scan over what the handler deleted", () => {
  const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");

  /** Gas of a run that deletes keys `first` to `last` of ten, then scans from the start with room for one pair. */
  function gas(first: number, last: number, scan: string): bigint {
    const remove = `(i32.store8 (i32.const 16) (local.get $len)) (drop (call $delete ${i32(0, 16, 1)}))`;
    const run = `(local.set $len (i32.const ${first}))
      (loop $next ${remove} (local.set $len (i32.add (local.get $len) (i32.const 1)))
        (br_if $next (i32.le_u (local.get $len) (i32.const ${last})))) ${scan} (i32.const 0)`;
    const handler = load({ imports: IMPORTS, run }, { stores: STORES });
    const base = new MemoryStores();
    for (const { name } of STORES) base.open(name);
    for (let key = 1; key <= 10; key++) base.open("all").set(Uint8Array.of(key), Uint8Array.of(1));
    const report = runHandler(handler, {
      chainId: "test-1",
      height: 7n,
      time: { seconds: 1n, nanos: 0 },
      planBytes: new Uint8Array(0),
      versionMap: new Map(),
      stores: base.branch(),
      base,
    });
    return report.gas - BigInt(handler.bytes.length * HOST_PRICES.fileByte);
  }

  const PAIR_BYTES = 8 + 2;
  const scan = `(drop (call $scan ${i32(0, 0, 0, 0, 0, 32, PAIR_BYTES)}))`;
  /** 7 constants, the call, the drop. */
  const INSTRUCTIONS = 7 + 6 + 1;
  const paid = (first: number, last: number) =>
    Number(gas(first, last, scan) - gas(first, last, "")) -
    (INSTRUCTIONS + HOST_PRICES.store_scan + HOST_PRICES.scanPair + PAIR_BYTES * HOST_PRICES.byte);

  test.each([
    // Key 0 is absent: what was deleted counts, there or not.
    [0, 0],
    [0, 4],
    [1, 1],
    [1, 4],
    [2, 9],
  ])("keys %i to %i deleted, before the first pair that does not fit → each is paid for", (first, last) => {
    expect(paid(first, last)).toBe((last - first + 1) * (HOST_PRICES.scanPassed + HOST_PRICES.scanPassedByte));
  });

  test("keys after the first pair that does not fit → not paid for", () => {
    expect(paid(3, 10)).toBe(0);
  });
});
