/**
 * Messages as amino JSON, the form that hardware wallets and the members of a multisig key sign: names ascending, empty
 * fields left out unless their descriptor says otherwise, 64-bit integers as texts, bytes in base64, a packed message
 * with its amino name. Everything is read from descriptors, so that a new message needs nothing here.
 */
import {
  type DescField,
  type DescMessage,
  fromBinary,
  getOption,
  hasOption,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Any, Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { UpgradeError } from "../../base/errors/errors.js";
import { dont_omitempty, encoding, field_name, message_encoding, name } from "../../base/gen/amino/amino_pb.js";
import { scalar } from "../../base/gen/cosmos_proto/cosmos_pb.js";
import { compareText, toBase64 } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import { formatDecimal } from "../values/decimal.js";
import { escapeHtml } from "./gateway-json.js";
import type { Resolve } from "./strict.js";

/** Messages within messages, packed ones included; a transaction that was decoded strictly is never deeper. */
const AMINO_DEPTH_MAX = 40;
const NANOS_PER_SECOND = 1_000_000_000n;
/** A decimal has at most 315 bits. */
const DECIMAL_DIGITS_MAX = 96;
/** Longer durations do not fit 64 bits of nanoseconds. */
const DURATION_SECONDS_MAX = 9_223_372_035n;

/** A text as Go's encoder writes it. */
export const aminoText = (text: string): string => escapeHtml(JSON.stringify(text));

/** An object with its names ascending; `members` are JSON already. */
export function aminoObject(members: Iterable<readonly [name: string, json: string]>): string {
  const sorted = [...members].sort(([a], [b]) => compareText(a, b));
  return `{${sorted.map(([key, json]) => `${aminoText(key)}:${json}`).join(",")}}`;
}

/**
 * `{"type":"<amino name>","value":{…}}`; a message without an amino name is written under its type URL.
 *
 * @param resolve the descriptor of what is packed in a `google.protobuf.Any`
 * @throws UpgradeError UPG_INVALID_TX when the message has no amino JSON
 */
export function aminoJson(any: Pick<Any, "typeUrl" | "value">, resolve: Resolve): string {
  return packed(any, { resolve, depth: 0 });
}

/** A list of messages that are not packed: coins. */
export function aminoList(desc: DescMessage, messages: readonly Message[]): string {
  const walk = { resolve: () => undefined, depth: 0 };
  return `[${messages.map((message) => body(desc, message, walk)).join(",")}]`;
}

interface Walk {
  readonly resolve: Resolve;
  readonly depth: number;
}

const refused = (what: string) => new UpgradeError("UPG_INVALID_TX", `no amino JSON: ${what}`);

function packed({ typeUrl, value }: Pick<Any, "typeUrl" | "value">, walk: Walk): string {
  const desc = walk.resolve(typeUrl);
  if (!desc) throw refused(`can't resolve type URL ${typeUrl}`);
  const type = hasOption(desc, name) ? getOption(desc, name) : `/${desc.typeName}`;
  // A key is its bytes: a message with that option has a field `key`, which the type of any message does not say.
  if (getOption(desc, message_encoding) === "key_field") {
    const { key } = fromBinary(desc, value) as unknown as { readonly key: Uint8Array };
    return `{"type":${aminoText(type)},"value":"${toBase64(key)}"}`;
  }
  return `{"type":${aminoText(type)},"value":${body(desc, fromBinary(desc, value), walk)}}`;
}

function body(desc: DescMessage, message: Message, { resolve, depth }: Walk): string {
  if (depth > AMINO_DEPTH_MAX) throw refused(`messages are nested more than ${AMINO_DEPTH_MAX} deep`);
  const walk = { resolve, depth: depth + 1 };
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return packed(message as Any, walk);
    case "google.protobuf.Timestamp":
      return timeText(message as Timestamp);
    case "google.protobuf.Duration":
      return durationText(message as Duration);
  }
  if (hasOption(desc, message_encoding)) throw refused(`${desc.typeName} is no part of a message`);
  const fields = reflect(desc, message);
  const members: (readonly [string, string])[] = [];
  for (const field of desc.fields) {
    if (field.oneof) throw refused(`${desc.typeName} has choices`);
    const isWritten = fields.isSet(field) || getOption(field, dont_omitempty);
    if (isWritten) members.push([getOption(field, field_name) || field.name, fieldJson(fields, field, walk)]);
  }
  return aminoObject(members);
}

function fieldJson(message: ReflectMessage, field: DescField, walk: Walk): string {
  switch (field.fieldKind) {
    case "message":
      if (!message.isSet(field)) throw refused(`${field.parent.typeName}.${field.name} is not set`);
      return body(field.message, message.get(field).message, walk);
    case "list":
      return listJson(message, field, walk);
    case "enum":
      return String(message.get(field));
    case "scalar":
      return field.scalar === ScalarType.STRING
        ? textOf(message.get(field) as string, getOption(field, scalar))
        : scalarJson(field.scalar, message.get(field));
    case "map":
      throw refused(`${field.parent.typeName}.${field.name} is a map`);
  }
}

function listJson(message: ReflectMessage, field: DescField & { fieldKind: "list" }, walk: Walk): string {
  const items = [...message.get(field)];
  if (items.length === 0) return getOption(field, encoding) === "legacy_coins" ? "[]" : "null";
  const json = items.map((item) => {
    if (field.listKind === "message") return body(field.message, (item as ReflectMessage).message, walk);
    return field.listKind === "enum" ? String(item) : scalarJson(field.scalar, item);
  });
  return `[${json.join(",")}]`;
}

function scalarJson(type: ScalarType, value: unknown): string {
  switch (type) {
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      throw refused("a floating point number");
    case ScalarType.BYTES:
      return `"${toBase64(value as Uint8Array)}"`;
    case ScalarType.STRING:
      return aminoText(value as string);
    default:
      return typeof value === "bigint" ? `"${value}"` : String(value);
  }
}

/**
 * An empty number is 0. A decimal that is a whole number on the wire counts 10^-18, as the Cosmos SDK has it; one with a
 * point, which its encoder refuses, is written as it is, as clients sign it.
 */
function textOf(text: string, meaning: string): string {
  const isNumber = meaning === "cosmos.Int" || meaning === "cosmos.Dec";
  if (isNumber && text === "") return '"0"';
  if (meaning !== "cosmos.Dec" || !/^-?[0-9]+$/.test(text)) return aminoText(text);
  if (text.length > DECIMAL_DIGITS_MAX) throw refused(`a decimal of more than ${DECIMAL_DIGITS_MAX} digits`);
  return `"${formatDecimal(BigInt(text))}"`;
}

function timeText({ seconds, nanos }: Timestamp): string {
  try {
    return `"${formatTime({ seconds, nanos })}"`;
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", "no amino JSON: a time outside the years 1 to 9999", { cause });
  }
}

function durationText({ seconds, nanos }: Duration): string {
  if (seconds > DURATION_SECONDS_MAX || seconds < -DURATION_SECONDS_MAX) throw refused("a duration of centuries");
  return `"${seconds * NANOS_PER_SECOND + BigInt(nanos)}"`;
}
