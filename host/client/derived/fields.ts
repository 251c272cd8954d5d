/** Fields of a protobuf message as flags and arguments of a command, and what is given for them as its JSON. */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import { kebab } from "../../chain/query/texts.js";
import { messageOf } from "../../errors.js";
import { usage } from "../../usage.js";
import { parseCoins } from "../../values/coins.js";

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

/** What the flags were given, as JSON of the message; a flag that was not given leaves its field out. */
export function jsonOfFlags(flags: readonly FieldFlag[], given: Json): Json {
  const json: Json = {};
  for (const { field, option } of flags) {
    const value = given[option.attributeName()];
    if (value !== undefined) json[field.jsonName] = fieldJson(field, value as string | boolean | string[], option.long);
  }
  return json;
}

/** @param name of the flag or argument, for the complaint. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function fieldJson(field: DescField, value: string | boolean | readonly string[], name = field.name): unknown {
  if (typeof value === "boolean") return value;
  if (field.message?.typeName === COIN) return coinsJson(field, value, name);
  if (typeof value !== "string") return value.map((each) => valueJson(field, each));
  return valueJson(field, value);
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

/** Messages are JSON; those that have a text of their own (a time, a duration) may be given without quotes. */
function valueJson(field: DescField, text: string): unknown {
  if (field.enum) return /^[0-9]+$/.test(text) ? Number(text) : text;
  if (!field.message) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

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
  if (field.enum) return `${what}: ${field.enum.values.map(({ name }) => name).join(", ")}${many}`;
  return `${what}: ${kindOf(field)}${many}`;
}

function isSwitch(field: DescField): boolean {
  return field.fieldKind === "scalar" && kindOf(field) === "bool";
}

/** The names of a message's fields, for help texts. */
export function fieldNames({ fields }: DescMessage): string {
  return fields.length === 0 ? "no fields" : fields.map(({ name }) => name).join(", ");
}
