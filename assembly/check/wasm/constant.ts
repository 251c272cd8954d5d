// Constant expressions: one constant and `end`. Twin of host/upgrade/wasm/constant.ts.
import { UPG_HANDLER_OPCODE } from "../codes";
import { add } from "../findings";
import { bad, begin, hex, refuse, text, withoutFeature } from "../text/message";
import { END, F32_CONST, F64_CONST, I32_CONST, I64_CONST, immediateOf, nameText, refusedFamily } from "./opcodes";
import * as reader from "./reader";
import { FLOATS_REFUSED } from "./value-types";

/** What `readConstant` read was an i32, and which. */
export let isI32: bool = false;
export let value: u32 = 0;

export function readConstant(what: string): void {
  const at = reader.at;
  const opcode = reader.byte("a constant expression");
  isI32 = opcode == I32_CONST && !bad;
  if (bad) return;
  if (opcode == I32_CONST) value = <u32>reader.signed(32, "i32.const");
  else if (opcode == I64_CONST) reader.signed(64, "i64.const");
  else if (opcode == F32_CONST || opcode == F64_CONST) {
    reader.skip(opcode == F32_CONST ? 4 : 8, "a constant");
    begin();
    text("a constant of ");
    text(what);
    text(" is a float: ");
    text(FLOATS_REFUSED);
    add(UPG_HANDLER_OPCODE, at);
  } else refused(opcode, at, what);
  const endAt = reader.at;
  const end = reader.byte("the end of a constant expression");
  if (!bad && end != END) refused(end, endAt, what);
}

function refused(opcode: u32, at: usize, what: string): void {
  const isKnown = immediateOf(opcode) != 0;
  const isFormat = !isKnown && refusedFamily(opcode).length == 0;
  if (isFormat) reader.malformed(at);
  else refuse(UPG_HANDLER_OPCODE, at);
  if (isKnown) nameText(opcode);
  else {
    text("opcode 0x");
    hex(opcode);
  }
  text(" in the constant expression of ");
  text(what);
  if (!isFormat) text(": only i32.const or i64.const is allowed");
  if (!isFormat) withoutFeature("extended-const");
}
