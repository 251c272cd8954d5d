// Walks the instructions of a function, one `step()` at a time. Twin of host/upgrade/wasm/instruction-cursor.ts.
import { UPG_HANDLER_LIMIT, UPG_HANDLER_MEMORY, UPG_HANDLER_OPCODE } from "../codes";
import { BR_TABLE_LABELS_MAX, NESTING_MAX } from "../limits";
import { bad, hex, number, put, refuse, text, withoutFeature } from "../text/message";
import * as control from "./control";
import { Body, dataCount, functions, globals, memories, tables, Type, typeAt, types, typeOf } from "./module";
import * as op from "./opcodes";
import * as reader from "./reader";
import { isInteger, requireKnown } from "./value-types";

const EMPTY_BLOCK: u32 = 0x40;
const labels: usize = memory.data(4 * 1_025, 4);

/** First byte of the current instruction, and first byte after it. */
export let start: usize = 0;
export let next: usize = 0;
/** Its slot in the tables of opcodes.ts. */
export let slot: u32 = 0;
/** Index of a function or a label. */
export let immediate: u32 = 0;
export let labelCount: u32 = 0;
/** A type that is not allowed, as the immediate of the current instruction; 0: none. */
export let refusedType: u32 = 0;
let locals: u32 = 0;
let results: u32 = 0;

export function labelAt(index: u32): u32 {
  return load<u32>(labels + index * 4);
}

/** Is before the first instruction of `body`. */
export function openBody(body: Body): void {
  const type = typeAt(body.type);
  locals = type.paramCount + body.locals;
  results = type.resultCount;
  reader.open(body.code, body.end);
  start = body.code;
  next = body.code;
  control.openFunction(results);
}

/** Moves to the next instruction; false after the function's last `end`, and after a failure. */
export function step(): bool {
  start = next;
  if (control.depth == 0) {
    if (reader.at < reader.end) {
      reader.malformed(start);
      text("bytes follow the function's last end");
    }
    return false;
  }
  labelCount = 0;
  immediate = 0;
  refusedType = 0;
  readOpcode();
  if (bad) return false;
  readImmediate();
  next = reader.at;
  return !bad;
}

function readOpcode(): void {
  let opcode = reader.byte("an instruction");
  // All numbers of instructions fit in one byte; engines differ on a longer form of the same number.
  if (opcode == op.PREFIX) opcode = 0xfc00 + reader.byte("an instruction");
  if (bad) return;
  slot = opcode < 256 ? opcode : opcode < 0xfc0c ? opcode - 0xfc00 + op.PREFIXED : 0;
  if (opcode < 0xfc0c && op.immediateOf(slot) != 0) return;
  const family = op.refusedFamily(opcode);
  if (family.length > 0) {
    refuse(UPG_HANDLER_OPCODE, start);
    text("opcode 0x");
    hex(opcode);
    text(": ");
    text(family);
  } else {
    reader.malformed(start);
    text("unknown opcode 0x");
    hex(opcode);
    if (opcode >= 0xfc80) text(": the number after 0xfc has one byte");
  }
}

/** Reads the immediate and applies the effect on blocks and heights. */
function readImmediate(): void {
  switch (op.immediateOf(slot)) {
    case op.NONE:
      plain();
      break;
    case op.BLOCK:
      enter();
      break;
    case op.LABEL:
      branch();
      break;
    case op.LABELS:
      branchTable();
      break;
    case op.FUNCTION:
      call();
      break;
    case op.TYPE_AND_TABLE:
      callIndirect();
      break;
    default:
      readOperand();
      effect();
  }
}

/** Immediates that have nothing to do with control. */
function readOperand(): void {
  switch (op.immediateOf(slot)) {
    case op.LOCAL:
      index("local", locals);
      break;
    case op.GLOBAL:
      index("global", globals);
      break;
    case op.MEMORY_ACCESS:
      memoryAccess();
      break;
    case op.CONST_I32:
      reader.signed(32, "i32.const");
      break;
    case op.CONST_I64:
      reader.signed(64, "i64.const");
      break;
    case op.FOUR_BYTES:
      reader.skip(4, "f32.const");
      break;
    case op.EIGHT_BYTES:
      reader.skip(8, "f64.const");
      break;
    case op.DATA:
    case op.DATA_AND_MEMORY:
      index("data segment", dataCount < 0 ? 0 : <u32>dataCount);
      if (op.immediateOf(slot) == op.DATA_AND_MEMORY) onlyMemory();
      break;
    default:
      onlyMemory();
      if (op.immediateOf(slot) == op.TWO_MEMORIES) onlyMemory();
  }
}

function effect(): void {
  control.pop(op.popsOf(slot), start);
  control.push(op.pushesOf(slot));
}

function plain(): void {
  if (slot == op.END) control.closeBlock(start);
  else if (slot == op.ELSE) control.enterElse(start);
  else if (slot == op.UNREACHABLE) control.leave();
  else if (slot == op.RETURN) {
    control.pop(results, start);
    if (!bad) control.leave();
  } else effect();
}

function enter(): void {
  const at = reader.at;
  const type = reader.signed(33, "the type of a block");
  if (bad) return;
  if (type >= 0) {
    refuse(UPG_HANDLER_OPCODE, start);
    op.nameText(slot);
    text(" with a function type: blocks of several values are not allowed");
    withoutFeature("multi-value");
    return;
  }
  // A type of values is one byte; engines differ on a longer form of the same number.
  if (type < -64 || reader.at > at + 1) {
    reader.malformed(start);
    text("unknown type of a block");
    return;
  }
  const byte = <u32>type & 0x7f;
  if (byte != EMPTY_BLOCK && !isInteger(byte)) {
    requireKnown(byte, start);
    refusedType = byte;
  }
  if (slot == op.IF) control.pop(1, start);
  if (bad) return;
  if (control.depth > NESTING_MAX) {
    refuse(UPG_HANDLER_LIMIT, start);
    text("blocks are nested deeper than ");
    number(NESTING_MAX);
    text(" levels");
    return;
  }
  control.enter(slot, byte == EMPTY_BLOCK ? 0 : 1);
}

function branch(): void {
  immediate = index("label", control.depth);
  if (bad) return;
  store<u32>(labels, immediate);
  labelCount = 1;
  const operands = control.branchOperands(immediate);
  if (slot == op.BR_IF) control.pop(1, start);
  control.pop(operands, start);
  if (bad) return;
  if (slot == op.BR) control.leave();
  else control.push(operands);
}

function branchTable(): void {
  const count = reader.count("labels of a br_table", BR_TABLE_LABELS_MAX);
  for (let i: u32 = 0; i <= count && !bad; i++) store<u32>(labels + i * 4, index("label", control.depth));
  if (bad) return;
  labelCount = count + 1;
  control.pop(1 + control.branchOperands(labelAt(count)), start);
  if (!bad) control.leave();
}

function call(): void {
  immediate = index("function", functions);
  if (!bad) invoke(typeAt(typeOf(immediate)), 0);
}

function callIndirect(): void {
  immediate = index("type", types);
  const table = index("table", tables);
  if (bad) return;
  if (table > 0) {
    refuse(UPG_HANDLER_OPCODE, start);
    text("call_indirect through a second table is not allowed");
  } else invoke(typeAt(immediate), 1);
}

function invoke(type: Type, extraOperands: u32): void {
  control.pop(type.paramCount + extraOperands, start);
  control.push(type.resultCount);
}

function memoryAccess(): void {
  const align = reader.u32Of("an alignment");
  if (bad) return;
  if (align >= 64 && align < 128) {
    secondMemory();
    return;
  }
  if (align > op.alignMaxOf(slot)) {
    reader.malformed(start);
    op.nameText(slot);
    text(": alignment 2^");
    number(align);
    text(" is above the natural one");
    return;
  }
  reader.u32Of("an offset in memory");
  if (bad || memories > 0) return;
  reader.malformed(start);
  op.nameText(slot);
  text(" without a memory");
}

function onlyMemory(): void {
  const at = reader.at;
  const which = index("memory", memories);
  if (bad) return;
  if (which > 0) {
    secondMemory();
    return;
  }
  // Before there were several memories this was a byte 0, and engines that know only one still want it so.
  if (reader.at <= at + 1) return;
  reader.malformed(start);
  op.nameText(slot);
  text(": the memory is named by one byte, 0");
}

function secondMemory(): void {
  refuse(UPG_HANDLER_MEMORY, start);
  op.nameText(slot);
  text(": only memory 0 may be used");
}

function index(what: string, count: u32): u32 {
  const value = reader.u32Named("", what, " index");
  if (bad || value < count) return value;
  reader.malformed(start);
  op.nameText(slot);
  text(": there is no ");
  text(what);
  put(0x20);
  number(value);
  return 0;
}
