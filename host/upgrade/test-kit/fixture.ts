/** A scene in a file: JSON, so that every language's handlers and every tool can use it. */
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { type BytesLike, bytes } from "./bytes-like.js";
import type { Scene } from "./scene.js";

type FixturePairs = readonly (readonly [BytesLike, BytesLike])[];

/** `0x…` is hex, any other text is UTF-8, a list is its parts in a row. */
export interface Fixture extends Scene {
  readonly stores?: Readonly<Record<string, FixturePairs>>;
  /** The expected result. */
  readonly expect?: {
    /** All pairs of a store afterwards. */
    readonly stores?: Readonly<Record<string, FixturePairs>>;
    /** The code of the error that it must end with. */
    readonly code?: string;
  };
}

const NUMBERS = new Set(["height", "time", "bytesPerPair"]);
const TEXTS = new Set(["chainId", "info"]);

/**
 * A scene, with its expected result, from a JSON file.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT, with the place in the JSON
 *
 * @example
 * const { stores } = parseFixture('{ "stores": { "bank": [["0x02", "7"]] } }');
 * console.log(stores?.["bank"]?.length); // → 1
 */
export function parseFixture(text: string): Fixture {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `not JSON: ${String(cause)}`, { cause });
  }
  const fixture = fields(json, "$");
  for (const [name, value] of Object.entries(fixture)) checkField(name, value, `$.${name}`);
  return fixture as Fixture;
}

function checkField(name: string, value: unknown, path: string): void {
  if (name === "stores") checkStores(value, path);
  else if (name === "versions") {
    for (const [module, version] of Object.entries(fields(value, path))) checkNumber(version, `${path}.${module}`);
  } else if (name === "expect") checkExpectation(value, path);
  else if (NUMBERS.has(name)) checkNumber(value, path);
  else if (TEXTS.has(name)) require(typeof value === "string", path, "must be a text");
  else if (name === "idempotent") require(typeof value === "boolean", path, "must be true or false");
  else throw invalid(path, "is no field of a scene");
}

function checkExpectation(value: unknown, path: string): void {
  for (const [name, expected] of Object.entries(fields(value, path))) {
    if (name === "stores") checkStores(expected, `${path}.stores`);
    else require(name === "code" && typeof expected === "string", `${path}.${name}`, "must be stores or a code");
  }
}

function checkStores(value: unknown, path: string): void {
  for (const [store, pairs] of Object.entries(fields(value, path))) {
    require(Array.isArray(pairs), `${path}.${store}`, "must be a list of [key, value]");
    for (const [i, pair] of (pairs as unknown[]).entries()) {
      const at = `${path}.${store}[${i}]`;
      require(Array.isArray(pair) && pair.length === 2, at, "must be [key, value]");
      for (const side of pair as unknown[]) checkBytes(side, at);
    }
  }
}

function checkBytes(value: unknown, path: string): void {
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  const isBytes = parts.every((part) => typeof part === "string" || typeof part === "number");
  require(isBytes, path, "bytes are texts, 0x… or numbers, or a list of them");
  try {
    bytes(parts as (string | number)[]);
  } catch (cause) {
    throw invalid(path, messageOf(cause));
  }
}

function checkNumber(value: unknown, path: string): void {
  require(Number.isSafeInteger(value) && Number(value) >= 0, path, "must be a whole number");
}

function fields(value: unknown, path: string): Readonly<Record<string, unknown>> {
  require(typeof value === "object" && value !== null && !Array.isArray(value), path, "must be an object");
  return value as Record<string, unknown>;
}

function require(holds: boolean, path: string, what: string): void {
  if (!holds) throw invalid(path, what);
}

function invalid(path: string, what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `${path}: ${what}`);
}
