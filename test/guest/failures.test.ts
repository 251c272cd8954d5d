/** Guests that say no, break down, or answer nonsense: which code, which words, and what is the engine's own fault. */
import { describe, expect, test } from "vitest";
import { isUpgradeError, UpgradeError } from "../../host/base/errors/errors.js";
import { fromHex, utf8 } from "../../host/base/text/bytes.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import { data, load, OUT } from "./build.js";
import { ArrayStore, ArrayStores } from "./memory-stores.js";
import { arrayStores, failure, IMPORTS, runGuest, runHandlerIn, STORES } from "./running.js";

function caught(run: () => unknown): UpgradeError {
  try {
    run();
  } catch (error) {
    if (isUpgradeError(error)) return error;
    throw error;
  }
  throw new Error("the run succeeded");
}

const scanRead = { manifest: { stores: STORES, scans: [{ store: "read" }] } };

/** A string as AssemblyScript keeps it; its pointer is `at + 4`. */
function string16(at: number, text: string): string {
  const bytes = new Uint8Array(4 + 2 * text.length);
  new DataView(bytes.buffer).setUint32(0, 2 * text.length, true);
  for (let i = 0; i < text.length; i++) new DataView(bytes.buffer).setUint16(4 + 2 * i, text.charCodeAt(i), true);
  return data(at, bytes);
}

describe("fail() and abort()", () => {
  test("fail() → UPG_MIGRATION_FAILED with the code and the message, from wherever it is called", () => {
    const fail = "(call $fail (i32.const -7) (i32.const 16) (i32.const 9))";
    const more = data(16, "no \u001b money");
    const expected = {
      code: "UPG_MIGRATION_FAILED",
      message: "the handler failed: code -7: no \ufffd mone",
      details: { code: "-7" },
    };
    expect(caught(() => runGuest({ run: `${fail} (i32.const 0)`, more }))).toMatchObject(expected);
    expect(caught(() => runGuest({ check: `${fail} (i32.const 0)`, more }))).toMatchObject(expected);
    expect(caught(() => runGuest({ batch: `${fail} (i32.const 4)`, more }, scanRead))).toMatchObject(expected);
    const initialize = `${more} (func (export "_initialize") ${fail})`;
    expect(caught(() => runGuest({ more: initialize }))).toMatchObject(expected);
  });

  test("fail() with a long message → the first 1,024 bytes, whole characters", () => {
    const run = "(call $fail (i32.const 1) (i32.const 16) (i32.const 3000)) (i32.const 0)";
    const error = caught(() => runGuest({ run, more: data(16, "é".repeat(1_500).replace("é", "ab")) }));
    expect(error.details["message"]).toBe(`ab${"é".repeat(511)}`);
    const odd = caught(() => runGuest({ run, more: data(16, `a${"é".repeat(1_500)}`) }));
    expect(odd.details["message"]).toBe(`a${"é".repeat(511)}`);
  });

  test("abort() → UPG_MIGRATION_FAILED with the message, file and line of AssemblyScript", () => {
    const run = "(call $abort (i32.const 104) (i32.const 204) (i32.const 12) (i32.const 5)) (i32.const 0)";
    const more = `${string16(100, "Index out of range")} ${string16(200, "assembly/mïg.ts")}`;
    const message = "the handler failed: Index out of range at assembly/mïg.ts:12:5";
    expect(caught(() => runGuest({ run, more }))).toMatchObject({ code: "UPG_MIGRATION_FAILED", message });
  });

  test.each([0, 3, -1, 1_048_576, 1_048_574])(
    "abort() with pointer %i for its strings → still a failure with its line",
    (ptr) => {
      const run = `(call $abort (i32.const ${ptr}) (i32.const ${ptr}) (i32.const 12) (i32.const 5)) (i32.const 0)`;
      const error = caught(() => runGuest({ run, more: string16(1_048_566, "x") }));
      expect(error).toMatchObject({
        code: "UPG_MIGRATION_FAILED",
        message: expect.stringMatching(/^the handler failed: .* at .*:12:5$/),
      });
    },
  );
});

describe("answers below 0", () => {
  const record = (code: number, length: number, text: string) => {
    const bytes = new Uint8Array(8 + text.length);
    new DataView(bytes.buffer).setUint32(0, code, true);
    new DataView(bytes.buffer).setUint32(4, length, true);
    bytes.set(utf8(text), 8);
    return data(1_024, bytes);
  };
  const err = "(i32.const 1024)";

  test("an answer below 0 without handler_err → UPG_MIGRATION_FAILED with the number", () => {
    const error = { code: "UPG_MIGRATION_FAILED", details: { answer: "80" } };
    const no = "(i32.const -80)";
    expect(caught(() => runGuest({ run: no }))).toMatchObject({
      ...error,
      message: "the handler failed: handler_run returned -80",
    });
    expect(caught(() => runGuest({ check: no })).message).toBe("the handler failed: handler_check returned -80");
    expect(caught(() => runGuest({ batch: no }, scanRead)).message).toBe(
      "the handler failed: handler_batch returned -80",
    );
    const lowest = caught(() => runGuest({ run: "(i32.const -2147483648)" }));
    expect(lowest.details["answer"]).toBe("2147483648");
  });

  test("an answer below 0 with handler_err → its record too", () => {
    const error = caught(() => runGuest({ run: "(i32.const -80)", err, more: record(4_000_000_000, 4, "odd!x") }));
    expect(error).toMatchObject({
      code: "UPG_MIGRATION_FAILED",
      message: "the handler failed: handler_run returned -80: odd! (code 4000000000)",
      details: { call: "handler_run", answer: "80", code: "4000000000", message: "odd!" },
    });
  });

  test.each<[what: string, err: string, more: string]>([
    ["points outside", "(i32.const 1048570)", ""],
    ["says more than there is", err, record(1, 0xffff_ffff, "x")],
    ["traps", "unreachable", ""],
    ["fails", "(call $fail (i32.const 1) (i32.const 0) (i32.const 0)) (i32.const 0)", ""],
  ])("an answer below 0 with a handler_err that %s → the answer alone", (_, errBody, more) => {
    const error = caught(() => runGuest({ run: "(i32.const -80)", err: errBody, more }));
    expect(error).toMatchObject({
      code: "UPG_MIGRATION_FAILED",
      message: "the handler failed: handler_run returned -80",
    });
  });

  test("an answer of 0 from handler_in or handler_out → UPG_MIGRATION_FAILED, it has no room", () => {
    const message = (name: string) => `${name}) refused: the handler has no room for its buffer`;
    expect(() => runGuest({ in: "(i32.const 0)" })).toThrow(
      failure("UPG_MIGRATION_FAILED", message("handler_in(65536")),
    );
    expect(() => runGuest({ out: "(i32.const 0)" })).toThrow(
      failure("UPG_MIGRATION_FAILED", message("handler_out(262144")),
    );
  });
});

describe("answers that are wrong", () => {
  const trap = (message: string) => failure("UPG_HANDLER_TRAP", message);

  test("a buffer that lies outside the memory → UPG_HANDLER_TRAP", () => {
    const inside = `(i32.const ${1_048_576 - 65_536})`;
    runGuest({ in: inside });
    expect(() => runGuest({ in: `(i32.const ${1_048_577 - 65_536})` })).toThrow(
      trap("the buffer of handler_in(65536)"),
    );
    expect(() => runGuest({ in: "(i32.const -1)" })).toThrow(trap("the buffer of handler_in(65536)"));
    expect(() => runGuest({ out: `(i32.const ${1_048_577 - 262_144})` })).toThrow(
      trap("the buffer of handler_out(262144)"),
    );
  });

  test("an output longer than its buffer → UPG_HANDLER_TRAP", () => {
    expect(() => runGuest({ run: "(i32.const 262145)" })).toThrow(
      trap("handler_run returned 262145, its buffer has 262144"),
    );
    expect(() => runGuest({ check: "(i32.const 262145)" })).toThrow(trap("handler_check returned 262145"));
    expect(() => runGuest({ batch: "(i32.const 2147483647)" }, scanRead)).toThrow(
      trap("handler_batch returned 2147483647"),
    );
  });

  test("a handler_batch that returns less than its count → UPG_HANDLER_TRAP", () => {
    for (const length of [0, 3]) {
      expect(() => runGuest({ batch: `(i32.const ${length})` }, scanRead)).toThrow(
        trap(`handler_batch returned ${length} bytes`),
      );
    }
  });

  test.each<[what: string, consumed: string, message: string]>([
    ["nothing", "(i32.const 0)", "handler_batch consumed nothing of 21 bytes"],
    ["more than it was given", "(i32.add (local.get $len) (i32.const 1))", "handler_batch consumed 22 of 21 bytes"],
    ["4 GiB", "(i32.const -1)", "handler_batch consumed 4294967295 of 21 bytes"],
    ["half a frame", "(i32.const 10)", "handler_batch consumed 10 of 21 bytes, which is not where a frame ends"],
    ["a frame and a byte", "(i32.const 12)", "handler_batch consumed 12 of 21 bytes, which is not where a frame ends"],
  ])("a handler_batch that consumes %s → UPG_HANDLER_TRAP", (_, consumed, message) => {
    const batch = `(i32.store (i32.const ${OUT}) ${consumed}) (i32.const 4)`;
    const stores = {
      read: [
        ["01", "aaaa"],
        ["02", "bb"],
      ],
    } as const;
    expect(() => runGuest({ batch }, { ...scanRead, stores })).toThrow(trap(message));
  });

  test("a handler_batch that consumes a byte of nothing → UPG_HANDLER_TRAP", () => {
    const batch = `(i32.store (i32.const ${OUT}) (i32.const 1)) (i32.const 4)`;
    expect(() => runGuest({ batch }, scanRead)).toThrow(trap("handler_batch consumed 1 of 0 bytes"));
  });

  test("a version map or checks that are not that → UPG_MIGRATION_VERSION_MAP, UPG_HANDLER_TRAP", () => {
    const more = data(OUT, fromHex("0a05ff"));
    expect(() => runGuest({ run: "(i32.const 3)", more })).toThrow(
      failure("UPG_MIGRATION_VERSION_MAP", "malformed protobuf"),
    );
    expect(() => runGuest({ check: "(i32.const 3)", more })).toThrow(trap("handler_check returned no check results"));
  });

  test("a check that does not hold → UPG_MIGRATION_INVARIANT with its name", () => {
    const check = (name: string, ok: number, message: string) =>
      new WireWriter().string(1, name).int(2, ok).string(3, message).finish();
    const bytes = new WireWriter()
      .message(1, check("order", 1, ""))
      .message(1, check("supply", 0, "12 became 11"))
      .message(1, check("names", 0, ""))
      .finish();
    const error = caught(() => runGuest({ check: `(i32.const ${bytes.length})`, more: data(OUT, bytes) }));
    expect(error).toMatchObject({
      code: "UPG_MIGRATION_INVARIANT",
      message: "a check of the handler failed: supply: 12 became 11; names",
      details: { checks: "supply,names" },
    });
  });
});

describe("traps of the engine", () => {
  const table = "(type $f (func)) (type $g (func (param i64))) (table 3 funcref) (func $one) (elem (i32.const 0) $one)";

  test.each<[run: string, name: string]>([
    ["unreachable", "unreachable"],
    ["(drop (i32.load (i32.const -1)))", "memory out of bounds"],
    ["(i64.store (i32.const 1048570) (i64.const 0))", "memory out of bounds"],
    ["(memory.fill (i32.const 1048576) (i32.const 0) (i32.const 1))", "memory out of bounds"],
    ["(memory.copy (i32.const 0) (i32.const 0) (i32.const -1))", "memory out of bounds"],
    ["(memory.init $d (i32.const 0) (i32.const 2) (i32.const 9))", "memory out of bounds"],
    ["(drop (i32.div_u (i32.const 1) (i32.const 0)))", "division by zero"],
    ["(drop (i64.rem_s (i64.const 1) (i64.const 0)))", "division by zero"],
    ["(drop (i32.div_s (i32.const -2147483648) (i32.const -1)))", "integer overflow"],
    ["(call_indirect (type $f) (i32.const 99))", "bad indirect call"],
    ["(call_indirect (type $f) (i32.const 2))", "bad indirect call"],
    ["(call_indirect (type $g) (i64.const 0) (i32.const 0))", "bad indirect call"],
  ])("%s → UPG_HANDLER_TRAP, of class %s", (run, name) => {
    const error = caught(() => runGuest({ run: `${run} (i32.const 0)`, more: `${table} (data $d "abc")` }));
    expect(error).toMatchObject({ code: "UPG_HANDLER_TRAP", details: { trap: name, call: "handler_run" } });
    expect(error.message).toBe(`the handler trapped in handler_run: ${name}`);
  });

  test("recursion without end → UPG_HANDLER_STACK, the same on every engine", () => {
    const more = "(func $deep (param i64) (result i64) (i64.add (i64.const 1) (call $deep (local.get 0))))";
    const error = caught(() => runGuest({ run: "(drop (call $deep (i64.const 1))) (i32.const 0)", more }));
    expect(error).toMatchObject({ code: "UPG_HANDLER_STACK", details: { call: "handler_run" } });
    expect(error.message).toContain("262144 abstract bytes of stack");
  });

  test("recursion with an import in between → UPG_HANDLER_STACK too", () => {
    const more = `(func $deep (param i32) (result i32) (call $log (i32.const 0) (i32.const 0) (i32.const 0)) (i32.add (i32.const 1) (call $deep (local.get 0))))`;
    const error = caught(() => runGuest({ run: "(drop (call $deep (i32.const 1))) (i32.const 0)", more }));
    expect(error).toMatchObject({ code: "UPG_HANDLER_STACK" });
  });
});

describe("errors that are not the guest's", () => {
  const set = "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 0) (i32.const 1))) (i32.const 0)";

  test("what a store throws goes on as it is", () => {
    const disk = new UpgradeError("UPG_STORE_IO", "the disk is gone");
    const broken = new ArrayStore();
    broken.set = () => {
      throw disk;
    };
    const stores = new ArrayStores(new Map([["all", broken]])).branch();
    stores.store("all").set = broken.set;
    const handler = load({ imports: IMPORTS, run: set }, { stores: STORES.slice(0, 1) });
    expect(caught(() => runHandlerIn(handler, { input: { stores } }))).toBe(disk);
  });

  test("a log callback that throws → no effect on the run", () => {
    const run = "(call $log (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 0)";
    const log = () => {
      throw new TypeError("no log");
    };
    expect(() => runGuest({ run }, { input: { log } })).not.toThrow();
  });

  test("a store of the manifest that is absent → UPG_HANDLER_LAYOUT before anything runs", () => {
    const manifest = { stores: [{ name: "missing", access: "r" }] };
    const error = failure(
      "UPG_HANDLER_LAYOUT",
      'wants store "missing", which is absent; there are all, part, read, top',
    );
    expect(() => runGuest({ run: "unreachable" }, { manifest })).toThrow(error);
    const base = arrayStores({ missing: [] });
    expect(() => runGuest({ run: "unreachable" }, { manifest, input: { stores: base.branch() } })).toThrow(error);
  });

  test("stored versions that the manifest does not take → UPG_HANDLER_LAYOUT before anything runs", () => {
    const manifest = { versions: { auth: { from: [1], to: 2 } } };
    const input = { versionMap: new Map([["auth", 3n]]) };
    expect(() => runGuest({ run: "unreachable" }, { manifest, input })).toThrow(
      failure("UPG_HANDLER_LAYOUT", "auth is stored at 3"),
    );
  });
});
