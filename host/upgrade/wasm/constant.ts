/** Constant expressions: one constant and `end`. Globals cannot be imported, so there is nothing else to name. */

import type { ByteReader } from "./byte-reader.js";
import type { DraftModule } from "./draft-module.js";
import { malformed, Refusal } from "./findings.js";
import { instructionOf, OP, refusedFamily } from "./opcodes.js";
import { FLOATS_REFUSED } from "./value-types.js";

/** Reads an expression; the value when it is an i32. */
export function readConstant(module: DraftModule, reader: ByteReader, what: string): number | undefined {
  const at = reader.at;
  const opcode = reader.byte("a constant expression");
  let value: number | undefined;
  if (opcode === OP.i32Const) value = reader.s32("i32.const");
  else if (opcode === OP.i64Const) reader.skipS64("i64.const");
  else if (opcode === OP.f32Const || opcode === OP.f64Const) {
    reader.skip(opcode === OP.f32Const ? 4 : 8, "a constant");
    module.refuse("UPG_HANDLER_OPCODE", at, `a constant of ${what} is a float: ${FLOATS_REFUSED}`);
  } else throw refused(opcode, at, what);
  const endAt = reader.at;
  const end = reader.byte("the end of a constant expression");
  if (end !== OP.end) throw refused(end, endAt, what);
  return value;
}

/** Where an active segment begins; undefined when that is not an i32, which validation refuses. */
export function readOffset(module: DraftModule, reader: ByteReader, what: string): number | undefined {
  const value = readConstant(module, reader, what);
  return value === undefined ? undefined : value >>> 0;
}

function refused(opcode: number, at: number, what: string): Refusal {
  const name = instructionOf(opcode)?.name ?? `opcode 0x${opcode.toString(16)}`;
  if (instructionOf(opcode) === undefined && refusedFamily(opcode) === undefined) {
    return malformed(at, `${name} in the constant expression of ${what}`);
  }
  const advice = "only i32.const or i64.const is allowed; build without the extended-const feature";
  return new Refusal("UPG_HANDLER_OPCODE", at, `${name} in the constant expression of ${what}: ${advice}`);
}
