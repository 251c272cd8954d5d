/** The host side: an instance that trapped is dropped, and bytes that are not this interface's core are refused. */
import { describe, expect, test, vi } from "vitest";
import wabt from "wabt";
import { UpgradeError } from "../../host/base/errors/errors.js";
import { toHex } from "../../host/base/text/bytes.js";
import { encodeText } from "../../host/base/text/text.js";
import { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import { Core } from "../../host/upgrade/core/core.js";
import { CORE_WASM } from "../../host/upgrade/core/core-wasm.js";
import { CoreInstance } from "../../host/upgrade/core/instance.js";
import { thrownBy } from "../thrown-by.js";
import { HEIGHT, PLAN } from "./applying.js";
import { describeCores, dump, expectRefused, keyHex, refusal, storeOf, u64Hex } from "./cores.js";
import { FailingStore } from "./failing-store.js";

const { parseWat } = await wabt();
const assemble = (wat: string) => parseWat("test.wat", `(module ${wat})`).toBinary({}).buffer;

const FACTS = { hasHandler: true, hasLastHandler: false, isSkipHeight: false, isFirstBlock: true };
const plan = { name: "v2", height: HEIGHT, info: "" };

describeCores((core, _raw, bytes) => {
  describe("an import that throws", () => {
    const errors: readonly (readonly [string, unknown])[] = [
      ["an UpgradeError", new UpgradeError("UPG_STORE_IO", "disk")],
      ["an Error", new Error("disk")],
      ["a RangeError", new RangeError("disk")],
      ["no Error at all", "disk"],
    ];

    test.each(errors)("%s → comes through as it is, and the next call works", (_, error) => {
      const operations: readonly ((store: MemoryKVStore) => unknown)[] = [
        (store) => core.planBytes(store),
        (store) => core.schedule(store, 1n, plan),
        (store) => core.clear(store),
        (store) => core.preBlock(store, 1n, FACTS),
        (store) => core.lastDone(store),
        (store) => core.versionMap(store),
        (store) => core.setVersionMap(store, new Map([["a", 1n]])),
        (store) => core.setReceipt(store, "v2", Uint8Array.of(1)),
      ];
      for (const operation of operations) {
        expect(thrownBy(() => operation(new FailingStore(error)))).toBe(error);
        const store = storeOf({ "00": toHex(PLAN) });
        expect(core.preBlock(store, HEIGHT, FACTS)).toBe("Apply");
        expect(core.validatePlan(PLAN)).toBeUndefined();
      }
    });

    test("in the middle of apply() → a branch that is dropped; the same on a good one succeeds", () => {
      const versions = new Map([
        ["a", 1n],
        ["b", 1n],
      ]);
      const good = storeOf({ "00": toHex(PLAN) });
      core.apply(good, HEIGHT, PLAN, versions, []);
      for (let calls = 0, isDone = false; !isDone; calls++) {
        expect(calls).toBeLessThan(30);
        const error = new Error(`call ${calls}`);
        const store = new FailingStore(error, calls + 1);
        store.set(core.planKey(), PLAN);
        const thrown = thrownBy(() => core.apply(store, HEIGHT, PLAN, versions, []));
        isDone = thrown === undefined;
        if (isDone) expect(calls).toBe(9);
        else expect(thrown).toBe(error);
      }
    });
  });

  describe("a trap", () => {
    const stray = (instance: CoreInstance) => instance.run(undefined, () => instance.call("plan_validate", 0, 1));

    test("→ UPG_BUG_CORE_TRAP with the core's message, and a fresh instance for the next call", () => {
      const instance = new CoreInstance(bytes);
      const message = expect.stringMatching(
        /^core\.wasm trapped in plan_validate: a pointer and its length leave the scratch area and the arena at assembly\/core\/areas\.ts:\d+:\d+$/,
      );
      for (let i = 0; i < 3; i++) {
        expect(() => stray(instance)).toThrow(expect.objectContaining({ code: "UPG_BUG_CORE_TRAP", message }));
        expect(instance.run(undefined, () => toHex(instance.fetch("key_plan") ?? new Uint8Array()))).toBe("00");
      }
    });

    test("without a message of its own → the engine's, never that of an earlier failure", () => {
      const wat = `(memory (export "memory") 1) ${SYSTEM}
        (data (i32.const 16) "\\0a\\00\\00\\00\\03\\00\\00\\00old")
        (func (export "boom") (result i32) unreachable)`;
      const instance = new CoreInstance(assemble(wat));
      const expected = refusal("UPG_BUG_CORE_TRAP", "core.wasm trapped in boom: unreachable");
      expect(() => instance.run(undefined, () => instance.call("boom"))).toThrow(expected);
    });
  });

  describe("a machine without memory for it", () => {
    test("→ UPG_STORE_IO with what to look at, no fault of the core's bytes", () => {
      class Refusing {
        constructor() {
          throw new RangeError("WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance");
        }
      }
      const refused = vi.spyOn(WebAssembly, "Instance").mockImplementation(Refusing as never);
      const error = thrownBy(() => new CoreInstance(bytes));
      refused.mockRestore();
      expect(error).toMatchObject({ code: "UPG_STORE_IO", message: expect.stringContaining("`ulimit -v`") });
    });
  });

  describe("a store that calls the core while the core reads it", () => {
    test("→ UPG_BUG_ASSERT, and the core goes on", () => {
      class Circle extends MemoryKVStore {
        override get(): Uint8Array | undefined {
          return core.planBytes(storeOf());
        }
      }
      expect(() => core.planBytes(new Circle())).toThrow(refusal("UPG_BUG_ASSERT"));
      expect(core.planBytes(storeOf())).toBeUndefined();
    });
  });

  describe("strings with lone surrogates", () => {
    const BAD = ["\ud800", "a\udfff", "\udc00\ud800"];

    test.each(BAD)("#%# as a module, in a map or in removes → refused, nothing written", (name) => {
      const store = storeOf({ "00": toHex(PLAN), [keyHex("02", "a")]: u64Hex(1n) });
      const [one, bad] = [new Map([["a", 1n]]), new Map([[name, 1n]])];
      expectRefused(store, () => core.setVersionMap(store, bad), "UPG_INVALID_VERSION_MAP");
      expectRefused(store, () => core.apply(store, HEIGHT, PLAN, bad, ["a"]), "UPG_INVALID_VERSION_MAP");
      expectRefused(store, () => core.apply(store, HEIGHT, PLAN, one, [name]), "UPG_INVALID_NAMES");
      expect(dump(store)).toHaveProperty("00");
    });

    test("pairs of surrogates are letters like any other", () => {
      const store = storeOf();
      core.setVersionMap(store, new Map([["🚀", 1n]]));
      expect([...core.versionMap(store).keys()]).toEqual(["🚀"]);
      expect(toHex(encodeText("🚀"))).toBe("f09f9a80");
      expect(toHex(encodeText("\ud83d"))).toBe("eda0bd");
      expect(toHex(encodeText("é\ude80"))).toBe("c3a9edba80");
    });
  });

  test("a text longer than the core's memory → UPG_INVALID_ARGUMENT, not a trap", () => {
    const message = "core.wasm has no room for 2000000 more bytes";
    expect(() => core.doneKey("n".repeat(2_000_000))).toThrow(refusal("UPG_INVALID_ARGUMENT", message));
    expect(core.doneKey("n").length).toBe(2);
  });
});

/** What every core has; `abi` as its version. */
const systemOf = (abi: number) => `
  (func (export "core_abi") (result i32) (i32.const ${abi}))
  (func (export "core_scratch") (result i32) (i32.const 64))
  (func (export "core_scratch_cap") (result i32) (i32.const 1024))
  (func (export "core_alloc") (param i32) (result i32) (i32.const 0))
  (func (export "core_reset"))
  (func (export "core_err") (result i32) (i32.const 16))`;
const SYSTEM = systemOf(1 << 16);
const MEMORY = '(memory (export "memory") 1)';

describe("new CoreInstance()", () => {
  const refusesAs = (wat: string, message: string) =>
    expect(() => new CoreInstance(assemble(wat))).toThrow(refusal("UPG_BUG_CORE_ABI", message));

  test("of a module of this interface, or of a higher minor → taken", () => {
    for (const abi of [0x10000, 0x10001, 0x1ffff]) {
      const instance = new CoreInstance(assemble(MEMORY + systemOf(abi)));
      const none = refusal("UPG_BUG_CORE_ABI", "core.wasm has no function plan_get");
      expect(() => instance.run(undefined, () => instance.call("plan_get"))).toThrow(none);
    }
  });

  test.each([
    [0, 0],
    [0xffff, 0],
    [0x20000, 2],
    [0x7fff0000, 0x7fff],
    [-1, -1],
  ])("of the interface 0x%x → UPG_BUG_CORE_ABI", (abi, major) => {
    refusesAs(MEMORY + systemOf(abi), `core.wasm speaks interface ${major}, this host 1`);
  });

  test.each([
    ["another function of kv", '(import "kv" "scan" (func))'],
    ["another module", '(import "env" "abort" (func (param i32 i32 i32 i32)))'],
    ["what the loader would add", '(import "env" "seed" (func (result i64)))'],
    ["a global named get", '(import "kv" "get" (global i32))'],
    ["a memory", '(import "kv" "get" (memory 1))'],
  ])("of a module that imports %s → UPG_BUG_CORE_ABI", (_, wat) => {
    refusesAs(wat, "core.wasm imports more than kv.get, set, delete and seek");
  });

  test.each(["core_abi", "core_scratch", "core_scratch_cap", "core_alloc", "core_reset", "core_err"])(
    "of a module without %s → UPG_BUG_CORE_ABI",
    (name) => {
      const wat = SYSTEM.replace(new RegExp(`\\n.*"${name}".*`), "");
      refusesAs(MEMORY + wat, `core.wasm has no function ${name}`);
    },
  );

  test("of a module without memory, or one that traps at its start → UPG_BUG_CORE_ABI", () => {
    refusesAs(SYSTEM, "core.wasm has no memory");
    refusesAs(`${MEMORY} ${SYSTEM} (func $f unreachable) (start $f)`, "core.wasm cannot be instantiated");
    const initialize = '(func (export "_initialize") unreachable)';
    refusesAs(`${MEMORY} ${SYSTEM} ${initialize}`, "core.wasm cannot be instantiated");
  });

  test("of bytes that are no module → UPG_BUG_CORE_ABI", () => {
    for (const bytes of [new Uint8Array(), Uint8Array.of(0, 97, 115, 109), CORE_WASM().slice(0, 5_000)]) {
      const message = "core.wasm is not a valid WebAssembly module";
      expect(() => new CoreInstance(bytes)).toThrow(refusal("UPG_BUG_CORE_ABI", message));
    }
  });

  test("a code that nobody knows, or a failure without a record → said as it is", () => {
    const answers = (number: number) =>
      new CoreInstance(assemble(`${MEMORY} ${SYSTEM} (func (export "f") (result i32) (i32.const ${number}))`));
    const unknown = answers(-200);
    const message = "core.wasm returned the unknown code 200";
    expect(() => unknown.run(undefined, () => unknown.call("f"))).toThrow(refusal("UPG_BUG_CORE_ABI", message));
    const silent = answers(-10);
    const text = "core.wasm returned UPG_INVALID_PLAN_NAME without a message";
    expect(() => silent.run(undefined, () => silent.call("f"))).toThrow(refusal("UPG_INVALID_PLAN_NAME", text));
  });

  test("a pure call that reaches for the store → UPG_BUG_CORE_ABI", () => {
    const wat = `(import "kv" "get" (func $get (param i32 i32 i32 i32) (result i32))) ${MEMORY} ${SYSTEM}
      (func (export "key_plan") (param i32 i32) (result i32)
        (call $get (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))`;
    const core = new Core(assemble(wat));
    expect(() => core.planKey()).toThrow(refusal("UPG_BUG_CORE_ABI", "a pure call of core.wasm reached for the store"));
  });

  test("new Core() without bytes → the release build", () => {
    expect(toHex(new Core().doneKey("v2"))).toBe("017632");
  });
});
