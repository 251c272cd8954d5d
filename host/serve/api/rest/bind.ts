/** Requests out of paths and query strings: `pagination.limit=5` sets a field of a field. */

import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { UpgradeError } from "../../../base/errors/errors.js";
import { fromBase64 } from "../../../base/text/bytes.js";

/** Values of one repeated parameter that are looked at. */
const REPEATED_MAX = 64;

export function bindRequest(schema: DescMessage, path: ReadonlyMap<string, string>, query: URLSearchParams): Message {
  const request = reflect(schema, create(schema));
  for (const name of new Set(query.keys())) {
    // What is in the path cannot be given again, and what is no field is nobody's.
    if (!path.has(name)) bind(request, name.split("."), query.getAll(name), name);
  }
  for (const [name, value] of path) bind(request, [name], [value], name);
  return request.message;
}

function bind(message: ReflectMessage, steps: readonly string[], values: readonly string[], name: string): void {
  const [step, ...rest] = steps;
  const field = message.fields.find((each) => each.name === step || each.jsonName === step);
  if (!field) return;
  if (rest.length > 0) {
    if (field.fieldKind !== "message") return;
    const inner = message.isSet(field) ? message.get(field) : reflect(field.message, create(field.message));
    bind(inner, rest, values, name);
    message.set(field, inner);
    return;
  }
  const [first = ""] = values;
  if (field.fieldKind === "scalar") message.set(field, readScalar(field.scalar, first, name));
  else if (field.fieldKind === "enum") message.set(field, readEnum(field, first, name));
  else if (field.fieldKind === "list" && field.listKind === "scalar") {
    const list = message.get(field);
    for (const value of values.slice(0, REPEATED_MAX)) list.add(readScalar(field.scalar, value, name));
  }
}

function mismatch(name: string, reason: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `type mismatch, parameter: ${name}, error: ${reason}`);
}

const RANGES: Partial<Record<ScalarType, { readonly reader: string; readonly min: bigint; readonly max: bigint }>> = {
  [ScalarType.INT32]: { reader: "ParseInt", min: -(2n ** 31n), max: 2n ** 31n - 1n },
  [ScalarType.UINT32]: { reader: "ParseUint", min: 0n, max: 2n ** 32n - 1n },
  [ScalarType.INT64]: { reader: "ParseInt", min: -(2n ** 63n), max: 2n ** 63n - 1n },
  [ScalarType.UINT64]: { reader: "ParseUint", min: 0n, max: 2n ** 64n - 1n },
};

function readScalar(type: ScalarType, text: string, name: string): string | boolean | number | bigint | Uint8Array {
  const range = RANGES[type];
  if (range) {
    const quoted = JSON.stringify(text.slice(0, 60));
    const isNumber = (range.min < 0n ? /^[+-]?[0-9]{1,40}$/ : /^[0-9]{1,40}$/).test(text);
    if (!isNumber) throw mismatch(name, `strconv.${range.reader}: parsing ${quoted}: invalid syntax`);
    const value = BigInt(text.replace(/^\+/, ""));
    if (value < range.min || value > range.max) {
      throw mismatch(name, `strconv.${range.reader}: parsing ${quoted}: value out of range`);
    }
    return type === ScalarType.INT32 || type === ScalarType.UINT32 ? Number(value) : value;
  }
  if (type === ScalarType.BOOL) return readBool(text, name);
  return type === ScalarType.BYTES ? readBase64(text, name) : text;
}

function readBool(text: string, name: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw mismatch(name, `strconv.ParseBool: parsing ${JSON.stringify(text.slice(0, 60))}: invalid syntax`);
}

/** Either alphabet, padded or not; a plus sign that became a space on its way is one again. */
function readBase64(text: string, name: string): Uint8Array {
  const plain = text
    .replaceAll(" ", "+")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,2}$/, "");
  try {
    return fromBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, "="));
  } catch {
    throw mismatch(name, "illegal base64 data");
  }
}

function readEnum(field: DescField & { fieldKind: "enum" }, text: string, name: string): number {
  const value = field.enum.values.find((each) => each.name === text || String(each.number) === text);
  if (value) return value.number;
  throw mismatch(name, `${JSON.stringify(text.slice(0, 60))} is not valid`);
}
