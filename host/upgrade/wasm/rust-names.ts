/**
 * Readable names of Rust functions: `core::result::unwrap_failed` instead of `_RNvNtCs…`. Both manglings that rustc has: v0
 * (`_R`) and legacy (`_ZN`). Generic arguments, hashes and disambiguators are left out.
 */
import { lastOf } from "../../base/text/checked-index.js";

const DEPTH_MAX = 64;
/** Names are the file's: an unreadable one stays as it is, and so does one that a few bytes would make very long. */
const RESULT_CHARACTERS_MAX = 400;

/** The name of a Rust function as it is in the source, or the given name when it is none of Rust's. */
export function rustName(name: string): string {
  try {
    if (name.startsWith("_R")) return new V0Name(name.slice(2)).read();
    if (name.startsWith("_ZN")) return legacyName(name);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  return name;
}

class Unreadable extends Error {}

/** `_ZN`, names with their lengths, the last of them a hash, `E`. */
function legacyName(name: string): string {
  const parts: string[] = [];
  let rest = name.slice(3);
  while (!rest.startsWith("E")) {
    const [digits = ""] = /^\d+/.exec(rest) ?? [];
    const end = digits.length + Number(digits);
    if (digits === "" || end > rest.length) throw new Unreadable();
    parts.push(rest.slice(digits.length, end));
    rest = rest.slice(end);
  }
  if (/^h[0-9a-f]{16}$/.test(lastOf(parts) ?? "")) parts.pop();
  return parts.map(unescapedLegacy).join("::");
}

const LEGACY_ESCAPES: Readonly<Record<string, string>> = {
  ...{ SP: "@", BP: "*", RF: "&", LT: "<", GT: ">", LP: "(", RP: ")", C: "," },
};

function unescapedLegacy(part: string): string {
  return part
    .replace(/^_\$/, "$")
    .replaceAll("..", "::")
    .replaceAll(/\$([A-Z]+|u[0-9a-f]{1,4})\$/g, (all, code: string) => {
      if (code.startsWith("u")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return LEGACY_ESCAPES[code] ?? all;
    });
}

const BASIC_TYPES: Readonly<Record<string, string>> = {
  ...{ a: "i8", b: "bool", c: "char", d: "f64", e: "str", f: "f32", h: "u8", i: "isize", j: "usize", l: "i32" },
  ...{ m: "u32", n: "i128", o: "u128", p: "_", s: "i16", t: "u16", u: "()", v: "...", x: "i64", y: "u64", z: "!" },
};

/** The v0 mangling of RFC 2603, without the `_R`. */
class V0Name {
  #at = 0;
  #depth = 0;

  constructor(private readonly text: string) {}

  read(): string {
    if (/^\d/.test(this.text)) throw new Unreadable();
    return this.#path();
  }

  #path(): string {
    return this.#nested(() => {
      switch (this.#take()) {
        case "C":
          return this.#identifier();
        case "N":
          return this.#inNamespace(this.#take());
        case "M":
          this.#implPath();
          return `<${this.#type()}>`;
        case "X":
          this.#implPath();
          return `<${this.#type()} as ${this.#path()}>`;
        case "Y":
          return `<${this.#type()} as ${this.#path()}>`;
        case "I": {
          const path = this.#path();
          this.#until("E", () => this.#genericArgument());
          return path;
        }
        case "B":
          return this.#again(() => this.#path());
        default:
          throw new Unreadable();
      }
    });
  }

  #inNamespace(namespace: string): string {
    const path = this.#path();
    const name = this.#identifier();
    if (!/[A-Z]/.test(namespace)) return name === "" ? path : `${path}::${name}`;
    const kind = namespace === "C" ? "closure" : namespace === "S" ? "shim" : namespace;
    return `${path}::{${name === "" ? kind : `${kind}:${name}`}}`;
  }

  #implPath(): void {
    this.#disambiguator();
    this.#path();
  }

  #genericArgument(): void {
    if (this.#skip("L")) this.#base62();
    else if (this.#skip("K")) this.#constant();
    else this.#type();
  }

  #type(): string {
    return this.#nested(() => {
      const tag = this.text[this.#at] ?? "";
      const basic = BASIC_TYPES[tag];
      if (!basic && !"ASTRQPOFDB".includes(tag)) return this.#path();
      this.#at++;
      return basic ?? this.#compound(tag);
    });
  }

  #compound(tag: string): string {
    switch (tag) {
      case "A": {
        const type = this.#type();
        this.#constant();
        return `[${type}]`;
      }
      case "S":
        return `[${this.#type()}]`;
      case "T":
        return `(${this.#until("E", () => this.#type()).join(", ")})`;
      case "R":
      case "Q":
        if (this.#skip("L")) this.#base62();
        return `${tag === "R" ? "&" : "&mut "}${this.#type()}`;
      case "P":
      case "O":
        return `${tag === "P" ? "*const " : "*mut "}${this.#type()}`;
      case "F":
        return this.#function();
      case "D":
        return this.#dynamic();
      default:
        return this.#again(() => this.#type());
    }
  }

  #function(): string {
    if (this.#skip("G")) this.#base62();
    this.#skip("U");
    if (this.#skip("K") && !this.#skip("C")) this.#identifier();
    const parameters = this.#until("E", () => this.#type());
    const result = this.#type();
    return `fn(${parameters.join(", ")})${result === "()" ? "" : ` -> ${result}`}`;
  }

  #dynamic(): string {
    if (this.#skip("G")) this.#base62();
    const bounds = this.#until("E", () => {
      const path = this.#path();
      while (this.#skip("p")) {
        this.#identifier();
        this.#type();
      }
      return path;
    });
    if (!this.#skip("L")) throw new Unreadable();
    this.#base62();
    return `dyn ${bounds.join(" + ")}`;
  }

  #constant(): void {
    if (this.#skip("p")) return;
    if (this.#skip("B")) {
      this.#base62();
      return;
    }
    this.#type();
    const [data = ""] = /^n?[0-9a-f]*_/.exec(this.text.slice(this.#at)) ?? [];
    if (data === "") throw new Unreadable();
    this.#at += data.length;
  }

  #identifier(): string {
    this.#disambiguator();
    const isPunycode = this.#skip("u");
    const [all = "", digits = ""] = /^(0|[1-9]\d*)_?/.exec(this.text.slice(this.#at)) ?? [];
    const end = this.#at + all.length + Number(digits);
    if (all === "" || end > this.text.length) throw new Unreadable();
    const name = this.text.slice(this.#at + all.length, end);
    this.#at = end;
    return isPunycode ? `punycode{${name}}` : name;
  }

  #disambiguator(): void {
    if (this.#skip("s")) this.#base62();
  }

  #base62(): number {
    const [all = "", digits = ""] = /^([0-9a-zA-Z]{0,12})_/.exec(this.text.slice(this.#at)) ?? [];
    if (all === "") throw new Unreadable();
    this.#at += all.length;
    const value = (digit: string) => DIGITS.indexOf(digit);
    return digits === "" ? 0 : [...digits].reduce((sum, digit) => sum * 62 + value(digit), 0) + 1;
  }

  /** What was at an earlier place. */
  #again<T>(read: () => T): T {
    const own = this.#at - 1;
    const target = this.#base62();
    const next = this.#at;
    if (target >= own) throw new Unreadable();
    this.#at = target;
    const result = read();
    this.#at = next;
    return result;
  }

  #until<T>(end: string, read: () => T): T[] {
    const all: T[] = [];
    while (!this.#skip(end)) all.push(read());
    return all;
  }

  #nested(read: () => string): string {
    if (++this.#depth > DEPTH_MAX) throw new Unreadable();
    const result = read();
    this.#depth--;
    if (result.length > RESULT_CHARACTERS_MAX) throw new Unreadable();
    return result;
  }

  #take(): string {
    const next = this.text[this.#at++];
    if (next === undefined) throw new Unreadable();
    return next;
  }

  #skip(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
