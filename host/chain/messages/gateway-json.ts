/**
 * Messages as the Cosmos SDK's gateway writes them: names as in the proto, fields in their order, 64-bit integers as
 * strings, bytes in base64, what is unset as null or its default, `Any` opened up with its type.
 */

import {
  type DescField,
  type DescMessage,
  fromBinary,
  type Message,
  type MessageShape,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Any, Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { toBase64 } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import { decimalText, isDecimal } from "./decimals.js";

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** `Any` inside `Any` ends somewhere. */
const DEPTH_MAX = 16;

/** Messages as plain objects in this form. */
export function messageWriter(registry: Registry) {
  const writer = new GatewayJson(registry);
  return <S extends DescMessage>(schema: S, message: MessageShape<S>): Record<string, unknown> =>
    JSON.parse(writer.write(schema, message)) as Record<string, unknown>;
}

export class GatewayJson {
  constructor(private readonly registry: Registry) {}

  write(schema: DescMessage, message: Message): string {
    return escapeHtml(JSON.stringify(this.#message(schema, message, 0)));
  }

  #message(schema: DescMessage, message: Message, depth: number): Json {
    switch (schema.typeName) {
      case "google.protobuf.Any":
        return this.#any(message as Any, depth);
      case "google.protobuf.Timestamp":
        return timeText(message as Timestamp);
      case "google.protobuf.Duration":
        return durationText(message as Duration);
      default:
        return this.#fields(reflect(schema, message), depth);
    }
  }

  #fields(message: ReflectMessage, depth: number): { [name: string]: Json } {
    const json: { [name: string]: Json } = {};
    for (const field of message.fields) {
      if (field.oneof && !message.isSet(field)) continue;
      json[field.name] = this.#field(message, field, depth);
    }
    return json;
  }

  #field(message: ReflectMessage, field: DescField, depth: number): Json {
    switch (field.fieldKind) {
      case "message":
        return message.isSet(field) ? this.#message(field.message, message.get(field).message, depth) : null;
      case "list":
        return [...message.get(field)].map((item) => this.#item(field, item, depth));
      case "enum":
        return enumText(field, message.get(field));
      case "scalar":
        return isDecimal(field.parent.typeName, field.name)
          ? decimalText(message.get(field) as string | Uint8Array)
          : scalar(field.scalar, message.get(field));
      case "map":
        return {};
    }
  }

  #item(field: DescField & { fieldKind: "list" }, item: unknown, depth: number): Json {
    if (field.listKind === "message") return this.#message(field.message, (item as ReflectMessage).message, depth);
    return field.listKind === "enum" ? enumText(field, item as number) : scalar(field.scalar, item);
  }

  /** A type that this program does not know keeps its bytes. */
  #any({ typeUrl, value }: Any, depth: number): Json {
    const schema = this.registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (schema && depth < DEPTH_MAX) {
      try {
        const inner = this.#message(schema, fromBinary(schema, value), depth + 1);
        const fields = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? inner : { value: inner };
        return { "@type": typeUrl, ...fields };
      } catch {
        // Bytes that are not of their type are shown as they are.
      }
    }
    return { "@type": typeUrl, value: toBase64(value) };
  }
}

function enumText(
  field: DescField & { enum: { value: Readonly<Record<number, { name: string }>> } },
  number: number,
): Json {
  return field.enum.value[number]?.name ?? number;
}

function scalar(type: ScalarType, value: unknown): Json {
  if (typeof value === "bigint") return value.toString();
  if (type === ScalarType.BYTES) return (value as Uint8Array).length === 0 ? null : toBase64(value as Uint8Array);
  return value as string | number | boolean;
}

/** With 0, 3, 6 or 9 digits after the dot. */
function timeText({ seconds, nanos }: Timestamp): string {
  return `${formatTime({ seconds, nanos: 0 }).slice(0, -1)}${fraction(nanos)}Z`;
}

function durationText({ seconds, nanos }: Duration): string {
  const sign = seconds < 0n || nanos < 0 ? "-" : "";
  return `${sign}${seconds < 0n ? -seconds : seconds}${fraction(Math.abs(nanos))}s`;
}

function fraction(nanos: number): string {
  if (nanos === 0) return "";
  return `.${String(nanos)
    .padStart(9, "0")
    .replace(/(000){1,2}$/, "")}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON that stays what it is inside HTML. */
export function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] as string);
}
