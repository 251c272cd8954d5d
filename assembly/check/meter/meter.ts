// Puts the count of gas and stack into a handler, and gives its memory a maximum. Twin of meter.ts and meter-function.ts below
// host/upgrade/handler/meter, which say what is added and where. Only for a module that is whole and without findings.
import { CODE_SECTION, EXPORT_SECTION, FUNCTION_SECTION, GLOBAL_SECTION, MEMORY_SECTION } from "../wasm/decode";
import * as wasm from "../wasm/module";
import { BR, END, I32_CONST, I64_CONST, OP_BLOCK, RETURN, UNREACHABLE } from "../wasm/opcodes";
import * as reader from "../wasm/reader";
import { I32, I64 } from "../wasm/value-types";
import { anyGrow, bodyBytesMax, Facts, factsAt, findFacts } from "./facts";
import { entryPrice, flatPrice, reserveOf, settleGraph } from "./graph";
import * as inject from "./inject";
import { NEAR_PAGES, STACK_BUDGET } from "./schedule";
import * as segments from "./segments";
import {
  beginPart,
  bytes2,
  bytes3,
  copy,
  endPart,
  endWriting,
  signed,
  startWriting,
  textOf,
  u8Of,
  unsigned,
} from "./writer";

const CUSTOM_SECTION: u32 = 0;
const ADDED_GLOBALS: u32 = 4;
const ADDED_EXPORTS: u32 = 3;
/** Branches from inside the code pass its own block first. */
const INNER_BLOCK: u32 = 1;
/** A function that costs more looks at the gas when it begins, also when it calls nobody. */
const UNCHECKED_GAS_MAX: u32 = 1_000;

/** The metered wasm. */
export let meteredPtr: usize = 0;
export let meteredLength: u32 = 0;

export function dropMetered(): void {
  meteredPtr = 0;
  meteredLength = 0;
}

export function meterModule(): void {
  findFacts();
  segments.makeRoom(bodyBytesMax);
  settleGraph();
  inject.setMemorySize(memorySize());
  const start = startWriting();
  copy(wasm.fileStart, wasm.fileStart + 8);
  let hasGlobals = false;
  for (let i: u32 = 0; i < wasm.sections; i++) hasGlobals = hasGlobals || wasm.sectionAt(i).id == GLOBAL_SECTION;
  for (let i: u32 = 0; i < wasm.sections; i++) {
    const section = wasm.sectionAt(i);
    if (section.id == CUSTOM_SECTION) continue;
    if (section.id == EXPORT_SECTION && !hasGlobals) writeGlobals(null);
    writeSection(section);
  }
  meteredPtr = start;
  meteredLength = endWriting(start);
}

function memorySize(): u32 {
  if (wasm.memoryMin > NEAR_PAGES) return inject.ALWAYS_FAR;
  return anyGrow && wasm.memoryMax > NEAR_PAGES ? inject.MAY_BECOME_FAR : inject.ALWAYS_NEAR;
}

function writeSection(section: wasm.Section): void {
  switch (section.id) {
    case FUNCTION_SECTION:
      if (anyGrow) writeFunctions(section);
      else copy(section.start, section.end);
      break;
    case MEMORY_SECTION:
      writeMemory();
      break;
    case GLOBAL_SECTION:
      writeGlobals(section);
      break;
    case EXPORT_SECTION:
      writeExports(section);
      break;
    case CODE_SECTION:
      writeCode();
      break;
    default:
      copy(section.start, section.end);
  }
}

function begin(id: u32): usize {
  u8Of(id);
  return beginPart();
}

/** A list whose length grows by `more` items, which the caller appends. */
function copyList(section: wasm.Section, more: u32): void {
  reader.open(section.content, section.end);
  unsigned(reader.u32Of("the length of a list") + more);
  copy(reader.at, section.end);
}

/** A checked handler has the type (i32) -> i32, which handler_run has. */
function growType(): u32 {
  for (let i: u32 = 0; i < wasm.types; i++) {
    const type = wasm.typeAt(i);
    if (type.paramCount != 1 || type.resultCount != 1) continue;
    if (load<u8>(type.params) == I32 && load<u8>(type.results) == I32) return i;
  }
  unreachable();
  return 0;
}

function writeFunctions(section: wasm.Section): void {
  const part = begin(FUNCTION_SECTION);
  copyList(section, 1);
  unsigned(growType());
  endPart(part);
}

/** One memory, with the smaller maximum of what it declares and of what the host allows. */
function writeMemory(): void {
  const part = begin(MEMORY_SECTION);
  bytes2(1, 1);
  unsigned(wasm.memoryMin);
  unsigned(wasm.memoryMax);
  endPart(part);
}

function writeGlobal(type: u32, opcode: u32, value: i32): void {
  bytes3(type, 1, opcode);
  signed(value);
  u8Of(END);
}

function writeGlobals(section: wasm.Section | null): void {
  const part = begin(GLOBAL_SECTION);
  if (section) copyList(section, ADDED_GLOBALS);
  else unsigned(ADDED_GLOBALS);
  writeGlobal(I64, I64_CONST, 0);
  writeGlobal(I32, I32_CONST, STACK_BUDGET);
  writeGlobal(I32, I32_CONST, 0);
  writeGlobal(I32, I32_CONST, wasm.memoryMin > NEAR_PAGES ? 1 : 0);
  endPart(part);
}

function writeExport(name: string, global: u32): void {
  unsigned(name.length);
  textOf(name);
  u8Of(wasm.GLOBAL_KIND);
  unsigned(global);
}

function writeExports(section: wasm.Section): void {
  const part = begin(EXPORT_SECTION);
  copyList(section, ADDED_EXPORTS);
  writeExport("chain-upgrade:gas", inject.gasGlobal());
  writeExport("chain-upgrade:stack", inject.stackGlobal());
  writeExport("chain-upgrade:refused", inject.refusedGlobal());
  endPart(part);
}

function writeCode(): void {
  const part = begin(CODE_SECTION);
  unsigned(wasm.bodies + (anyGrow ? 1 : 0));
  for (let i: u32 = 0; i < wasm.bodies; i++) {
    const body = wasm.bodyAt(i);
    const one = beginPart();
    segments.split(body);
    if (flatPrice(body.fn) >= 0) writeFlat(body, factsAt(i));
    else writeMetered(body, factsAt(i));
    endPart(one);
  }
  if (anyGrow) {
    const one = beginPart();
    inject.growBody(<u32>wasm.memoryMax);
    endPart(one);
  }
  endPart(part);
}

function blockType(body: wasm.Body): u32 {
  const type = wasm.typeAt(body.type);
  return type.resultCount > 0 ? <u32>load<u8>(type.results) : inject.EMPTY_BLOCK;
}

function gasLocal(body: wasm.Body): u32 {
  return wasm.typeAt(body.type).paramCount + body.locals;
}

function writeLocals(body: wasm.Body, facts: Facts): void {
  reader.open(body.start, body.code);
  unsigned(reader.u32Of("the number of local declarations") + (facts.hasBulk ? 2 : 1));
  copy(reader.at, body.code);
  bytes2(1, I64);
  if (facts.hasBulk) bytes2(1, I32);
}

/** A function that is paid for where it is called: only what costs by an operand is put in. */
function writeFlat(body: wasm.Body, facts: Facts): void {
  if (!facts.hasBulk) {
    copy(body.start, body.end);
    return;
  }
  inject.openMetered(gasLocal(body), true);
  writeLocals(body, facts);
  bytes2(OP_BLOCK, inject.EMPTY_BLOCK);
  bytes2(OP_BLOCK, blockType(body));
  let copied = body.code;
  for (let i: u32 = 1; i < segments.editCount; i++) {
    const edit = segments.editAt(i);
    if (edit.kind != segments.BULK) continue;
    copy(copied, edit.at);
    copied = writeEdit(edit);
  }
  copy(copied, body.end);
  bytes2(RETURN, END);
  bytes2(UNREACHABLE, END);
}

function writeMetered(body: wasm.Body, facts: Facts): void {
  const isEntryPaid = entryPrice(body.fn) >= 0;
  const reserve = reserveOf(body.fn);
  inject.openMetered(gasLocal(body), isEntryPaid || segments.areMostlyCalls());
  writeLocals(body, facts);
  bytes2(OP_BLOCK, inject.EMPTY_BLOCK);
  if (isEntryPaid) segments.checkEachSegment();
  else {
    const entry = segments.editAt(0);
    inject.enterGas(entry.cost, entry.loads, 0, segments.hasCalls() || segments.wholeCost() > UNCHECKED_GAS_MAX);
  }
  if (reserve >= 0) inject.reserveStack(reserve, 0);
  bytes2(OP_BLOCK, blockType(body));
  let copied = body.code;
  for (let i: u32 = 1; i < segments.editCount; i++) {
    const edit = segments.editAt(i);
    copy(copied, edit.at);
    copied = writeEdit(edit);
  }
  // The function's own `end` closes the inner block.
  copy(copied, body.end);
  inject.storeGas();
  if (reserve >= 0) inject.releaseStack(reserve);
  bytes2(RETURN, END);
  inject.storeGas();
  bytes2(UNREACHABLE, END);
}

/** Returns the first byte of the original that is still to be copied. */
function writeEdit(edit: segments.Edit): usize {
  const outside = edit.depth - 1 + INNER_BLOCK;
  switch (edit.kind) {
    case segments.SETTLE:
      inject.takeGas(edit.cost, edit.loads);
      return edit.at;
    case segments.CHECK:
      inject.takeAndCheck(edit.cost, edit.loads, outside);
      return edit.at;
    case segments.BULK:
      inject.takeForBytes(outside);
      return edit.at;
    case segments.LEAVE:
      u8Of(BR);
      unsigned(edit.depth - 1);
      return edit.to;
    default:
      inject.storeGas();
      if (edit.kind == segments.CALL) copy(edit.at, edit.to);
      else inject.callGrow();
      inject.loadGas();
      return edit.to;
  }
}
