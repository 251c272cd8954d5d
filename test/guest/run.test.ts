/** Guests that do as they should: what they see, what they can do, and what the host reports of it. */
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../host/base/text/bytes.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import { encodeVersionMap } from "../../host/upgrade/core/version-map.js";
import { GasCounter } from "../../host/upgrade/handler/run/gas-counter.js";
import { GuestMemory } from "../../host/upgrade/handler/run/guest-memory.js";
import { HostImports } from "../../host/upgrade/handler/run/host-imports.js";
import { encodeContext } from "../../host/upgrade/handler/run/messages.js";
import { StoreHandles } from "../../host/upgrade/handler/run/store-handles.js";
import { data, IN, load, OUT } from "./build.js";
import { arrayStores, IMPORTS, pairsOf, runGuest, runHandlerIn, STORES } from "./running.js";

const set = (store: number, key: string, value: string) => `(drop (call $set (i32.const ${store}) ${key} ${value}))`;
/** `ptr len` of bytes that a data segment holds. */
const at = (ptr: number, len: number) => `(i32.const ${ptr}) (i32.const ${len})`;
/** Gives the host a number. */
const tell = (value: string) => `(call $progress (i64.extend_i32_s ${value}) (i64.const 0))`;

describe("runHandler()", () => {
  test("runHandler() of a handler that does nothing → no versions, no checks, no writes", () => {
    const { report, stores, base } = runGuest({});
    const none = { written: 0, deleted: 0, bytes: 0 };
    expect(report).toEqual({
      versionMap: undefined,
      gas: expect.any(BigInt),
      stores: new Map([
        ["all", none],
        ["part", none],
        ["top", none],
      ]),
      checks: [],
      memoryPages: 16,
    });
    expect([...report.stores.keys()]).toEqual(["all", "part", "top"]);
    for (const name of base.names) expect(pairsOf(stores, name)).toEqual([]);
  });

  test("handler_run and handler_check are given the UpgradeContext", () => {
    const input = {
      chainId: "test-1",
      height: 9n,
      time: { seconds: 5n, nanos: 6 },
      planBytes: fromHex("0a027632"),
      versionMap: new Map([
        ["bank", 3n],
        ["auth", 1n],
      ]),
    };
    const store = `${set(0, at(16, 1), `(i32.const ${IN}) (local.get $len)`)}`;
    const compare = `(if (i32.ne (local.get $len) (call $get (i32.const 0) ${at(16, 1)} (i32.const 0) (i32.const 0))) (then unreachable))`;
    const { stores } = runGuest(
      { run: `${store} (i32.const 0)`, check: `${compare} (i32.const 0)`, more: data(16, "k") },
      { input },
    );
    expect(pairsOf(stores, "all")).toEqual([["6b", toHex(encodeContext(input))]]);
  });

  test("a context larger than 64 KiB is given in a buffer that was asked for it", () => {
    const handlerIn = `(call $progress (i64.extend_i32_u (local.get $cap)) (i64.const 0)) (i32.const ${IN})`;
    const planBytes = new Uint8Array(70_000).fill(7);
    const { steps, stores } = runGuest(
      {
        in: handlerIn,
        run: `${set(0, at(16, 1), `(i32.add (i32.const ${IN - 50}) (local.get $len)) (i32.const 4)`)} (i32.const 0)`,
        more: data(16, "k"),
      },
      { input: { planBytes } },
    );
    expect(steps).toEqual(["65536/0", "70020/0"]);
    expect(pairsOf(stores, "all")).toEqual([["6b", "07070707"]]);
  });

  test("_initialize runs first, once", () => {
    const more = `(global $n (mut i32) (i32.const 0)) (func (export "_initialize") (global.set $n (i32.add (global.get $n) (i32.const 1))))`;
    const { steps } = runGuest({
      more,
      run: `${tell("(global.get $n)")} (i32.const 0)`,
      check: `${tell("(global.get $n)")} (i32.const 0)`,
    });
    expect(steps).toEqual(["1/0", "1/0"]);
  });

  test("a version map that is returned → decoded", () => {
    const versions = new Map([
      ["auth", 2n],
      ["bank", 18446744073709551615n],
    ]);
    const bytes = encodeVersionMap(versions);
    const { report } = runGuest({ run: `(i32.const ${bytes.length})`, more: data(OUT, bytes) });
    expect(report.versionMap).toEqual(versions);
  });

  test("checks that hold → in the report", () => {
    const bytes = new WireWriter()
      .message(1, new WireWriter().string(1, "supply").int(2, 1).string(3, "fine").finish())
      .finish();
    const { report } = runGuest({ check: `(i32.const ${bytes.length})`, more: data(OUT, bytes) });
    expect(report.checks).toEqual([{ name: "supply", ok: true, message: "fine" }]);
  });

  test("every run has a fresh instance", () => {
    const handler = load(
      {
        imports: IMPORTS,
        more: "(global $n (mut i32) (i32.const 0))",
        run: `(global.set $n (i32.add (global.get $n) (i32.const 1))) ${tell("(global.get $n)")} (i32.const 0)`,
      },
      { stores: STORES },
    );
    expect(runHandlerIn(handler).steps).toEqual(["1/0"]);
    expect(runHandlerIn(handler).steps).toEqual(["1/0"]);
  });

  test("the memory grows to its cap, which the host gives it, and the report says how far", () => {
    const grow = (by: number) => tell(`(memory.grow (i32.const ${by}))`);
    const run = `${grow(400)} ${grow(97)} ${grow(96)} ${grow(1)} (i32.const 0)`;
    const { steps, report } = runGuest({ run });
    expect(steps).toEqual(["16/0", "-1/0", "416/0", "-1/0"]);
    expect(report.memoryPages).toBe(512);
    const declared = runGuest({
      run: `${grow(4)} ${grow(1)} (i32.const 0)`,
      memory: '(memory (export "memory") 16 20)',
    });
    expect(declared.steps).toEqual(["16/0", "-1/0"]);
    expect(declared.report.memoryPages).toBe(20);
    const greedy = runGuest({ run: `${grow(65_000)} (i32.const 0)`, memory: '(memory (export "memory") 16 65536)' });
    expect(greedy.steps).toEqual(["-1/0"]);
  });

  test("buffers that the guest moved by growing are found again", () => {
    const { stores } = runGuest({
      in: "(drop (memory.grow (i32.const 3))) (i32.const 65536)",
      run: `(drop (memory.grow (i32.const 3))) ${set(0, at(16, 2), `(i32.const ${IN + 2}) (i32.const 6)`)} (i32.const 0)`,
      more: data(16, "kk"),
    });
    expect(pairsOf(stores, "all")).toEqual([["6b6b", toHex(new TextEncoder().encode("test-1"))]]);
  });

  test("log() gives lines by level, cut and harmless; progress() its numbers", () => {
    const long = "é".repeat(3_000);
    const log = (level: number, ptr: number, len: number) => `(call $log (i32.const ${level}) ${at(ptr, len)})`;
    const run = `${log(0, 16, 3)} ${log(1, 16, 3)} ${log(2, 16, 3)} ${log(3, 16, 3)} ${log(4, 16, 3)} ${log(-1, 16, 0)}
      ${log(1, 1_024, 6_000)} (call $progress (i64.const -1) (i64.const 9007199254740993)) (i32.const 0)`;
    const { lines, steps } = runGuest({ run, more: `${data(16, "a\n\u001b")} ${data(1_024, long)}` });
    const text = "a \ufffd";
    expect(lines).toEqual([
      `debug ${text}`,
      `info ${text}`,
      `warn ${text}`,
      `error ${text}`,
      `error ${text}`,
      "error ",
      `info ${"é".repeat(2_048)}`,
    ]);
    expect(steps).toEqual(["-1/9007199254740993"]);
  });

  test("runHandler() with callbacks that throw, or return a promise that rejects → the same report, and all are called", async () => {
    const run = `(call $log (i32.const 0) ${at(16, 1)}) (call $progress (i64.const 1) (i64.const 2)) ${set(0, at(16, 1), at(16, 1))} (i32.const 0)`;
    const parts = { run, more: data(16, "k") };
    const { report } = runGuest(parts);
    for (const fails of [
      () => {
        throw new Error("mine");
      },
      () => Promise.reject(new Error("mine")),
    ]) {
      const called: string[] = [];
      const callback = (name: string) => () => {
        called.push(name);
        return fails();
      };
      const input = { log: callback("log"), progress: callback("progress"), onProgress: callback("onProgress") };
      expect(runGuest(parts, { input }).report).toEqual(report);
      expect(called).toEqual(["log", "progress"]);
    }
    await new Promise(setImmediate);
  });

  test("runHandler() without log and progress runs the same", () => {
    const run =
      "(call $log (i32.const 0) (i32.const 0) (i32.const 0)) (call $progress (i64.const 0) (i64.const 0)) (i32.const 0)";
    const { lines } = runGuest({ run }, { input: { log: undefined, progress: undefined } });
    expect(lines).toEqual([]);
  });
});

describe("HostImports.object()", () => {
  test("HostImports.object() is frozen and inherits nothing", () => {
    const { manifest } = load({}, { stores: STORES });
    const gas = new GasCounter(1n);
    const handles = new StoreHandles(manifest, arrayStores().branch(), arrayStores(), gas);
    const imports = new HostImports(new GuestMemory(), handles, gas, {}).object();
    expect(Object.keys(imports)).toEqual(["chain", "env"]);
    for (const part of [imports, imports["chain"], imports["env"]]) {
      expect(Object.isFrozen(part)).toBe(true);
      expect(Object.getPrototypeOf(part)).toBeNull();
    }
  });
});
