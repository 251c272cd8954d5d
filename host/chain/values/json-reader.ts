/** Reads JSON of a known shape: every wrong field is named by its path. */

import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { fromBase64 } from "../../base/text/bytes.js";
import { unknownName } from "../../base/text/text.js";
import { INT64_MAX, UINT64_MAX } from "../../base/types/limits.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export class JsonReader {
  constructor(
    readonly value: unknown,
    readonly path: string,
  ) {}

  wrong(what: string): UpgradeError {
    return new UpgradeError("UPG_INVALID_GENESIS", `${this.path}: ${what}`, { details: { path: this.path } });
  }

  get isSet(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  object(): JsonObject {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) {
      throw this.wrong(`expected an object, got ${shape(this.value)}`);
    }
    return this.value as JsonObject;
  }

  /** A field; an absent value has no fields either. */
  get(name: string): JsonReader {
    return new JsonReader(this.isSet ? this.object()[name] : undefined, `${this.path}.${name}`);
  }

  /** The object, with no other members than these: for what a person writes, where a misspelt name must not be dropped. */
  only(...names: readonly string[]): this {
    const wrong = Object.keys(this.object()).find((name) => !names.includes(name));
    if (wrong === undefined) return this;
    const place = new JsonReader(undefined, `${this.path}.${wrong.slice(0, 60)}`);
    throw place.wrong(`there is no such field${unknownName(wrong, names)}`);
  }

  /** Elements of an array; null and absence count as empty, as Go writes empty lists. */
  items(): JsonReader[] {
    if (!this.isSet) return [];
    if (!Array.isArray(this.value)) throw this.wrong(`expected an array, got ${shape(this.value)}`);
    return this.value.map((item, index) => new JsonReader(item, `${this.path}[${index}]`));
  }

  text(fallback?: string): string {
    if (!this.isSet && fallback !== undefined) return fallback;
    if (typeof this.value !== "string") throw this.wrong(`expected a text, got ${shape(this.value)}`);
    return this.value;
  }

  boolean(fallback?: boolean): boolean {
    if (!this.isSet && fallback !== undefined) return fallback;
    if (typeof this.value !== "boolean") throw this.wrong(`expected true or false, got ${shape(this.value)}`);
    return this.value;
  }

  /** A decimal text or a safe integer. */
  integer(fallback?: bigint): bigint {
    if (!this.isSet && fallback !== undefined) return fallback;
    if (typeof this.value === "number" && Number.isSafeInteger(this.value)) return BigInt(this.value);
    if (typeof this.value === "string" && /^-?(0|[1-9][0-9]*)$/.test(this.value)) return BigInt(this.value);
    throw this.wrong(`expected an integer, got ${shape(this.value)}`);
  }

  int64(fallback?: bigint): bigint {
    return this.#within(this.integer(fallback), -INT64_MAX - 1n, INT64_MAX, "a 64-bit integer");
  }

  uint64(fallback?: bigint): bigint {
    return this.#within(this.integer(fallback), 0n, UINT64_MAX, "an unsigned 64-bit integer");
  }

  #within(value: bigint, least: bigint, greatest: bigint, what: string): bigint {
    if (value < least || value > greatest) throw this.wrong(`must be ${what}, got ${shape(String(value))}`);
    return value;
  }

  /** Bytes as base64. */
  base64(): Uint8Array {
    return this.parse(fromBase64);
  }

  /** Runs a parser on the value and puts the path before its complaint. */
  parse<T>(parser: (text: string) => T): T {
    const text = this.text();
    try {
      return parser(text);
    } catch (cause) {
      throw this.wrong(messageOf(cause));
    }
  }
}

function shape(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
