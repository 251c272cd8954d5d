/** Types of values: two are allowed, the rest is known well enough to be named. */

import type { ByteReader } from "./byte-reader.js";
import { type Findings, malformed, Refusal } from "./findings.js";
import type { FunctionType } from "./wasm-module.js";

const I32 = 0x7f;
const I64 = 0x7e;
export const FUNCREF = 0x70;

const TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [I32, "i32"],
  [I64, "i64"],
  [0x7d, "f32"],
  [0x7c, "f64"],
  [0x7b, "v128"],
  [FUNCREF, "funcref"],
  [0x6f, "externref"],
]);
const FIRST_REFERENCE_TYPE = 0x62;

export const FLOATS_REFUSED =
  "floating point is not allowed, its NaNs differ between engines; use integers or fixed point";

export function isInteger(type: number): boolean {
  return type === I32 || type === I64;
}

function typeName(type: number): string {
  return TYPE_NAMES.get(type) ?? `type 0x${type.toString(16)}`;
}

/** Why a type is refused, as the end of a message. */
export function typeAdvice(name: string): string {
  if (name.startsWith("f") && name !== "funcref") return FLOATS_REFUSED;
  if (name === "v128") return "SIMD is not allowed; build without the simd128 feature";
  return "only i32 and i64 are allowed; build without the reference-types and gc features";
}

/** The name of a type that is refused but known. @throws Refusal when nothing after it could be read */
export function refusedTypeName(type: number, at: number): string {
  if (TYPE_NAMES.has(type)) return typeName(type);
  if (type < FIRST_REFERENCE_TYPE || type > I32) throw malformed(at, `0x${type.toString(16)} is not a type of values`);
  throw new Refusal("UPG_HANDLER_OPCODE", at, `${typeName(type)}: ${typeAdvice("")}`);
}

/**
 * Reads a type; one that is refused becomes a finding.
 *
 * @param what the start of the finding's message, like "a local"
 */
export function readValueType(reader: ByteReader, findings: Findings, what: string, functionIndex?: number): number {
  const at = reader.at;
  const type = reader.byte("a type of values");
  if (isInteger(type)) return type;
  const name = refusedTypeName(type, at);
  findings.add("UPG_HANDLER_OPCODE", at, `${what} of type ${name}: ${typeAdvice(name)}`, functionIndex);
  return type;
}

/** `(i32, i64) -> i32`. */
export function signatureText(type: FunctionType): string {
  const list = (types: readonly number[]) => types.map(typeName).join(", ");
  return `(${list(type.params)}) -> ${type.results.length === 1 ? list(type.results) : `(${list(type.results)})`}`;
}
