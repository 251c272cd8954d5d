/**
 * Messages from their JSON. What is in a `google.protobuf.Any` keeps the type URL that the Cosmos SDK writes, `/name`
 * with nothing before the slash, however deep it is.
 */
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  type MessageShape,
  type Registry,
  toBinary,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Any } from "@bufbuild/protobuf/wkt";
import { messageOf } from "../../base/errors/errors.js";
import { requireKnownNames } from "./json-names.js";

/** `Any` inside `Any` ends somewhere. */
const DEPTH_MAX = 16;

/**
 * Reads a message that a person wrote. Unknown fields and unknown names of enums are errors, as for the Cosmos SDK.
 *
 * @param registry types that may be packed in an `Any`
 * @param path the position of `json` in what the person wrote, for errors
 * @throws Error naming what is wrong and where
 */
export function messageFromJson<T extends DescMessage>(
  registry: Registry,
  schema: T,
  json: unknown,
  path = "",
): MessageShape<T> {
  requireKnownNames(registry, schema, json, path);
  const message = readJson(registry, schema, json);
  withShortUrls(registry, schema, message, 0);
  return message;
}

/** How JSON writes types whose form is easily mistaken: the end of the library's error message, and what to write. */
const FORMS: readonly (readonly [wrong: RegExp, remedy: (value: string) => string])[] = [
  [/google\.protobuf\.Duration from JSON: "?([0-9]+(?:\.[0-9]+)?)"?$/, (value) => `write "${value}s"`],
  [/google\.protobuf\.Duration from JSON: .*$/, () => 'write seconds with an s, for example "300s"'],
  [/google\.protobuf\.Timestamp from JSON: .*$/, () => 'write it as "2026-01-31T12:00:00Z"'],
];

function readJson<T extends DescMessage>(registry: Registry, schema: T, json: unknown): MessageShape<T> {
  try {
    return fromJson(schema, json as JsonValue, { registry });
  } catch (cause) {
    const message = messageOf(cause);
    for (const [wrong, remedy] of FORMS) {
      const value = wrong.exec(message);
      if (value) throw new TypeError(`${message}: ${remedy(value[1] ?? "")}`, { cause });
    }
    throw cause;
  }
}

/** Gives what is packed in a message the type URLs that the Cosmos SDK writes. @throws Error for bytes of another type */
export function shortenUrls(registry: Registry, schema: DescMessage, message: Message): void {
  withShortUrls(registry, schema, message, 0);
}

function withShortUrls(registry: Registry, schema: DescMessage, message: Message, depth: number): void {
  if (depth > DEPTH_MAX) throw new RangeError("messages are nested too deep");
  if (schema.typeName === "google.protobuf.Any") {
    shorten(registry, message as Any, depth);
    return;
  }
  const fields: ReflectMessage = reflect(schema, message);
  for (const field of fields.fields) {
    if (field.fieldKind === "message" && fields.isSet(field)) {
      withShortUrls(registry, field.message, fields.get(field).message, depth + 1);
    }
    if (field.fieldKind !== "list" || field.listKind !== "message") continue;
    for (const item of fields.get(field))
      withShortUrls(registry, field.message, (item as ReflectMessage).message, depth + 1);
  }
}

function shorten(registry: Registry, any: Any, depth: number): void {
  const name = any.typeUrl.slice(any.typeUrl.lastIndexOf("/") + 1);
  const schema = registry.getMessage(name);
  if (!schema) return;
  const inner = fromBinary(schema, any.value);
  withShortUrls(registry, schema, inner, depth + 1);
  any.typeUrl = `/${name}`;
  any.value = toBinary(schema, inner);
}
