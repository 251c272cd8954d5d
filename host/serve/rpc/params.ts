/** Parameters of calls, as JSON-RPC has them and as they are in an address. */

import { UpgradeError } from "../../base/errors/errors.js";
import { fromBase64, fromHex, utf8 } from "../../base/text/bytes.js";
import { INT64_MAX } from "../../base/types/limits.js";

/** Parameters by name: what JSON held, or the text of an address. */
export class Params {
  private constructor(
    private readonly values: ReadonlyMap<string, unknown>,
    private readonly isText: boolean,
  ) {}

  /** An object by name, or a list in the method's order. @throws UpgradeError UPG_INVALID_ARGUMENT */
  static ofJson(params: unknown, names: readonly string[]): Params {
    if (params === undefined || params === null) return new Params(new Map(), false);
    if (Array.isArray(params)) {
      if (params.length > names.length) throw wrong(`expected ${names.length} parameters, got ${params.length}`);
      return new Params(new Map(params.map((value, at) => [names[at] as string, value])), false);
    }
    if (typeof params !== "object") throw wrong("params are an object or a list");
    return new Params(new Map(Object.entries(params)), false);
  }

  static ofQuery(query: URLSearchParams): Params {
    return new Params(new Map(query), true);
  }

  text(name: string): string {
    const value = this.#value(name);
    if (value === undefined) return "";
    if (typeof value !== "string") throw wrong(`${name}: expected a string`);
    if (!this.isText) return value;
    const quoted = /^"([\s\S]*)"$/.exec(value)?.[1];
    if (quoted !== undefined) return quoted;
    if (/^'.*'$/.test(value)) return value.slice(1, -1);
    throw wrong(`${name}: expected a string in quotation marks`);
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    if (value === undefined) return false;
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    throw wrong(`${name}: expected true or false`);
  }

  /** Undefined when it is not given. */
  integer(name: string): bigint | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
    const digits = typeof text === "string" ? text.replace(/^"(.*)"$/, "$1") : "";
    if (!/^-?[0-9]{1,19}$/.test(digits)) throw wrong(`${name}: expected a 64-bit integer`);
    const integer = BigInt(digits);
    if (integer > INT64_MAX || integer < -INT64_MAX) throw wrong(`${name}: expected a 64-bit integer`);
    return integer;
  }

  /** Base64 in JSON; in an address `0x` and hex, or the bytes themselves in quotation marks. */
  bytes(name: string): Uint8Array {
    const value = this.#value(name);
    if (value === undefined) return new Uint8Array();
    if (typeof value !== "string") throw wrong(`${name}: expected bytes`);
    if (this.isText) return value.startsWith("0x") ? readHex(name, value.slice(2)) : utf8(this.text(name));
    return decoded(fromBase64, value, `${name}: expected base64`);
  }

  /** Hex in JSON and in an address, there with `0x` before it. */
  hexBytes(name: string): Uint8Array {
    const value = this.#value(name);
    if (value === undefined) return new Uint8Array();
    if (typeof value !== "string") throw wrong(`${name}: expected hex`);
    return readHex(name, value.replace(/^"(.*)"$/, "$1").replace(/^0x/, ""));
  }

  #value(name: string): unknown {
    const value = this.values.get(name);
    return value === null || (this.isText && value === "") ? undefined : value;
  }
}

function readHex(name: string, text: string): Uint8Array {
  return decoded(fromHex, text, `${name}: expected hex`);
}

function decoded(decode: (text: string) => Uint8Array, text: string, what: string): Uint8Array {
  try {
    return decode(text);
  } catch (cause) {
    throw wrong(what, cause);
  }
}

function wrong(what: string, cause?: unknown): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", what, { cause });
}
