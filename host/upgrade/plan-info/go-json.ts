/**
 * JSON as Go's encoding/json reads it: repeated keys are kept in order, and nesting is bounded. `JSON.parse` drops repeated
 * keys, has no bound and words its errors by engine.
 *
 * Numbers and the elements of arrays are checked but not kept: nothing in a plan's info needs them.
 */
import { UpgradeError } from "../../base/errors/errors.js";

export interface JsonMember {
  readonly key: string;
  readonly value: JsonValue;
}

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
 * @throws UpgradeError UPG_INVALID_PLAN_INFO with the place and what was expected there
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
    return this.fail("expected a value");
  }

  private push(value: JsonValue): void {
    if (this.open.length === DEPTH_MAX) this.fail(`more than ${DEPTH_MAX} objects and arrays in one another`);
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
      this.fail(`expected "," or "${isObject ? "}" : "]"}"`);
    }
    this.at++;
    return false;
  }

  private key(): void {
    if (this.structural() !== '"') this.fail("expected a key in double quotes");
    const key = this.string();
    if (this.structural() !== ":") this.fail('expected ":"');
    this.at++;
    const parent = this.open.at(-1);
    if (parent !== undefined) parent.key = key;
  }

  private end(value: JsonValue): JsonValue {
    if (this.structural() !== "") this.fail("expected nothing more");
    return value;
  }

  /** The string that begins here, quotes and escapes resolved. */
  private string(): string {
    this.at++;
    let out = "";
    let from = this.at;
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined) return this.fail("expected a closing quote");
      if (character === '"') break;
      if (character < " ") this.fail("a string must not have control characters");
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
        if (!/[0-9a-fA-F]/.test(this.character())) this.fail("expected four hexadecimal digits after \\u");
        this.at++;
      }
      return String.fromCharCode(Number.parseInt(this.text.slice(from, this.at), 16));
    }
    const resolved = ESCAPES[character];
    if (resolved === undefined) return this.fail("a string has no such escape");
    this.at++;
    return resolved;
  }

  private literal(word: "true" | "false" | "null"): JsonValue {
    for (const expected of word) {
      if (this.character() !== expected) this.fail(`expected ${word}`);
      this.at++;
    }
    return { kind: word === "null" ? "null" : "bool" };
  }

  private number(): JsonValue {
    if (this.character() === "-") this.at++;
    if (this.character() === "0") this.at++;
    else this.digits();
    if (this.character() === ".") {
      this.at++;
      this.digits();
    }
    if (/[eE]/.test(this.character())) {
      this.at++;
      if (/[+-]/.test(this.character())) this.at++;
      this.digits();
    }
    return { kind: "number" };
  }

  /** At least one digit. */
  private digits(): void {
    if (!isDigit(this.character())) this.fail("expected a digit");
    while (isDigit(this.character())) this.at++;
  }

  /** The next character; empty at the end of the text. */
  private character(): string {
    return this.text[this.at] ?? "";
  }

  /** The next character that is not white space; empty at the end of the text. */
  private structural(): string {
    for (;;) {
      const character = this.character();
      if (character !== " " && character !== "\t" && character !== "\r" && character !== "\n") return character;
      this.at++;
    }
  }

  private fail(what: string): never {
    const place = this.at < this.text.length ? `at character ${this.at + 1}` : "at its end";
    throw new UpgradeError("UPG_INVALID_PLAN_INFO", `not valid JSON: ${place}: ${what}`);
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}
