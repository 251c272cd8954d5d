import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeModule } from "../../../../host/upgrade/wasm/decode.js";
import { Findings } from "../../../../host/upgrade/wasm/findings.js";
import { InstructionCursor } from "../../../../host/upgrade/wasm/instruction-cursor.js";
import type { FunctionBody, WasmModule } from "../../../../host/upgrade/wasm/wasm-module.js";
import { assemble } from "../../../guest/build.js";

function decode(bytes: Uint8Array): WasmModule {
  const findings = new Findings();
  const { module, isWhole } = decodeModule(bytes, findings);
  expect(findings.list(String)).toEqual([]);
  expect(isWhole).toBe(true);
  return module;
}

function open(wat: string): { cursor: InstructionCursor; body: FunctionBody; module: WasmModule } {
  const module = decode(assemble(wat));
  const body = module.bodies[0] as FunctionBody;
  const cursor = new InstructionCursor(module);
  cursor.open(body);
  return { cursor, body, module };
}

/** `name depth/height` after every instruction; `!` where no way leads. */
function trace(wat: string): string[] {
  const { cursor } = open(wat);
  const lines: string[] = [];
  while (cursor.step()) {
    const { depth, height } = cursor.control;
    const isReachable = depth === 0 || cursor.control.isReachable;
    lines.push(`${cursor.instruction.name} ${depth}/${height}${isReachable ? "" : "!"}`);
  }
  return lines;
}

describe("InstructionCursor", () => {
  test("step() keeps blocks and heights", () => {
    const wat = `(module (func (param i32) (result i32) (local i64)
      (i32.const 7)
      (if (result i32) (local.get 0) (then (i32.const 1) (br 1)) (else (i32.const 2)))
      (i32.add)))`;
    expect(trace(wat)).toEqual([
      "i32.const 1/1",
      "local.get 1/2",
      "if 2/1",
      "i32.const 2/2",
      "br 2/1!",
      "else 2/1",
      "i32.const 2/2",
      "end 1/2",
      "i32.add 1/1",
      "end 0/1",
    ]);
  });

  test("step() of calls takes and gives what the type says", () => {
    const wat = `(module
      (import "chain" "store_get" (func $get (param i32 i32 i32 i32 i32) (result i32)))
      (type $pair (func (param i64 i64)))
      (table 1 funcref)
      (func (result i32)
        (call_indirect (type $pair) (i64.const 1) (i64.const 2) (i32.const 0))
        (call $get (i32.const 1) (i32.const 2) (i32.const 3) (i32.const 4) (i32.const 5))))`;
    expect(trace(wat)).toEqual([
      "i64.const 1/1",
      "i64.const 1/2",
      "i32.const 1/3",
      "call_indirect 1/0",
      "i32.const 1/1",
      "i32.const 1/2",
      "i32.const 1/3",
      "i32.const 1/4",
      "i32.const 1/5",
      "call 1/1",
      "end 0/1",
    ]);
  });

  test("step() of a branch to a loop takes nothing, of one out of a block what it gives", () => {
    const wat = `(module (func (result i32) (block (result i32)
      (loop (result i32) (br_if 0 (i32.const 0)) (br_if 1 (i32.const 5) (i32.const 1))))))`;
    expect(trace(wat)).toEqual([
      "block 2/0",
      "loop 3/0",
      "i32.const 3/1",
      "br_if 3/0",
      "i32.const 3/1",
      "i32.const 3/2",
      "br_if 3/1",
      "end 2/1",
      "end 1/1",
      "end 0/1",
    ]);
  });

  test("step() after an unconditional branch lets operands come from nowhere", () => {
    const wat =
      "(module (func (result i32) (block (result i32) (unreachable) (i32.add) (i32.add) (i64.const 1) (drop))))";
    expect(trace(wat)).toEqual([
      "block 2/0",
      "unreachable 2/0!",
      "i32.add 2/1!",
      "i32.add 2/1!",
      "i64.const 2/2!",
      "drop 2/1!",
      "end 1/1",
      "end 0/1",
    ]);
  });

  test("step() gives the labels of branches, and the blocks that they lead to", () => {
    const { cursor, body } = open(`(module (func (param i32)
      (block (loop (br_table 0 1 2 1 (local.get 0)) ) ) ) )`);
    cursor.step();
    const block = cursor.start;
    cursor.step();
    const loop = cursor.start;
    cursor.step();
    cursor.step();
    expect(cursor.instruction.name).toBe("br_table");
    expect(Array.from(cursor.labels.subarray(0, cursor.labelCount))).toEqual([0, 1, 2, 1]);
    const { control } = cursor;
    expect([control.startAt(0), control.startAt(1), control.startAt(2)]).toEqual([loop, block, body.codeStart]);
    expect([control.opcodeAt(0), control.opcodeAt(1), control.opcodeAt(2)]).toEqual([0x03, 0x02, 0x02]);
    cursor.step();
    expect(control.closedStart).toBe(loop);
    cursor.step();
    expect(control.closedStart).toBe(block);
  });

  test("step() gives immediates: indices, the offset of an access, the value of an i32.const", () => {
    const { cursor, body } = open(`(module (memory 1) (global (mut i64) (i64.const 0)) (data "abc")
      (func (param i32 i32) (local i64)
        (i64.store offset=70000 (i32.const -5) (local.get 2))
        (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 0))
        (global.set 0 (i64.const 1))))`);
    const seen: [string, number][] = [];
    while (cursor.step()) if (cursor.immediate !== 0) seen.push([cursor.instruction.name, cursor.immediate]);
    expect(seen).toEqual([
      ["i32.const", -5],
      ["local.get", 2],
      ["i64.store", 70_000],
    ]);
    expect(cursor.control.heightMax).toBe(3);
    expect(body).toMatchObject({ functionIndex: 0, locals: 1 });
    expect(body.type.params).toEqual([0x7f, 0x7f]);
  });

  test.each(["build/core.wasm", "build/core.debug.wasm"])(
    "step() over %s leaves no byte between instructions",
    (file) => {
      const bytes = new Uint8Array(readFileSync(file));
      expect(WebAssembly.validate(bytes)).toBe(true);
      const module = decode(bytes);
      const { length } = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
      expect(module.functionImports).toHaveLength(length);
      const cursor = new InstructionCursor(module);
      for (const body of module.bodies) {
        cursor.open(body);
        let at = body.codeStart;
        while (cursor.step()) {
          expect(cursor.start).toBe(at);
          expect(cursor.next).toBeGreaterThan(at);
          at = cursor.next;
        }
        expect(at).toBe(body.end);
        expect(cursor.control.height).toBe(body.type.results.length);
      }
    },
  );
});
