/** Fields of a protobuf message as flags and arguments of a command, and what is given for them as its JSON. */

import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import { messageOf } from "../../../base/errors/errors.js";
import { usage } from "../../../base/terminal/usage.js";
import { kebab, unknownName } from "../../../base/text/text.js";
import { INT64_MAX, UINT64_MAX } from "../../../base/types/limits.js";
import type { Chain } from "../../../chain/app/chain.js";
import { requireKnownNames, shortName } from "../../../chain/messages/json-names.js";
import { parseCoins } from "../../../chain/values/coins.js";
import { messageRegistry } from "../message-json.js";

export type Json = Record<string, unknown>;

const COIN = "cosmos.base.v1beta1.Coin";
export const PAGE_REQUEST = "cosmos.base.query.v1beta1.PageRequest";

/** A flag that gives a field its value. */
export interface FieldFlag {
  readonly field: DescField;
  readonly option: Option;
}

/** Adds a flag for each field; one whose name the command has already is called `--msg-<name>`. */
export function addFieldFlags(command: Command, fields: readonly DescField[]): FieldFlag[] {
  const taken = new Set<string | undefined>();
  for (let at: Command | null = command; at; at = at.parent) for (const { long } of at.options) taken.add(long);
  return fields.map((field) => {
    const name = `--${kebab(field.name)}`;
    const long = taken.has(name) ? `--msg-${kebab(field.name)}` : name;
    const option = new Option(isSwitch(field) ? long : `${long} <${kindOf(field)}>`, describeField(field));
    if (field.fieldKind === "list") option.argParser((text: string, before: string[] = []) => [...before, text]);
    command.addOption(option);
    return { field, option };
  });
}

/** The JSON of the message that the flags describe. A flag that was not given leaves its field out. */
export function jsonOfFlags(chain: Chain, flags: readonly FieldFlag[], given: Json): Json {
  const json: Json = {};
  for (const { field, option } of flags) {
    const value = given[option.attributeName()];
    if (value !== undefined)
      json[field.jsonName] = fieldJson(chain, field, value as string | boolean | string[], option.long);
  }
  return json;
}

/**
 * Rejects a transaction that leaves out an enum whose value 0 means "not given" (`…_UNSPECIFIED`): its signer would sign what
 * nobody typed. `--flag unspecified` sends it all the same. Other fields that are left out have protobuf's default, as in the
 * commands of the Cosmos SDK.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
export function requireEnums(flags: readonly FieldFlag[], given: Json): void {
  for (const { field, option } of flags) {
    if (field.fieldKind !== "enum" || given[option.attributeName()] !== undefined || field.oneof) continue;
    if (field.proto.proto3Optional) continue;
    const zero = field.enum.values.find(({ number }) => number === 0);
    if (!zero?.name.endsWith("UNSPECIFIED")) continue;
    const names = field.enum.values.map(({ name }) => shortName(field.enum, name));
    throw usage(`required flag(s) "${option.long?.replace(/^--/, "")}" not set: give one of ${names.join(", ")}`);
  }
}

/** @param name of the flag or argument, for errors. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function fieldJson(
  chain: Chain,
  field: DescField,
  value: string | boolean | readonly string[],
  name = field.name,
): unknown {
  if (typeof value === "boolean") return value;
  if (field.message?.typeName === COIN) return coinsJson(field, value, name);
  if (typeof value !== "string") return value.map((each) => valueJson(chain, field, each, name));
  return valueJson(chain, field, value, name);
}

function coinsJson(field: DescField, value: string | readonly string[], name: string): unknown {
  try {
    const coins = [value].flat().flatMap((text) => parseCoins(text));
    const json = coins.map(({ denom, amount }) => ({ denom, amount: String(amount) }));
    if (field.fieldKind === "list") return json;
    if (json.length === 1) return json[0];
    throw usage(`expected the coins of one denom, got ${json.length}`);
  } catch (cause) {
    throw usage(`invalid coins for ${name}: ${messageOf(cause)}`);
  }
}

function valueJson(chain: Chain, field: DescField, text: string, name: string): unknown {
  if (field.enum) return enumNumber(field.enum, text, name);
  if (field.message) return messageFieldJson(chain, field.message, text, name);
  const range = field.scalar === undefined ? undefined : RANGES.get(field.scalar);
  if (range) requireInteger(text, range, name);
  return text;
}

/** The number of a value, which is given as its full name, its short name or a known number. */
function enumNumber(desc: DescEnum, text: string, name: string): number {
  const word = text.toLowerCase().replaceAll("_", "-");
  const found = desc.values.find(
    (value) => value.name === text || String(value.number) === text || shortName(desc, value.name) === word,
  );
  if (found) return found.number;
  const names = desc.values.map((value) => shortName(desc, value.name));
  throw usage(invalid(text, name, `there is no such value${unknownName(word, names)}`));
}

/** Messages are JSON; those that have a text of their own (a time, a duration) may be given without quotes. */
function messageFieldJson(chain: Chain, message: DescMessage, text: string, name: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    if (message.file.proto.package === "google.protobuf") return text;
    throw usage(invalid(text, name, `it is not JSON: ${messageOf(cause)}`));
  }
  try {
    requireKnownNames(messageRegistry(chain), message, json);
  } catch (cause) {
    throw usage(invalid(text, name, messageOf(cause)));
  }
  return json;
}

type Range = readonly [least: bigint, greatest: bigint];

const INT32: Range = [-(2n ** 31n), 2n ** 31n - 1n];
const UINT32: Range = [0n, 2n ** 32n - 1n];
const INT64: Range = [-INT64_MAX - 1n, INT64_MAX];
const UINT64: Range = [0n, UINT64_MAX];

/** Whole numbers of protobuf. */
const RANGES: ReadonlyMap<ScalarType, Range> = new Map([
  [ScalarType.INT32, INT32],
  [ScalarType.SINT32, INT32],
  [ScalarType.SFIXED32, INT32],
  [ScalarType.UINT32, UINT32],
  [ScalarType.FIXED32, UINT32],
  [ScalarType.INT64, INT64],
  [ScalarType.SINT64, INT64],
  [ScalarType.SFIXED64, INT64],
  [ScalarType.UINT64, UINT64],
  [ScalarType.FIXED64, UINT64],
]);

function requireInteger(text: string, [least, greatest]: Range, name: string): void {
  const value = /^-?[0-9]{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && value >= least && value <= greatest) return;
  throw usage(invalid(text, name, `expected a whole number from ${least} to ${greatest}`));
}

/** The Cosmos SDK's form of such an error. */
function invalid(text: string, name: string, what: string): string {
  const kind = name.startsWith("--") ? "flag" : "argument";
  return `invalid argument ${JSON.stringify(text.slice(0, SHOWN_MAX))} for ${JSON.stringify(name)} ${kind}: ${what}`;
}

const SHOWN_MAX = 100;

/** Types by the names of a .proto file. */
function kindOf(field: DescField): string {
  if (field.message?.typeName === COIN) return "coins";
  if (field.message) return "json";
  if (field.enum) return "name";
  const { scalar } = field;
  if (scalar === undefined) return "value";
  return scalar === ScalarType.BYTES ? "base64" : ScalarType[scalar].toLowerCase();
}

function describeField(field: DescField): string {
  const what = `field ${field.name}`;
  if (field.message?.typeName === COIN) return `${what}: coins like 10ustake`;
  const many = field.fieldKind === "list" ? ", once for each" : "";
  if (field.message) return `${what}: ${field.message.typeName} as JSON${many}`;
  if (field.enum) {
    const { enum: desc } = field;
    return `${what}: ${desc.values.map(({ name }) => shortName(desc, name)).join(", ")}${many}`;
  }
  return `${what}: ${kindOf(field)}${many}`;
}

function isSwitch(field: DescField): boolean {
  return field.fieldKind === "scalar" && kindOf(field) === "bool";
}

/** The names of a message's fields, for help texts. */
export function fieldNames({ fields }: DescMessage): string {
  return fields.length === 0 ? "no fields" : fields.map(({ name }) => name).join(", ");
}
