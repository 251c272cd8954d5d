/**
 * The instructions of WebAssembly that a handler may meet: MVP, sign extension, bulk memory; floats too, since naming
 * what is refused needs their length. Whole families that are refused at sight are at the end.
 */

/** What follows an opcode. */
export type Immediate =
  | "none"
  | "block"
  | "label"
  | "labels"
  | "function"
  | "type-and-table"
  | "local"
  | "global"
  | "memory-access"
  | "memory"
  | "two-memories"
  | "data"
  | "data-and-memory"
  | "i32"
  | "i64"
  | "four-bytes"
  | "eight-bytes";

export interface Instruction {
  /** As in the text format. */
  readonly name: string;
  readonly immediate: Immediate;
  /** Operands taken and given. Of calls, branches, blocks and `end` the types decide: 0 and 0 here. */
  readonly pops: number;
  readonly pushes: number;
  readonly isFloat: boolean;
  /** Loads and stores: log2 of the natural alignment, the greatest that may be declared. */
  readonly alignMax: number;
}

/** The opcodes whose effect is more than pops and pushes. */
export const OP = Object.freeze({
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  /** Opcodes with this first byte are numbered 0xfc00 + what follows. */
  prefix: 0xfc,
});

const PREFIXED = 0xfc00;

function alignMax(name: string): number {
  const access = /^[if](32|64)\.(?:load|store)(8|16|32)?/.exec(name);
  return access ? 31 - Math.clz32(Number(access[2] ?? access[1]) / 8) : 0;
}

function ofType(type: string, names: string): string {
  return names.replaceAll(/\S+/g, (name) => `${type}.${name}`);
}

const INTEGER_COMPARE = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u";
const INTEGER_BINARY = "add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr";
const FLOAT_COMPARE = "eq ne lt gt le ge";
const FLOAT_UNARY = "abs neg ceil floor trunc nearest sqrt";
const FLOAT_BINARY = "add sub mul div min max copysign";
const FLOAT_TO_INTEGER = "f32_s f32_u f64_s f64_u";

/** First opcode, names of it and of those that follow, then {@link Instruction}'s fields. */
type Row = readonly [first: number, names: string, immediate: Immediate, pops: number, pushes: number];

const rows = (): readonly Row[] => [
  [0x00, "unreachable nop", "none", 0, 0],
  [0x02, "block loop if", "block", 0, 0],
  [0x05, "else", "none", 0, 0],
  [0x0b, "end", "none", 0, 0],
  [0x0c, "br br_if", "label", 0, 0],
  [0x0e, "br_table", "labels", 0, 0],
  [0x0f, "return", "none", 0, 0],
  [0x10, "call", "function", 0, 0],
  [0x11, "call_indirect", "type-and-table", 0, 0],
  [0x1a, "drop", "none", 1, 0],
  [0x1b, "select", "none", 3, 1],
  [0x20, "local.get", "local", 0, 1],
  [0x21, "local.set", "local", 1, 0],
  [0x22, "local.tee", "local", 1, 1],
  [0x23, "global.get", "global", 0, 1],
  [0x24, "global.set", "global", 1, 0],
  [0x28, "i32.load i64.load f32.load f64.load", "memory-access", 1, 1],
  [0x2c, ofType("i32", "load8_s load8_u load16_s load16_u"), "memory-access", 1, 1],
  [0x30, ofType("i64", "load8_s load8_u load16_s load16_u load32_s load32_u"), "memory-access", 1, 1],
  [0x36, "i32.store i64.store f32.store f64.store", "memory-access", 2, 0],
  [0x3a, "i32.store8 i32.store16 i64.store8 i64.store16 i64.store32", "memory-access", 2, 0],
  [0x3f, "memory.size", "memory", 0, 1],
  [0x40, "memory.grow", "memory", 1, 1],
  [0x41, "i32.const", "i32", 0, 1],
  [0x42, "i64.const", "i64", 0, 1],
  [0x43, "f32.const", "four-bytes", 0, 1],
  [0x44, "f64.const", "eight-bytes", 0, 1],
  [0x45, "i32.eqz", "none", 1, 1],
  [0x46, ofType("i32", INTEGER_COMPARE), "none", 2, 1],
  [0x50, "i64.eqz", "none", 1, 1],
  [0x51, ofType("i64", INTEGER_COMPARE), "none", 2, 1],
  [0x5b, ofType("f32", FLOAT_COMPARE), "none", 2, 1],
  [0x61, ofType("f64", FLOAT_COMPARE), "none", 2, 1],
  [0x67, "i32.clz i32.ctz i32.popcnt", "none", 1, 1],
  [0x6a, ofType("i32", INTEGER_BINARY), "none", 2, 1],
  [0x79, "i64.clz i64.ctz i64.popcnt", "none", 1, 1],
  [0x7c, ofType("i64", INTEGER_BINARY), "none", 2, 1],
  [0x8b, ofType("f32", FLOAT_UNARY), "none", 1, 1],
  [0x92, ofType("f32", FLOAT_BINARY), "none", 2, 1],
  [0x99, ofType("f64", FLOAT_UNARY), "none", 1, 1],
  [0xa0, ofType("f64", FLOAT_BINARY), "none", 2, 1],
  [0xa7, "i32.wrap_i64", "none", 1, 1],
  [0xa8, FLOAT_TO_INTEGER.replaceAll("f", "i32.trunc_f"), "none", 1, 1],
  [0xac, "i64.extend_i32_s i64.extend_i32_u", "none", 1, 1],
  [0xae, FLOAT_TO_INTEGER.replaceAll("f", "i64.trunc_f"), "none", 1, 1],
  [0xb2, ofType("f32", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u demote_f64"), "none", 1, 1],
  [0xb7, ofType("f64", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u promote_f32"), "none", 1, 1],
  [0xbc, "i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64", "none", 1, 1],
  [0xc0, "i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s", "none", 1, 1],
  [PREFIXED, FLOAT_TO_INTEGER.replaceAll("f", "i32.trunc_sat_f"), "none", 1, 1],
  [PREFIXED + 4, FLOAT_TO_INTEGER.replaceAll("f", "i64.trunc_sat_f"), "none", 1, 1],
  [PREFIXED + 8, "memory.init", "data-and-memory", 3, 0],
  [PREFIXED + 9, "data.drop", "data", 0, 0],
  [PREFIXED + 10, "memory.copy", "two-memories", 3, 0],
  [PREFIXED + 11, "memory.fill", "memory", 3, 0],
];

/** Marked as pure: a host that only runs handlers is bundled without it. */
const table = /* @__PURE__ */ instructionTable();

function instructionTable(): readonly (Instruction | undefined)[] {
  const all: Instruction[] = [];
  for (const [first, names, immediate, pops, pushes] of rows()) {
    names.split(" ").forEach((name, index) => {
      const isFloat = /f32|f64/.test(name);
      all[first + index] = Object.freeze({ name, immediate, pops, pushes, isFloat, alignMax: alignMax(name) });
    });
  }
  return all;
}

/** Undefined: no instruction that this decoder knows; ask {@link refusedFamily} next. */
export function instructionOf(opcode: number): Instruction | undefined {
  return table[opcode];
}

/** Place of an opcode in a table with 256 places for those of one byte, and as many for the prefixed ones. */
export const slotOf = (opcode: number): number => (opcode < 256 ? opcode : opcode - PREFIXED + 256);

/** Such a table: a number for each allowed instruction. */
export function numbersByOpcode(numberOf: (instruction: Instruction, opcode: number) => number): Uint16Array {
  const numbers = new Uint16Array(512);
  for (let slot = 0; slot < numbers.length; slot++) {
    const opcode = slot < 256 ? slot : PREFIXED + slot - 256;
    const instruction = instructionOf(opcode);
    if (instruction) numbers[slot] = numberOf(instruction, opcode);
  }
  return numbers;
}

const EXCEPTIONS = "exception handling is not allowed; build without it (panic=abort)";
const TAIL_CALLS = "tail calls are not allowed; build without the tail-call feature";
const REFERENCES = "reference types and changes of a table are not allowed; build without the reference-types feature";

/** Why opcodes of a known extension are refused; undefined for bytes that are no opcode at all. */
export function refusedFamily(opcode: number): string | undefined {
  if ((opcode >= 0x06 && opcode <= 0x0a) || opcode === 0x18 || opcode === 0x19 || opcode === 0x1f) return EXCEPTIONS;
  if (opcode === 0x12 || opcode === 0x13) return TAIL_CALLS;
  if (opcode === 0x14 || opcode === 0x15 || opcode === 0x1c || opcode === 0x25 || opcode === 0x26) return REFERENCES;
  if (opcode >= 0xd0 && opcode <= 0xd6) return REFERENCES;
  if (opcode >= PREFIXED + 12 && opcode <= PREFIXED + 17) return REFERENCES;
  if (opcode === 0xfb) return "garbage-collected types are not allowed; build for linear memory";
  if (opcode === 0xfd) return "SIMD is not allowed; build without the simd128 and relaxed-simd features";
  if (opcode === 0xfe) return "threads and atomics are not allowed; build without the atomics feature";
  return undefined;
}
