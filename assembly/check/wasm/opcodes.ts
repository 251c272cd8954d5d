// The instructions that a handler may meet, floats too: naming what is refused needs their length. Twin of host/upgrade/wasm/opcodes.ts.
// A *slot* is an opcode below 256, or 256 + the number after the prefix 0xfc.
import { put, text } from "../text/message";

export const NONE: u32 = 1;
export const BLOCK: u32 = 2;
export const LABEL: u32 = 3;
export const LABELS: u32 = 4;
export const FUNCTION: u32 = 5;
export const TYPE_AND_TABLE: u32 = 6;
export const LOCAL: u32 = 7;
export const GLOBAL: u32 = 8;
export const MEMORY_ACCESS: u32 = 9;
export const MEMORY: u32 = 10;
export const TWO_MEMORIES: u32 = 11;
export const DATA: u32 = 12;
export const DATA_AND_MEMORY: u32 = 13;
export const CONST_I32: u32 = 14;
export const CONST_I64: u32 = 15;
export const FOUR_BYTES: u32 = 16;
export const EIGHT_BYTES: u32 = 17;

export const UNREACHABLE: u32 = 0x00;
export const OP_BLOCK: u32 = 0x02;
export const LOOP: u32 = 0x03;
export const IF: u32 = 0x04;
export const ELSE: u32 = 0x05;
export const END: u32 = 0x0b;
export const BR: u32 = 0x0c;
export const BR_IF: u32 = 0x0d;
export const BR_TABLE: u32 = 0x0e;
export const RETURN: u32 = 0x0f;
export const CALL: u32 = 0x10;
export const CALL_INDIRECT: u32 = 0x11;
export const MEMORY_GROW: u32 = 0x40;
export const I32_CONST: u32 = 0x41;
export const I64_CONST: u32 = 0x42;
export const F32_CONST: u32 = 0x43;
export const F64_CONST: u32 = 0x44;
export const PREFIX: u32 = 0xfc;
export const PREFIXED: u32 = 256;
export const SLOTS: u32 = 268;
export const MEMORY_INIT: u32 = PREFIXED + 8;
const DATA_DROP: u32 = PREFIXED + 9;
const MEMORY_COPY: u32 = PREFIXED + 10;
const MEMORY_FILL: u32 = PREFIXED + 11;

/** Of each slot: immediate, pops, pushes, greatest alignment (log2), then the traits. */
const rows: usize = memory.data(8 * 268);
/** Traits. */
export const IS_FLOAT: u32 = 1;
/** What a compiler must keep apart: compile-cost.ts of the host says which and why. */
export const BRANCHES: u32 = 2;
export const MAKES_VALUE: u32 = 4;
/** A compiler may keep its value, or its address, to the end of the function: frame-size.ts of the host. */
export const IS_KEPT: u32 = 8;

export function immediateOf(slot: u32): u32 {
  return load<u8>(rows + slot * 8);
}

export function popsOf(slot: u32): u32 {
  return load<u8>(rows + slot * 8, 1);
}

export function pushesOf(slot: u32): u32 {
  return load<u8>(rows + slot * 8, 2);
}

export function alignMaxOf(slot: u32): u32 {
  return load<u8>(rows + slot * 8, 3);
}

export function traitsOf(slot: u32): u32 {
  return load<u8>(rows + slot * 8, 4);
}

function define(first: u32, last: u32, immediate: u32, pops: u32, pushes: u32): void {
  for (let slot = first; slot <= last; slot++) {
    const row = rows + slot * 8;
    store<u8>(row, immediate);
    store<u8>(row, pops, 1);
    store<u8>(row, pushes, 2);
    const isKept =
      immediate == MEMORY_ACCESS || immediate == CONST_I64 || (immediate == NONE && pops > 0 && pushes > 0);
    store<u8>(row, (pushes > 0 && immediate != LOCAL ? MAKES_VALUE : 0) | (isKept ? IS_KEPT : 0), 4);
  }
}

function mark(first: u32, last: u32, trait: u32): void {
  for (let slot = first; slot <= last; slot++) store<u8>(rows + slot * 8, traitsOf(slot) | trait, 4);
}

/** One digit for each slot from `first` on. */
function align(first: u32, digits: string): void {
  for (let i = 0; i < digits.length; i++) store<u8>(rows + (first + i) * 8, digits.charCodeAt(i) - 48, 3);
}

function defineControl(): void {
  define(0x00, 0x01, NONE, 0, 0);
  define(OP_BLOCK, IF, BLOCK, 0, 0);
  define(ELSE, ELSE, NONE, 0, 0);
  define(END, END, NONE, 0, 0);
  define(BR, BR_IF, LABEL, 0, 0);
  define(BR_TABLE, BR_TABLE, LABELS, 0, 0);
  define(RETURN, RETURN, NONE, 0, 0);
  define(CALL, CALL, FUNCTION, 0, 0);
  define(CALL_INDIRECT, CALL_INDIRECT, TYPE_AND_TABLE, 0, 0);
  define(0x1a, 0x1a, NONE, 1, 0);
  define(0x1b, 0x1b, NONE, 3, 1);
}

function defineVariablesAndMemory(): void {
  define(0x20, 0x20, LOCAL, 0, 1);
  define(0x21, 0x21, LOCAL, 1, 0);
  define(0x22, 0x22, LOCAL, 1, 1);
  define(0x23, 0x23, GLOBAL, 0, 1);
  define(0x24, 0x24, GLOBAL, 1, 0);
  define(0x28, 0x35, MEMORY_ACCESS, 1, 1);
  define(0x36, 0x3e, MEMORY_ACCESS, 2, 0);
  align(0x28, "23230011001122232301012");
  define(0x3f, 0x3f, MEMORY, 0, 1);
  define(MEMORY_GROW, MEMORY_GROW, MEMORY, 1, 1);
  define(MEMORY_INIT, MEMORY_INIT, DATA_AND_MEMORY, 3, 0);
  define(DATA_DROP, DATA_DROP, DATA, 0, 0);
  define(MEMORY_COPY, MEMORY_COPY, TWO_MEMORIES, 3, 0);
  define(MEMORY_FILL, MEMORY_FILL, MEMORY, 3, 0);
}

function defineNumbers(): void {
  define(I32_CONST, I32_CONST, CONST_I32, 0, 1);
  define(I64_CONST, I64_CONST, CONST_I64, 0, 1);
  define(F32_CONST, F32_CONST, FOUR_BYTES, 0, 1);
  define(F64_CONST, F64_CONST, EIGHT_BYTES, 0, 1);
  define(0x45, 0x45, NONE, 1, 1);
  define(0x46, 0x4f, NONE, 2, 1);
  define(0x50, 0x50, NONE, 1, 1);
  define(0x51, 0x66, NONE, 2, 1);
  define(0x67, 0x69, NONE, 1, 1);
  define(0x6a, 0x78, NONE, 2, 1);
  define(0x79, 0x7b, NONE, 1, 1);
  define(0x7c, 0x8a, NONE, 2, 1);
  define(0x8b, 0x91, NONE, 1, 1);
  define(0x92, 0x98, NONE, 2, 1);
  define(0x99, 0x9f, NONE, 1, 1);
  define(0xa0, 0xa6, NONE, 2, 1);
  define(0xa7, 0xc4, NONE, 1, 1);
  define(PREFIXED, PREFIXED + 7, NONE, 1, 1);
}

function markTraits(): void {
  mark(0x2a, 0x2b, IS_FLOAT);
  mark(0x38, 0x39, IS_FLOAT);
  mark(F32_CONST, F64_CONST, IS_FLOAT);
  mark(0x5b, 0x66, IS_FLOAT);
  mark(0x8b, 0xa6, IS_FLOAT);
  mark(0xa8, 0xab, IS_FLOAT);
  mark(0xae, 0xbf, IS_FLOAT);
  mark(PREFIXED, PREFIXED + 7, IS_FLOAT);
  mark(OP_BLOCK, ELSE, BRANCHES);
  mark(RETURN, RETURN, BRANCHES);
  mark(MEMORY_GROW, MEMORY_GROW, BRANCHES);
  mark(MEMORY_INIT, MEMORY_INIT, BRANCHES);
  mark(MEMORY_COPY, MEMORY_FILL, BRANCHES);
  mark(0x6d, 0x70, BRANCHES);
  mark(0x7f, 0x82, BRANCHES);
}

defineControl();
defineVariablesAndMemory();
defineNumbers();
markTraits();

/** memory.init, memory.copy, memory.fill. */
export function isBulk(slot: u32): bool {
  return slot >= MEMORY_INIT && slot != DATA_DROP;
}

export function isLoad(slot: u32): bool {
  return slot >= 0x28 && slot <= 0x35;
}

const EXCEPTIONS: string = "exception handling is not allowed; build without it (panic=abort)";
const TAIL_CALLS: string = "tail calls are not allowed; build without the tail-call feature";
const REFERENCES: string =
  "reference types and changes of a table are not allowed; build without the reference-types feature";

/** Why opcodes of a known extension are refused; "" for bytes that are no opcode at all. 0xfc00 + number for the prefixed ones. */
export function refusedFamily(opcode: u32): string {
  if ((opcode >= 0x06 && opcode <= 0x0a) || opcode == 0x18 || opcode == 0x19 || opcode == 0x1f) return EXCEPTIONS;
  if (opcode == 0x12 || opcode == 0x13) return TAIL_CALLS;
  if (opcode == 0x14 || opcode == 0x15 || opcode == 0x1c || opcode == 0x25 || opcode == 0x26) return REFERENCES;
  if (opcode >= 0xd0 && opcode <= 0xd6) return REFERENCES;
  if (opcode >= 0xfc0c && opcode <= 0xfc11) return REFERENCES;
  if (opcode == 0xfb) return "garbage-collected types are not allowed; build for linear memory";
  if (opcode == 0xfd) return "SIMD is not allowed; build without the simd128 and relaxed-simd features";
  if (opcode == 0xfe) return "threads and atomics are not allowed; build without the atomics feature";
  return "";
}

/** The word of that index. */
function word(words: string, index: u32): void {
  for (let i = 0, n = words.length; i < n; i++) {
    const code = words.charCodeAt(i);
    if (code == 32) {
      if (index == 0) return;
      index--;
    } else if (index == 0) put(code);
  }
}

const COMPARE: string = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u";
const INTEGER: string = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr";
const FLOAT_COMPARE: string = "eq ne lt gt le ge";
const FLOAT: string = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign";
const NARROW: string = "load8_s load8_u load16_s load16_u load32_s load32_u";
const NARROW_STORES: string = "store8 store16 store32";
const TYPES: string = "i32. i64. f32. f64.";
const TRUNCATIONS: string = "f32_s f32_u f64_s f64_u";
const CONVERSIONS: string = "i32_s i32_u i64_s i64_u";
function typed(type: string, words: string, index: u32): void {
  text(type);
  word(words, index);
}

/** Instructions of one name and four types. */
function ofType(index: u32, name: string): void {
  word(TYPES, index);
  text(name);
}

function accessText(slot: u32): void {
  if (slot <= 0x2b) ofType(slot - 0x28, "load");
  else if (slot <= 0x2f) typed("i32.", NARROW, slot - 0x2c);
  else if (slot <= 0x35) typed("i64.", NARROW, slot - 0x30);
  else if (slot <= 0x39) ofType(slot - 0x36, "store");
  else if (slot <= 0x3b) typed("i32.", NARROW_STORES, slot - 0x3a);
  else if (slot <= 0x3e) typed("i64.", NARROW_STORES, slot - 0x3c);
  else if (slot <= 0x40) typed("memory.", "size grow", slot - 0x3f);
  else if (slot <= 0x44) ofType(slot - 0x41, "const");
  else text("i32.eqz");
}

function conversionText(slot: u32): void {
  if (slot == 0xa7) text("i32.wrap_i64");
  else if (slot <= 0xab) typed("i32.trunc_", TRUNCATIONS, slot - 0xa8);
  else if (slot <= 0xad) typed("i64.extend_", CONVERSIONS, slot - 0xac);
  else if (slot <= 0xb1) typed("i64.trunc_", TRUNCATIONS, slot - 0xae);
  else if (slot <= 0xb5) typed("f32.convert_", CONVERSIONS, slot - 0xb2);
  else if (slot == 0xb6) text("f32.demote_f64");
  else if (slot <= 0xba) typed("f64.convert_", CONVERSIONS, slot - 0xb7);
  else if (slot == 0xbb) text("f64.promote_f32");
  else if (slot <= 0xbf) {
    ofType(slot - 0xbc, "reinterpret_");
    word("f32 f64 i32 i64", slot - 0xbc);
  } else if (slot <= 0xc1) typed("i32.extend", "8_s 16_s", slot - 0xc0);
  else typed("i64.extend", "8_s 16_s 32_s", slot - 0xc2);
}

function prefixedText(index: u32): void {
  if (index < 4) typed("i32.trunc_sat_", TRUNCATIONS, index);
  else if (index < 8) typed("i64.trunc_sat_", TRUNCATIONS, index - 4);
  else if (index == 9) text("data.drop");
  else typed("memory.", "init drop copy fill", index - 8);
}

/** The name of an instruction, as in the text format. */
export function nameText(slot: u32): void {
  if (slot <= ELSE) word("unreachable nop block loop if else", slot);
  else if (slot <= CALL_INDIRECT) word("end br br_if br_table return call call_indirect", slot - END);
  else if (slot <= 0x1b) word("drop select", slot - 0x1a);
  else if (slot <= 0x24) typed(slot < 0x23 ? "local." : "global.", "get set tee get set", slot - 0x20);
  else if (slot <= 0x45) accessText(slot);
  else if (slot <= 0x4f) typed("i32.", COMPARE, slot - 0x46);
  else if (slot == 0x50) text("i64.eqz");
  else if (slot <= 0x5a) typed("i64.", COMPARE, slot - 0x51);
  else if (slot <= 0x60) typed("f32.", FLOAT_COMPARE, slot - 0x5b);
  else if (slot <= 0x66) typed("f64.", FLOAT_COMPARE, slot - 0x61);
  else if (slot <= 0x78) typed("i32.", INTEGER, slot - 0x67);
  else if (slot <= 0x8a) typed("i64.", INTEGER, slot - 0x79);
  else if (slot <= 0x98) typed("f32.", FLOAT, slot - 0x8b);
  else if (slot <= 0xa6) typed("f64.", FLOAT, slot - 0x99);
  else if (slot <= 0xc4) conversionText(slot);
  else prefixedText(slot - PREFIXED);
}
