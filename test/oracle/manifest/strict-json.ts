/**
 * JSON without its loopholes: strict UTF-8, a field occurs once in its object, numbers are integers and keep every
 * digit, nesting is bounded, nothing follows the value. (`JSON.parse` hides a repeated field and rounds above 2^53.)
 */

import { hasOwn } from "../../../host/base/text/checked-index.js";
import { decodeText, isWellFormed } from "../../../host/base/text/text.js";
import { quote } from "../../../host/upgrade/wasm/guest-text.js";

export type JsonValue = null | boolean | string | bigint | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

/** Makes the error to throw: `path` is where in the value, like `$.stores[1].access`. */
export type JsonRefusal = (path: string, what: string) => Error;

/** Digits of the longest integer that anyone needs, 2^64 - 1. */
const INTEGER_DIGITS_MAX = 20;
const PLAIN_FIELD = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

export function fieldPath(path: string, field: string): string {
  return PLAIN_FIELD.test(field) ? `${path}.${field}` : `${path}[${quote(field)}]`;
}

/** @throws what `refuse` makes, for anything that is not exactly one JSON value by the rules above. */
export function parseStrictJson(bytes: Uint8Array, nestingMax: number, refuse: JsonRefusal): JsonValue {
  const text = decodeText(bytes, () => refuse("$", "not UTF-8"));
  return new StrictJsonParser(text, nestingMax, refuse).document();
}

class StrictJsonParser {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly nestingMax: number,
    private readonly refuse: JsonRefusal,
  ) {}

  document(): JsonValue {
    const value = this.#value("$", 0);
    this.#space();
    if (this.#at < this.text.length) throw this.#unexpected("$", "the end");
    return value;
  }

  #value(path: string, depth: number): JsonValue {
    this.#space();
    const first = this.text[this.#at];
    if (first === "{" || first === "[") {
      if (depth === this.nestingMax) throw this.refuse(path, `nested deeper than ${this.nestingMax} levels`);
      this.#at++;
      return first === "{" ? this.#object(path, depth + 1) : this.#array(path, depth + 1);
    }
    if (first === '"') return this.#string(path);
    if (this.#takeWord("null")) return null;
    if (this.#takeWord("true")) return true;
    if (this.#takeWord("false")) return false;
    return this.#integer(path);
  }

  #object(path: string, depth: number): ReadonlyMap<string, JsonValue> {
    const fields = new Map<string, JsonValue>();
    if (this.#take("}")) return fields;
    do {
      this.#space();
      if (this.text[this.#at] !== '"') throw this.#unexpected(path, "a field name");
      const field = this.#string(path);
      const at = fieldPath(path, field);
      if (fields.has(field)) throw this.refuse(at, "this field occurs twice");
      if (!this.#take(":")) throw this.#unexpected(at, '":"');
      fields.set(field, this.#value(at, depth));
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#unexpected(path, '"," or "}"');
    return fields;
  }

  #array(path: string, depth: number): readonly JsonValue[] {
    const items: JsonValue[] = [];
    if (this.#take("]")) return items;
    do items.push(this.#value(`${path}[${items.length}]`, depth));
    while (this.#take(","));
    if (!this.#take("]")) throw this.#unexpected(path, '"," or "]"');
    return items;
  }

  #integer(path: string): bigint {
    const rest = this.text.slice(this.#at, this.#at + 2 * INTEGER_DIGITS_MAX);
    const number = /^-?[0-9]+/.exec(rest)?.[0];
    if (number === undefined) throw this.#unexpected(path, "a value");
    const digits = number.startsWith("-") ? number.slice(1) : number;
    if (digits.length > 1 && digits.startsWith("0")) throw this.refuse(path, "an integer begins with 0");
    if (digits.length > INTEGER_DIGITS_MAX) throw this.refuse(path, `an integer of over ${INTEGER_DIGITS_MAX} digits`);
    if (number === "-0") throw this.refuse(path, "-0 is not an integer");
    this.#at += number.length;
    if (/[.eE]/.test(this.text[this.#at] ?? ""))
      throw this.refuse(path, "an integer is due, not a fraction or exponent");
    return BigInt(number);
  }

  #string(path: string): string {
    let value = "";
    this.#at++;
    for (;;) {
      const character = this.text[this.#at++];
      if (character === undefined) throw this.refuse(path, "a string without its end");
      if (character === '"') break;
      if (character < " ") throw this.refuse(path, "a string holds a raw control character");
      value += character === "\\" ? this.#escape(path) : character;
    }
    if (!isWellFormed(value)) throw this.refuse(path, "a string holds half of a surrogate pair");
    return value;
  }

  #escape(path: string): string {
    const letter = this.text[this.#at++] ?? "";
    if (letter === "u") {
      const digits = this.text.slice(this.#at, this.#at + 4);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.refuse(path, "\\u needs four hex digits");
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (character === undefined) throw this.refuse(path, "unknown escape in a string");
    return character;
  }

  #space(): void {
    while (" \t\n\r".includes(this.text[this.#at] ?? "x")) this.#at++;
  }

  #take(character: string): boolean {
    this.#space();
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #takeWord(word: string): boolean {
    if (!this.text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #unexpected(path: string, due: string): Error {
    const character = this.text.codePointAt(this.#at);
    const found = character === undefined ? "the end" : quote(String.fromCodePoint(character));
    return this.refuse(path, `${due} is due at character ${this.#at}, not ${found}`);
  }
}
