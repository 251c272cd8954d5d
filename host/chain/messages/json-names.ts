/**
 * Checks names in the JSON of a message that a person wrote. A parser that skips what it does not know turns a misspelt
 * field into its default, so the message that is signed is not the one that was written.
 */
import type { DescEnum, DescField, DescMessage, Registry } from "@bufbuild/protobuf";
import { nearest, unknownName } from "../../base/text/text.js";

/** Deeper JSON is rejected by the parser that runs next. */
const DEPTH_MAX = 100;
/** Longer words are shortened in messages and have no suggestion. */
const WORD_MAX = 60;

/**
 * Checks every field name and every enum name, at any depth.
 *
 * @param registry types that may be packed in an `Any`
 * @param path the position of `json` in what the person wrote; may be empty
 * @throws Error with the path of the first unknown name, the valid names and the nearest of them
 */
export function requireKnownNames(registry: Registry, schema: DescMessage, json: unknown, path = ""): void {
  visitMessage({ registry, depth: 0 }, schema, json, path);
}

/** The name of an enum's value without the prefix that all its values share, as the Cosmos SDK's commands take it: `no-with-veto`. */
export function shortName(desc: DescEnum, name: string): string {
  const { sharedPrefix } = desc;
  const short = sharedPrefix && name.toLowerCase().startsWith(sharedPrefix) ? name.slice(sharedPrefix.length) : name;
  return short.toLowerCase().replaceAll("_", "-");
}

/** A word in quotes, shortened. */
function quoted(word: string): string {
  return JSON.stringify(word.length > WORD_MAX ? `${word.slice(0, WORD_MAX)}…` : word);
}

interface Visit {
  readonly registry: Registry;
  readonly depth: number;
}

function visitMessage(visit: Visit, schema: DescMessage, json: unknown, path: string): void {
  if (visit.depth > DEPTH_MAX) throw new Error("messages are nested too deep");
  if (typeof json !== "object" || json === null || Array.isArray(json)) return;
  if (schema.typeName === "google.protobuf.Any") {
    visitAny(visit, json as Readonly<Record<string, unknown>>, path);
    return;
  }
  // Times, durations, structs: their JSON has no fields of theirs.
  if (schema.file.proto.package === "google.protobuf") return;
  for (const [key, value] of Object.entries(json)) {
    const field = fieldNamed(schema, key);
    const place = path === "" ? key : `${path}.${key}`;
    if (!field) {
      const names = schema.fields.map(({ name }) => name);
      throw new Error(`${shown(place)}: ${schema.typeName} has no such field${unknownName(key, names)}`);
    }
    visitField({ ...visit, depth: visit.depth + 1 }, field, value, place);
  }
}

function fieldNamed({ fields }: DescMessage, key: string): DescField | undefined {
  return fields.find(({ name, jsonName }) => name === key || jsonName === key);
}

function visitAny(visit: Visit, json: Readonly<Record<string, unknown>>, path: string): void {
  const { "@type": url, ...fields } = json;
  if (Object.keys(json).length === 0) return;
  const place = path === "" ? "" : `${shown(path)}: `;
  if (typeof url !== "string")
    throw new Error(`${place}"@type" is missing: it names the type, as "/cosmos.bank.v1beta1.MsgSend"`);
  const schema = visit.registry.getMessage(url.slice(url.lastIndexOf("/") + 1));
  if (!schema) throw new Error(`${place}unknown type ${quoted(url)}${typeHint(visit.registry, url)}`);
  visitMessage(visit, schema, fields, path);
}

/** A chain has hundreds of types, so the nearest alone is named. */
function typeHint(registry: Registry, url: string): string {
  const names = [...registry].flatMap((type) => (type.kind === "message" ? [`/${type.typeName}`] : []));
  const near = url.length > 2 * WORD_MAX ? undefined : nearest(url, names);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}

function visitField(visit: Visit, field: DescField, json: unknown, path: string): void {
  if (field.fieldKind === "list" && Array.isArray(json)) {
    for (const [index, item] of json.entries()) visitValue(visit, field, item, `${path}[${index}]`);
  } else if (field.fieldKind === "map" && typeof json === "object" && json !== null) {
    for (const [key, value] of Object.entries(json)) visitValue(visit, field, value, `${path}.${key}`);
  } else visitValue(visit, field, json, path);
}

function visitValue(visit: Visit, field: DescField, json: unknown, path: string): void {
  if (field.message) visitMessage(visit, field.message, json, path);
  if (field.enum && typeof json === "string") requireEnumName(field.enum, json, path);
}

function requireEnumName(desc: DescEnum, word: string, path: string): void {
  const names = desc.values.map(({ name }) => name);
  if (names.includes(word)) return;
  const meant = desc.values.find(({ name }) => shortName(desc, name) === word.toLowerCase().replaceAll("_", "-"));
  const hint = meant ? ` (did you mean "${meant.name}"?). Valid: ${names.join(", ")}` : unknownName(word, names);
  throw new Error(`${shown(path)}: ${desc.typeName} has no value ${quoted(word)}${hint}`);
}

const PATH_MAX = 200;

const shown = (path: string) => (path.length > PATH_MAX ? `${path.slice(0, PATH_MAX)}…` : path);
