// The code section: local declarations, and the walk over every instruction. What breaks one body leaves the others. Twin of
// host/upgrade/wasm/decode-code.ts.
import { UPG_HANDLER_LIMIT, UPG_HANDLER_OPCODE } from "../codes";
import { add, isDone } from "../findings";
import { BODY_BYTES_MAX, FUNCTIONS_MAX, LOCALS_MAX, LOCALS_TOTAL_MAX } from "../limits";
import { bad, begin, number, refuse, text } from "../text/message";
import * as cost from "./cost";
import * as cursor from "./cursor";
import * as wasm from "./module";
import { IS_FLOAT, nameText, traitsOf } from "./opcodes";
import * as reader from "./reader";
import { adviceText, FLOATS_REFUSED, readValueType, typeText } from "./value-types";

let localsTotal: u32 = 0;

export function decodeCode(): void {
  const count = reader.count("function bodies", FUNCTIONS_MAX);
  const declared = wasm.functions - wasm.imports;
  if (bad) return;
  if (count != declared) {
    reader.malformed(reader.at);
    bodiesFor(count, declared);
    return;
  }
  cost.openModuleCost();
  localsTotal = 0;
  const sectionEnd = reader.end;
  for (let i: u32 = 0; i < count; i++) {
    const at = reader.at;
    const size = reader.u32Of("the size of a function body");
    const start = reader.at;
    reader.skip(size, "a function body");
    if (bad) return;
    const fn = wasm.imports + i;
    readBody(fn, at, start, start + size);
    isDone(fn);
    reader.open(start + size, sectionEnd);
  }
  wasm.setBodyCount(count);
}

export function bodiesFor(count: u32, declared: u32): void {
  number(count);
  text(" function bodies for ");
  number(declared);
  text(" functions");
}

function readBody(fn: u32, at: usize, start: usize, end: usize): void {
  const size = <u32>(end - start);
  if (size > BODY_BYTES_MAX) {
    refuse(UPG_HANDLER_LIMIT, at);
    text("the body has ");
    number(size);
    text(" bytes, at most ");
    number(BODY_BYTES_MAX);
    text(" are allowed; split the function");
    return;
  }
  reader.open(start, end);
  const locals = readLocals(fn);
  if (bad) return;
  const body = wasm.addBody();
  body.fn = fn;
  body.type = wasm.typeOf(fn);
  body.start = start;
  body.code = reader.at;
  body.end = end;
  body.locals = locals;
  localsTotal += locals;
  if (localsTotal > LOCALS_TOTAL_MAX) {
    refuse(UPG_HANDLER_LIMIT, at);
    text("more than ");
    number(LOCALS_TOTAL_MAX);
    text(" locals in all functions together");
  } else checkInstructions(body);
  if (bad) wasm.dropBody();
}

function readLocals(fn: u32): u32 {
  const groups = reader.u32Of("the number of local declarations");
  let locals: u64 = 0;
  for (let i: u32 = 0; i < groups; i++) {
    const at = reader.at;
    locals += reader.u32Of("a number of locals");
    readValueType("a local", -1, "", fn);
    if (bad) return 0;
    if (locals <= LOCALS_MAX) continue;
    refuse(UPG_HANDLER_LIMIT, at);
    number(locals);
    text(" locals, at most ");
    number(LOCALS_MAX);
    text(" are allowed");
    return 0;
  }
  return <u32>locals;
}

function checkInstructions(body: wasm.Body): void {
  cost.openFunctionCost(wasm.typeAt(body.type).paramCount + body.locals);
  cursor.openBody(body);
  while (cursor.step()) {
    cost.count();
    if (bad) return;
    if ((traitsOf(cursor.slot) & IS_FLOAT) != 0) reportFloat(body.fn);
    if (cursor.refusedType != 0) reportBlock(body.fn);
  }
  if (!bad) cost.finish(body.start);
}

function reportFloat(fn: u32): void {
  begin();
  nameText(cursor.slot);
  text(": ");
  text(FLOATS_REFUSED);
  add(UPG_HANDLER_OPCODE, cursor.start, fn);
}

function reportBlock(fn: u32): void {
  begin();
  text("a block of type ");
  typeText(cursor.refusedType);
  text(": ");
  adviceText(cursor.refusedType);
  add(UPG_HANDLER_OPCODE, cursor.start, fn);
}
