/** A JSON value that knows its path, so that its reader can say what is wrong where. */
import { assert } from "../../../host/base/errors/errors.js";
import { UINT64_MAX } from "../../../host/base/types/limits.js";
import { fieldPath, type JsonRefusal, type JsonValue } from "./strict-json.js";

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "an integer";
  if (typeof value === "string") return "a string";
  if (typeof value === "boolean") return "a boolean";
  return Array.isArray(value) ? "a list" : "an object";
}

export class JsonField {
  constructor(
    readonly path: string,
    private readonly value: JsonValue,
    private readonly refuse: JsonRefusal,
  ) {}

  /** An object that has all of `required`, perhaps some of `optional`, and nothing else. */
  object(required: readonly string[], optional: readonly string[] = []): JsonObject {
    const fields = new Map(this.entries());
    for (const name of required) if (!fields.has(name)) throw this.refuse(fieldPath(this.path, name), "is missing");
    for (const [name, field] of fields) {
      if (!required.includes(name) && !optional.includes(name)) throw field.wrong("is not a known field");
    }
    return new JsonObject(fields);
  }

  /** The fields of an object whose names are data, in the order of the text. */
  entries(): [string, JsonField][] {
    if (!(this.value instanceof Map)) throw this.#expected("an object");
    return [...(this.value as ReadonlyMap<string, JsonValue>)].map(([name, value]) => {
      return [name, new JsonField(fieldPath(this.path, name), value, this.refuse)];
    });
  }

  items(max = Number.POSITIVE_INFINITY): JsonField[] {
    if (!Array.isArray(this.value)) throw this.#expected("a list");
    const items = this.value as readonly JsonValue[];
    if (items.length > max) throw this.wrong(`has ${items.length} items, at most ${max} are allowed`);
    return items.map((value, index) => new JsonField(`${this.path}[${index}]`, value, this.refuse));
  }

  text(): string {
    if (typeof this.value !== "string") throw this.#expected("a string");
    return this.value;
  }

  /** A decimal string without sign or leading zeros, at most `max`. */
  decimal(max: bigint): bigint {
    const text = this.text();
    if (!/^(0|[1-9][0-9]{0,19})$/.test(text)) throw this.wrong("must be a decimal number as a string");
    return this.#atMost(BigInt(text), max);
  }

  boolean(): boolean {
    if (typeof this.value !== "boolean") throw this.wrong("must be true or false");
    return this.value;
  }

  /** An unsigned 64-bit integer. */
  integer(): bigint {
    if (typeof this.value !== "bigint") throw this.#expected("an integer");
    if (this.value < 0n) throw this.wrong("must not be negative");
    return this.#atMost(this.value, UINT64_MAX);
  }

  /** The same, also as a decimal string, for writers whose JSON numbers end at 2^53. */
  u64(): bigint {
    return typeof this.value === "string" ? this.decimal(UINT64_MAX) : this.integer();
  }

  wrong(what: string): Error {
    return this.refuse(this.path, what);
  }

  #atMost(value: bigint, max: bigint): bigint {
    if (value > max) throw this.wrong(`is ${value}, at most ${max} is allowed`);
    return value;
  }

  #expected(kind: string): Error {
    return this.wrong(`must be ${kind}, not ${kindOf(this.value)}`);
  }
}

/** The fields of an object that has been checked for missing and unknown ones. */
export class JsonObject {
  constructor(private readonly fields: ReadonlyMap<string, JsonField>) {}

  required(name: string): JsonField {
    const field = this.fields.get(name);
    assert(field, `field ${name} was not checked`);
    return field;
  }

  optional(name: string): JsonField | undefined {
    return this.fields.get(name);
  }
}
