/**
 * JSON as Go's encoding/json reads it: repeated keys are kept in order, nesting is bounded, and a syntax error has Go's
 * text. `JSON.parse` drops repeated keys, has no bound and words its errors by engine.
 *
 * Numbers and the elements of arrays are checked but not kept: nothing in a plan's info needs them.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import { goQuoteCharacter } from "./go-quote.js";

export interface JsonMember {
  readonly key: string;
  readonly value: JsonValue;
}

/** Kinds carry the names that Go's type errors use. */
export type JsonValue =
  | { readonly kind: "null" | "bool" | "number" | "array" }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "object"; readonly members: JsonMember[] };

/** Go's bound on nesting. */
const DEPTH_MAX = 10_000;

const LITERALS = { t: "true", f: "false", n: "null" } as const;
const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "\\": "\\",
  "/": "/",
  '"': '"',
};

/**
 * Reads one JSON value with nothing but white space around it. An unpaired surrogate in a string becomes U+FFFD.
 *
 * @throws UpgradeError UPG_INVALID_PLAN_INFO with Go's text
 */
export function parseGoJson(text: string): JsonValue {
  return new Reader(text).document();
}

/** A container whose end has not been read; `key` is that of the member being read. */
interface Open {
  readonly value: JsonValue;
  key: string;
}

class Reader {
  private at = 0;
  private readonly open: Open[] = [];

  constructor(private readonly text: string) {}

  /** A loop over an explicit stack: 10,000 levels would overflow a recursive reader. */
  document(): JsonValue {
    for (;;) {
      let value = this.begin();
      if (value.kind === "object" || value.kind === "array") {
        this.push(value);
        if (!this.closesAtOnce(value)) continue;
        this.open.pop();
      }
      for (;;) {
        const parent = this.open.at(-1);
        if (parent === undefined) return this.end(value);
        if (parent.value.kind === "object") parent.value.members.push({ key: parent.key, value });
        if (this.continues(parent)) break;
        value = parent.value;
        this.open.pop();
      }
    }
  }

  /** A scalar, or a container of which only the opening bracket has been read. */
  private begin(): JsonValue {
    const character = this.structural();
    if (character === "{") return { kind: "object", members: [] };
    if (character === "[") return { kind: "array" };
    if (character === '"') return { kind: "string", text: this.string() };
    if (character === "t" || character === "f" || character === "n") return this.literal(LITERALS[character]);
    if (character === "-" || isDigit(character)) return this.number();
    return this.fail("looking for beginning of value");
  }

  private push(value: JsonValue): void {
    if (this.open.length === DEPTH_MAX) this.fail("exceeded max depth");
    this.at++;
    this.open.push({ value, key: "" });
  }

  /** After an opening bracket: true for an empty container, which is then read; else an object's first key is. */
  private closesAtOnce(value: JsonValue): boolean {
    const closing = value.kind === "object" ? "}" : "]";
    if (this.structural() === closing) {
      this.at++;
      return true;
    }
    if (value.kind === "object") this.key();
    return false;
  }

  /** After an element: true when another follows (an object's key is read too), false at the container's end. */
  private continues({ value }: Open): boolean {
    const isObject = value.kind === "object";
    const character = this.structural();
    if (character === ",") {
      this.at++;
      if (isObject) this.key();
      return true;
    }
    if (character !== (isObject ? "}" : "]")) {
      this.fail(isObject ? "after object key:value pair" : "after array element");
    }
    this.at++;
    return false;
  }

  private key(): void {
    if (this.structural() !== '"') this.fail("looking for beginning of object key string");
    const key = this.string();
    if (this.structural() !== ":") this.fail("after object key");
    this.at++;
    const parent = this.open.at(-1);
    if (parent !== undefined) parent.key = key;
  }

  private end(value: JsonValue): JsonValue {
    this.skipSpace();
    if (this.at < this.text.length) this.fail("after top-level value");
    return value;
  }

  /** The string that begins here, quotes and escapes resolved. */
  private string(): string {
    this.at++;
    let out = "";
    let from = this.at;
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined) throw endOfInput();
      if (character === '"') break;
      if (character < " ") this.fail("in string literal");
      if (character !== "\\") {
        this.at++;
        continue;
      }
      out += this.text.slice(from, this.at);
      this.at++;
      out += this.escape();
      from = this.at;
    }
    out += this.text.slice(from, this.at);
    this.at++;
    return out.toWellFormed();
  }

  private escape(): string {
    const character = this.character();
    if (character === "u") {
      const from = ++this.at;
      while (this.at < from + 4) {
        if (!/[0-9a-fA-F]/.test(this.character())) this.fail("in \\u hexadecimal character escape");
        this.at++;
      }
      return String.fromCharCode(Number.parseInt(this.text.slice(from, this.at), 16));
    }
    const resolved = ESCAPES[character];
    if (resolved === undefined) return this.fail("in string escape code");
    this.at++;
    return resolved;
  }

  private literal(word: "true" | "false" | "null"): JsonValue {
    for (const expected of word) {
      if (this.character() !== expected) this.fail(`in literal ${word} (expecting '${expected}')`);
      this.at++;
    }
    return { kind: word === "null" ? "null" : "bool" };
  }

  private number(): JsonValue {
    if (this.character() === "-") this.at++;
    if (this.character() === "0") this.at++;
    else this.digits("in numeric literal");
    if (this.character() === ".") {
      this.at++;
      this.digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.character())) {
      this.at++;
      if (/[+-]/.test(this.character())) this.at++;
      this.digits("in exponent of numeric literal");
    }
    return { kind: "number" };
  }

  /** At least one digit. */
  private digits(context: string): void {
    if (!isDigit(this.character())) this.fail(context);
    while (isDigit(this.character())) this.at++;
  }

  /** Go closes its scanner with a space, so inside a token the end reads as one. */
  private character(): string {
    return this.text[this.at] ?? " ";
  }

  /** The next character that is not white space; between tokens the end is an error. */
  private structural(): string {
    this.skipSpace();
    const character = this.text[this.at];
    if (character === undefined) throw endOfInput();
    return character;
  }

  private skipSpace(): void {
    for (;;) {
      const character = this.text[this.at];
      if (character !== " " && character !== "\t" && character !== "\r" && character !== "\n") return;
      this.at++;
    }
  }

  private fail(context: string): never {
    throw syntaxError(`invalid character ${goQuoteCharacter(firstByte(this.text, this.at))} ${context}`);
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

/** Go reads bytes, so it names the first byte of a character's UTF-8, shown as if it were Latin-1. */
function firstByte(text: string, at: number): string {
  const code = text.codePointAt(at);
  if (code === undefined) return " ";
  if (code < 0x80) return String.fromCharCode(code);
  return String.fromCharCode(
    code < 0x800 ? 0xc0 | (code >> 6) : code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18),
  );
}

function endOfInput(): UpgradeError {
  return syntaxError("unexpected end of JSON input");
}

function syntaxError(text: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", text);
}
