/** What is refused before anything runs: imports and exports that are not those of the interface. */
import { describe, expect, test } from "vitest";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import { build, type GuestParts, guest } from "./build.js";

type Refusal = [what: string, parts: GuestParts, code: string, message: string, functionName?: string];

const more = (fields: string) => ({ more: fields });

function firstFinding(bytes: Uint8Array) {
  const [first] = checkHandler(bytes).findings;
  return first;
}

describe("checkHandler() of imports", () => {
  test.each<Refusal>([
    [
      "unknown name",
      { imports: '(import "chain" "store_drop" (func))' },
      "UPG_HANDLER_IMPORT",
      'import "chain.store_drop" is not offered; a handler may import chain.store_get',
    ],
    [
      "unknown module",
      { imports: '(import "kv" "get" (func))' },
      "UPG_HANDLER_IMPORT",
      'import "kv.get" is not offered',
    ],
    [
      "names of every object",
      { imports: '(import "__proto__" "constructor" (func))' },
      "UPG_HANDLER_IMPORT",
      '"__proto__.constructor" is not offered',
    ],
    ["WASI", { imports: '(import "wasi_snapshot_preview1" "fd_write" (func))' }, "UPG_HANDLER_IMPORT", "not for WASI"],
    ["a seed", { imports: '(import "env" "seed" (func (result i64)))' }, "UPG_HANDLER_IMPORT", "Math.random"],
    ["a clock", { imports: '(import "env" "Date.now" (func (result i64)))' }, "UPG_HANDLER_IMPORT", "no clock"],
    [
      "wasm-bindgen",
      { imports: '(import "__wbindgen_placeholder__" "x" (func))' },
      "UPG_HANDLER_IMPORT",
      "wasm-bindgen",
    ],
    [
      "a result too few",
      { imports: '(import "chain" "store_set" (func (param i32 i32 i32 i32 i32)))' },
      "UPG_HANDLER_IMPORT",
      "import chain.store_set has type (i32, i32, i32, i32, i32) -> (), it is offered as (i32, i32, i32, i32, i32) -> i32",
    ],
    [
      "a parameter too many",
      { imports: '(import "chain" "fail" (func (param i32 i32 i32 i32)))' },
      "UPG_HANDLER_IMPORT",
      "it is offered as (i32, i32, i32) -> ()",
    ],
    [
      "another type",
      { imports: '(import "chain" "progress" (func (param i32 i32)))' },
      "UPG_HANDLER_IMPORT",
      "it is offered as (i64, i64) -> ()",
    ],
    [
      "abort of another type",
      { imports: '(import "env" "abort" (func (param i32 i32 i32)))' },
      "UPG_HANDLER_IMPORT",
      "it is offered as (i32, i32, i32, i32) -> ()",
    ],
    [
      "a table",
      { imports: '(import "env" "table" (table 1 funcref))' },
      "UPG_HANDLER_IMPORT",
      'the table "env.table" is imported',
    ],
    [
      "a global",
      { imports: '(import "env" "g" (global i32))' },
      "UPG_HANDLER_IMPORT",
      'the global "env.g" is imported',
    ],
    [
      "a mutable global",
      { imports: '(import "chain" "gas" (global (mut i64)))' },
      "UPG_HANDLER_IMPORT",
      'the global "chain.gas" is imported',
    ],
    ["a tag", { imports: '(import "env" "t" (tag))' }, "UPG_HANDLER_IMPORT", 'the tag "env.t" is imported'],
    [
      "a memory",
      { imports: '(import "env" "memory" (memory 1))', memory: "" },
      "UPG_HANDLER_MEMORY",
      'the memory "env.memory" is imported',
    ],
    [
      "a name to write on terminals",
      { imports: '(import "chain" "\\1b[2J\\c2\\9b31m" (func))' },
      "UPG_HANDLER_IMPORT",
      '"chain.\ufffd[2J\ufffd31m"',
    ],
  ])("import of %s → refused", (_, parts, code, message) => {
    const finding = firstFinding(build(guest(parts)));
    expect(finding).toMatchObject({ code, function: null });
    expect(finding?.message).toContain(message);
  });

  test("all imports that are offered → taken", () => {
    const imports = `
      (import "chain" "store_get" (func (param i32 i32 i32 i32 i32) (result i32)))
      (import "chain" "store_set" (func (param i32 i32 i32 i32 i32) (result i32)))
      (import "chain" "store_delete" (func (param i32 i32 i32) (result i32)))
      (import "chain" "store_write" (func (param i32 i32) (result i32)))
      (import "chain" "store_scan" (func (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
      (import "chain" "log" (func (param i32 i32 i32)))
      (import "chain" "progress" (func (param i64 i64)))
      (import "chain" "fail" (func (param i32 i32 i32)))
      (import "env" "abort" (func (param i32 i32 i32 i32)))`;
    expect(checkHandler(build(guest({ imports })))).toEqual({ name: "v2", gasLimit: 10_000_000_000n, findings: [] });
  });
});

describe("checkHandler() of exports", () => {
  const without = (name: string) => guest().replace(`(export "${name}")`, "");
  const scans = { stores: [{ name: "s", access: "r" }], scans: [{ store: "s" }] };

  test.each(["handler_abi_1", "handler_in", "handler_out", "handler_run"])(
    "a module without %s → UPG_HANDLER_EXPORT",
    (name) => {
      const finding = firstFinding(build(without(name)));
      expect(finding).toMatchObject({ code: "UPG_HANDLER_EXPORT", offset: null });
      expect(finding?.message).toContain(`does not export ${name} (`);
    },
  );

  test("a module without memory → UPG_HANDLER_MEMORY; with one that is not exported → UPG_HANDLER_EXPORT", () => {
    expect(firstFinding(build(guest({ memory: "" })))).toMatchObject({ code: "UPG_HANDLER_MEMORY" });
    expect(firstFinding(build(guest({ memory: "(memory 1)" })))).toMatchObject({ code: "UPG_HANDLER_EXPORT" });
  });

  test.each<Refusal>([
    [
      "memory as a function",
      { memory: "(memory 1)", more: '(func (export "memory"))' },
      "UPG_HANDLER_EXPORT",
      "export memory is a function",
    ],
    [
      "handler_check with a parameter too many",
      more('(func $f (export "handler_check") (param i32 i32) (result i32) (i32.const 0))'),
      "UPG_HANDLER_EXPORT",
      "handler_check has type (i32, i32) -> i32, it must be (i32) -> i32",
      "f",
    ],
    [
      "handler_err without a result",
      more('(func $f (export "handler_err"))'),
      "UPG_HANDLER_EXPORT",
      "it must be () -> i32",
      "f",
    ],
    [
      "handler_err as a global",
      more('(global (export "handler_err") i32 (i32.const 0))'),
      "UPG_HANDLER_EXPORT",
      "handler_err is a global",
    ],
    [
      "_initialize with a result",
      more('(func $f (export "_initialize") (result i32) (i32.const 0))'),
      "UPG_HANDLER_EXPORT",
      "it must be () -> ()",
      "f",
    ],
    [
      "handler_batch of another type, without scans",
      more('(func $f (export "handler_batch") (param i32) (result i32) (i32.const 0))'),
      "UPG_HANDLER_EXPORT",
      "it must be (i32, i32, i32) -> i32",
      "f",
    ],
    [
      "an import handed on",
      { imports: '(import "chain" "log" (func $log (param i32 i32 i32)))', more: '(export "handler_err" (func $log))' },
      "UPG_HANDLER_EXPORT",
      "an import handed on",
    ],
    ["a name of the host's", more('(func (export "chain-upgrade:gas"))'), "UPG_HANDLER_EXPORT", "are the host's"],
  ])("export of %s → refused", (_, parts, code, message, name) => {
    const finding = firstFinding(build(guest(parts)));
    expect(finding).toMatchObject({ code, function: name ?? null });
    expect(finding?.message).toContain(message);
  });

  test("handler_run as i64 → UPG_HANDLER_EXPORT", () => {
    const wide = guest().replace(
      "(param $len i32) (result i32) (i32.const 0)",
      "(param $len i64) (result i32) (i32.const 0)",
    );
    expect(firstFinding(build(wide))?.message).toContain("handler_run has type (i64) -> i32, it must be (i32) -> i32");
  });

  test("scans in the manifest without handler_batch → UPG_HANDLER_EXPORT; handler_batch without scans → taken", () => {
    expect(firstFinding(build(guest(), scans))?.message).toContain(
      "does not export handler_batch (i32, i32, i32) -> i32, since",
    );
    expect(checkHandler(build(guest({ batch: "(i32.const 4)" }))).findings).toEqual([]);
    expect(checkHandler(build(guest({ batch: "(i32.const 4)" }), scans)).findings).toEqual([]);
  });

  test("other exports, of any kind → taken", () => {
    const extra =
      '(table (export "table") 1 funcref) (global (export "heap") i32 (i32.const 0)) (func (export "go") (param i64))';
    expect(checkHandler(build(guest({ more: extra }))).findings).toEqual([]);
  });
});
