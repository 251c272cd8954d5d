/** What is refused before anything runs: features, one module per rule, each valid but for it. */
import { describe, expect, test } from "vitest";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import { build, type GuestParts, guest } from "./build.js";

type Refusal = [what: string, parts: GuestParts, code: string, message: string, functionName?: string];

const wat = (body: string) => ({ run: `${body} (i32.const 0)` });
const more = (fields: string) => ({ more: fields });

function firstFinding(bytes: Uint8Array) {
  const [first] = checkHandler(bytes).findings;
  return first;
}

describe("checkHandler() of modules with what is not deterministic", () => {
  test.each<Refusal>([
    ["f32 instruction", wat("(drop (f32.const 1))"), "UPG_HANDLER_OPCODE", "f32.const: floating point", "run"],
    ["f64 arithmetic", wat("(drop (i64.trunc_sat_f64_s (f64.const 1)))"), "UPG_HANDLER_OPCODE", "f64.const", "run"],
    ["f64 load", wat("(drop (i64.reinterpret_f64 (f64.load (i32.const 0))))"), "UPG_HANDLER_OPCODE", "f64.load", "run"],
    ["f32 parameter", more("(func (param f32))"), "UPG_HANDLER_OPCODE", "has a parameter of type f32"],
    ["f64 result", more("(func (result f64) unreachable)"), "UPG_HANDLER_OPCODE", "has a result of type f64"],
    ["type that nothing uses", more("(type (func (param f64)))"), "UPG_HANDLER_OPCODE", "has a parameter of type f64"],
    ["f64 local", more("(func $f (local f64))"), "UPG_HANDLER_OPCODE", "a local of type f64", "f"],
    ["f32 global", more("(global f32 (f32.const 0))"), "UPG_HANDLER_OPCODE", "global 0 of type f32"],
    ["f64 block", wat("(drop (block (result f64) unreachable))"), "UPG_HANDLER_OPCODE", "a block of type f64", "run"],
    ["f64 import", { imports: '(import "chain" "log" (func (param f64)))' }, "UPG_HANDLER_OPCODE", "of type f64"],
    [
      "SIMD",
      wat("(drop (i8x16.extract_lane_u 0 (v128.const i64x2 0 0)))"),
      "UPG_HANDLER_OPCODE",
      "opcode 0xfd: SIMD",
      "run",
    ],
    ["v128 local", more("(func $f (local v128))"), "UPG_HANDLER_OPCODE", "a local of type v128: SIMD", "f"],
    ["atomics", wat("(drop (i32.atomic.load (i32.const 0)))"), "UPG_HANDLER_OPCODE", "opcode 0xfe: threads", "run"],
    ["fence", wat("(atomic.fence)"), "UPG_HANDLER_OPCODE", "opcode 0xfe: threads", "run"],
    ["start section", more("(func $go) (start $go)"), "UPG_HANDLER_OPCODE", "export the function as _initialize", "go"],
  ])("%s → refused", (_, parts, code, message, name) => {
    const finding = firstFinding(build(guest(parts)));
    expect(finding).toMatchObject({ code, function: name ?? null });
    expect(finding?.message).toContain(message);
    expect(finding?.offset).toBeGreaterThan(8);
  });
});

describe("checkHandler() of modules with later features", () => {
  test.each<Refusal>([
    ["tail call", more("(func $f (return_call $f))"), "UPG_HANDLER_OPCODE", "tail calls are not allowed", "f"],
    ["exception", more("(tag $e) (func $f (throw $e))"), "UPG_HANDLER_OPCODE", "tags are not allowed"],
    ["try", more("(func $f (try (do) (catch_all)))"), "UPG_HANDLER_OPCODE", "exception handling", "f"],
    ["two results", more("(func (result i32 i32) unreachable)"), "UPG_HANDLER_OPCODE", "gives 2 values, at most 1"],
    [
      "block with a parameter",
      wat("(i32.const 1) (block (param i32) (drop))"),
      "UPG_HANDLER_OPCODE",
      "multi-value",
      "run",
    ],
    ["externref parameter", more("(func (param externref))"), "UPG_HANDLER_OPCODE", "a parameter of type externref"],
    ["funcref local", more("(func $f (local funcref))"), "UPG_HANDLER_OPCODE", "a local of type funcref", "f"],
    ["externref table", more("(table 1 externref)"), "UPG_HANDLER_OPCODE", "a table of externref is not allowed"],
    ["ref.null", wat("(drop (ref.null func))"), "UPG_HANDLER_OPCODE", "reference types", "run"],
    [
      "ref.func",
      more("(elem declare func $run) (func $f (drop (ref.func $run)))"),
      "UPG_HANDLER_OPCODE",
      "element segments other",
    ],
    [
      "table.set",
      more("(table 1 funcref) (func $f (table.set (i32.const 0) (ref.null func)))"),
      "UPG_HANDLER_OPCODE",
      "changes of a table",
      "f",
    ],
    [
      "table.grow",
      more("(table 1 funcref) (func $f (drop (table.grow (ref.null func) (i32.const 1))))"),
      "UPG_HANDLER_OPCODE",
      "reference types",
      "f",
    ],
    [
      "table.copy",
      more("(table 1 funcref) (func $f (table.copy (i32.const 0) (i32.const 0) (i32.const 0)))"),
      "UPG_HANDLER_OPCODE",
      "changes of a table",
      "f",
    ],
    [
      "table.init",
      more("(table 1 funcref) (elem func $run) (func $f (table.init 0 (i32.const 0) (i32.const 0) (i32.const 0)))"),
      "UPG_HANDLER_OPCODE",
      "element segments other",
    ],
    [
      "typed select",
      wat("(drop (select (result i32) (i32.const 1) (i32.const 2) (i32.const 3)))"),
      "UPG_HANDLER_OPCODE",
      "reference types",
      "run",
    ],
    ["second table", more("(table 1 funcref) (table 1 funcref)"), "UPG_HANDLER_LIMIT", "more than one table"],
    [
      "extended constant",
      more("(global i32 (i32.add (i32.const 1) (i32.const 2)))"),
      "UPG_HANDLER_OPCODE",
      "i32.const in the constant expression of a global",
    ],
    [
      "constant from a global",
      more("(global $a i32 (i32.const 1)) (global i32 (global.get $a))"),
      "UPG_HANDLER_OPCODE",
      "global.get in the constant expression",
    ],
    ["ref.null global", more("(global funcref (ref.null func))"), "UPG_HANDLER_OPCODE", "of type funcref"],
    ["second memory", more("(memory 1)"), "UPG_HANDLER_MEMORY", "more than one memory"],
    ["shared memory", { memory: '(memory (export "memory") 1 2 shared)' }, "UPG_HANDLER_MEMORY", "a shared memory"],
    ["64-bit memory", { memory: '(memory (export "memory") i64 1)' }, "UPG_HANDLER_MEMORY", "a 64-bit memory"],
  ])("%s → refused", (_, parts, code, message, name) => {
    const finding = firstFinding(build(guest(parts)));
    expect(finding).toMatchObject({ code, function: name ?? null });
    expect(finding?.message).toContain(message);
  });

  test("a garbage-collected type, and a component → refused", () => {
    const struct = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 3, 1, 0x5f, 0]);
    expect(firstFinding(struct)).toMatchObject({ code: "UPG_HANDLER_OPCODE", offset: 11 });
    const component = Uint8Array.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]);
    expect(firstFinding(component)).toMatchObject({ code: "UPG_HANDLER_FORMAT", offset: 4 });
  });
});
