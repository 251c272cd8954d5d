// Types of values: two are allowed, the rest is known well enough to be named. Twin of host/upgrade/wasm/value-types.ts.
import { UPG_HANDLER_OPCODE } from "../codes";
import { add } from "../findings";
import { bad, begin, hex, number, put, refuse, text, withoutFeature } from "../text/message";
import * as reader from "./reader";

export const I32: u32 = 0x7f;
export const I64: u32 = 0x7e;
const F32: u32 = 0x7d;
const F64: u32 = 0x7c;
const V128: u32 = 0x7b;
export const FUNCREF: u32 = 0x70;
const EXTERNREF: u32 = 0x6f;
const FIRST_REFERENCE_TYPE: u32 = 0x62;

export const FLOATS_REFUSED: string =
  "floating point is not allowed, its NaNs differ between engines; use integers or fixed point";

export function isInteger(type: u32): bool {
  return type == I32 || type == I64;
}

/** Returns "" for a type that has no name here. */
function nameOf(type: u32): string {
  switch (type) {
    case I32:
      return "i32";
    case I64:
      return "i64";
    case F32:
      return "f32";
    case F64:
      return "f64";
    case V128:
      return "v128";
    case FUNCREF:
      return "funcref";
    case EXTERNREF:
      return "externref";
    default:
      return "";
  }
}

export function typeText(type: u32): void {
  text(nameOf(type));
}

/** Why a type is refused, as the end of a message. */
export function adviceText(type: u32): void {
  if (type == F32 || type == F64) text(FLOATS_REFUSED);
  else if (type == V128) {
    text("SIMD is not allowed");
    withoutFeature("simd128");
  } else text("only i32 and i64 are allowed; build without the reference-types and gc features");
}

/** Fails for a type after which nothing could be read. */
export function requireKnown(type: u32, at: usize): void {
  if (nameOf(type).length > 0) return;
  if (type < FIRST_REFERENCE_TYPE || type > I32) {
    reader.malformed(at);
    text("0x");
    hex(type);
    text(" is not a type of values");
    return;
  }
  refuse(UPG_HANDLER_OPCODE, at);
  text("type 0x");
  hex(type);
  text(": ");
  adviceText(0);
}

/** Reads a type; one that is refused becomes a finding, whose message begins with `what`, `index` (unless it is below 0) and `more`. */
export function readValueType(what: string, index: i32, more: string, fn: i32 = -1): u32 {
  const at = reader.at;
  const type = reader.byte("a type of values");
  if (bad || isInteger(type)) return type;
  requireKnown(type, at);
  begin();
  text(what);
  if (index >= 0) number(index);
  text(more);
  text(" of type ");
  typeText(type);
  text(": ");
  adviceText(type);
  add(UPG_HANDLER_OPCODE, at, fn);
  return type;
}

function listText(ptr: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) text(", ");
    typeText(load<u8>(ptr + i));
  }
}

/** `(i32, i64) -> i32`. */
export function signatureText(params: usize, paramCount: u32, results: usize, resultCount: u32): void {
  put(0x28);
  listText(params, paramCount);
  text(") -> ");
  if (resultCount != 1) put(0x28);
  listText(results, resultCount);
  if (resultCount != 1) put(0x29);
}
