import { describe, expect, test } from "vitest";
import wabt from "wabt";
import { instructionOf, refusedFamily } from "../../../../host/upgrade/wasm/opcodes.js";
import { leb, section } from "../../../guest/build.js";

const tools = await wabt();

/** What wabt prints for a function that begins with these bytes, unreachable before it so that operands do not matter. */
function disassemble(instruction: readonly number[], tail: readonly number[] = []): string {
  const body = [0, 0x00, ...instruction, ...tail, 0x00, 0x0b];
  const parts = [
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    section(1, [1, 0x60, 1, 0x7f, 0]),
    section(3, [1, 0]),
    section(4, [1, 0x70, 0, 1]),
    section(5, [1, 0, 1]),
    section(6, [1, 0x7f, 1, 0x41, 0, 0x0b]),
    section(12, [1]),
    section(10, [1, ...leb(body.length), ...body]),
    section(11, [1, 1, 0]),
  ];
  const bytes = Uint8Array.from(parts.flatMap((part) => Array.from(part)));
  const module = tools.readWasm(bytes, {
    readDebugNames: false,
    check: false,
    bulk_memory: true,
    sat_float_to_int: true,
  });
  const lines = module.toText({ foldExprs: false, inlineExport: false }).split("\n");
  module.destroy();
  const first = lines.findIndex((line) => line.trim() === "unreachable");
  return (lines[first + 1] ?? "").trim().split(/[ )]/)[0] ?? "";
}

const IMMEDIATES: Readonly<Record<string, readonly number[]>> = {
  none: [],
  block: [0x40],
  label: [0],
  labels: [0, 0],
  function: [0],
  "type-and-table": [0, 0],
  local: [0],
  global: [0],
  "memory-access": [0, 0],
  memory: [0],
  "two-memories": [0, 0],
  data: [0],
  "data-and-memory": [0, 0],
  i32: [0],
  i64: [0],
  "four-bytes": [0, 0, 0, 0],
  "eight-bytes": [0, 0, 0, 0, 0, 0, 0, 0],
};
const BLOCKS = ["block", "loop", "if"];

function encode(opcode: number): number[] {
  return opcode >= 0xfc00 ? [0xfc, opcode - 0xfc00] : [opcode];
}

const SINGLE = Array.from({ length: 256 }, (_, opcode) => opcode);
const PREFIXED = Array.from({ length: 32 }, (_, number) => 0xfc00 + number);
const KNOWN = [...SINGLE, ...PREFIXED].filter((opcode) => instructionOf(opcode) !== undefined);

describe("instructionOf()", () => {
  test("instructionOf() knows 172 instructions of the MVP, 5 sign extensions, 8 conversions and 4 of bulk memory", () => {
    expect(KNOWN).toHaveLength(172 + 5 + 8 + 4);
  });

  test.each(
    KNOWN.filter((opcode) => opcode !== 0x05 && opcode !== 0x0b).map(
      (opcode) => [opcode.toString(16), opcode] as const,
    ),
  )("instructionOf(0x%s) has the name and the immediates that wabt knows", (_, opcode) => {
    const { name = "", immediate = "" } = instructionOf(opcode) ?? {};
    const bytes = [...encode(opcode), ...(IMMEDIATES[immediate] ?? [])];
    expect(disassemble(bytes, BLOCKS.includes(name) ? [0x0b] : [])).toBe(name);
  });

  test("instructionOf() marks exactly the instructions with a float in their name", () => {
    const floats = KNOWN.filter((opcode) => instructionOf(opcode)?.isFloat);
    // 4 memory, 2 constants, 12 comparisons, 28 arithmetic, 22 conversions, 8 saturating conversions
    expect(floats).toHaveLength(4 + 2 + 12 + 28 + 22 + 8);
  });
});

describe("refusedFamily()", () => {
  test("refusedFamily() names an extension for opcodes that no instruction has, and nothing for the rest", () => {
    for (const opcode of KNOWN) expect(refusedFamily(opcode)).toBeUndefined();
    expect(refusedFamily(0x12)).toContain("tail calls");
    expect(refusedFamily(0x06)).toContain("exception handling");
    expect(refusedFamily(0xd2)).toContain("reference types");
    expect(refusedFamily(0xfc0f)).toContain("reference types");
    expect(refusedFamily(0xfb)).toContain("garbage-collected");
    expect(refusedFamily(0xfd)).toContain("SIMD");
    expect(refusedFamily(0xfe)).toContain("threads");
    for (const opcode of [0x16, 0x17, 0x1d, 0x27, 0xc5, 0xcf, 0xff, 0xfc12])
      expect(refusedFamily(opcode)).toBeUndefined();
  });
});
