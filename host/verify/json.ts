/** Reads JSON of a server or a file: every member strictly, within bounds that hold before anything is made of it. */

import { isUpgradeError, messageOf, UpgradeError } from "../base/errors/errors.js";
import { fromBase64, fromHex } from "../base/text/bytes.js";
import { hasOwn } from "../base/text/checked-index.js";
import { decodeText } from "../base/text/text.js";
import { parseTime } from "../base/time/time.js";
import { INT64_MAX, UINT64_MAX } from "../base/types/limits.js";
import type { Timestamp } from "../base/types/types.js";

/** Bytes of a document, or characters of all texts that are read of one. */
export const EVIDENCE_BYTES_MAX = 16 * 1_024 * 1_024;
const DEPTH_MAX = 130;
/** Lists and objects of a document: each takes far more memory than its two characters. */
const NODES_MAX = 500_000;
const UINT32_MAX = 4_294_967_295n;

/** @throws UpgradeError UPG_PROOF_MALFORMED */
export function malformed(what: string, cause?: unknown): UpgradeError {
  return new UpgradeError("UPG_PROOF_MALFORMED", what, { cause });
}

/** What rules of other rooms refuse is, in a proof, a malformed proof. */
export function asProof<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isUpgradeError(cause) || cause.code.startsWith("UPG_PROOF_")) throw cause;
    throw malformed(messageOf(cause), cause);
  }
}

/** A document that is a text still. @throws UpgradeError UPG_PROOF_MALFORMED when it is too large, too deep, or no JSON. */
export function parseJson(document: string | Uint8Array): unknown {
  if (document.length > EVIDENCE_BYTES_MAX) throw malformed(`a document of more than ${EVIDENCE_BYTES_MAX} bytes`);
  try {
    const text = typeof document === "string" ? document : decodeText(document);
    checkNesting(text);
    return JSON.parse(text);
  } catch (cause) {
    if (isUpgradeError(cause)) throw cause;
    // The engine's own message repeats bytes of the document.
    throw malformed("the document is not JSON", cause);
  }
}

function checkNesting(text: string): void {
  let [depth, nodes] = [0, 0];
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isText) {
      if (unit === BACKSLASH) at++;
      else if (unit === QUOTE) isText = false;
    } else if (unit === QUOTE) isText = true;
    else if (unit === BRACKET || unit === BRACE) {
      if (++depth > DEPTH_MAX) throw malformed(`JSON is nested deeper than ${DEPTH_MAX}`);
      if (++nodes > NODES_MAX) throw malformed(`JSON has more than ${NODES_MAX} lists and objects`);
    } else if (unit === BRACKET + 2 || unit === BRACE + 2) depth--;
  }
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b] as const;

/** Characters that a document may still give; shared by all views of it. */
interface Allowance {
  left: number;
}

/** A value at a path of the document. */
export class JsonView {
  constructor(
    readonly value: unknown,
    readonly path: string,
    private readonly allowance: Allowance = { left: EVIDENCE_BYTES_MAX },
  ) {}

  wrong(what: string): UpgradeError {
    return malformed(`${this.path}: ${what}`);
  }

  /** Go writes null for what is empty. */
  get isSet(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  get(name: string): JsonView {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong("expected an object");
    const member = hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    return new JsonView(member, `${this.path}.${name}`, this.allowance);
  }

  /** Elements of a list; null is an empty one. */
  items(countMax: number): JsonView[] {
    if (!this.isSet) return [];
    if (!Array.isArray(this.value)) throw this.wrong("expected a list");
    if (this.value.length > countMax) throw this.wrong(`more than ${countMax} elements`);
    this.#spend(this.value.length);
    const { value, path, allowance } = this;
    // By index: an array that no JSON made may have holes, which `map` passes over.
    return Array.from({ length: value.length }, (_, at) => new JsonView(value[at], `${path}[${at}]`, allowance));
  }

  text(): string {
    if (typeof this.value !== "string") throw this.wrong("expected a text");
    this.#spend(this.value.length);
    return this.value;
  }

  /** A decimal text, or a number where CometBFT writes one. */
  #integer(least: bigint, greatest: bigint): bigint {
    const { value } = this;
    const isInteger = typeof value === "number" && Number.isSafeInteger(value);
    const text = isInteger ? String(value) : this.text();
    if (!/^(0|-?[1-9][0-9]{0,19})$/.test(text)) throw this.wrong("expected an integer");
    const integer = BigInt(text);
    if (integer < least || integer > greatest) throw this.wrong("an integer out of range");
    return integer;
  }

  int64(): bigint {
    return this.#integer(-INT64_MAX - 1n, INT64_MAX);
  }

  uint64(): bigint {
    return this.#integer(0n, UINT64_MAX);
  }

  /** int32 that is not negative, or uint32. */
  uint32(): number {
    return Number(this.#integer(0n, UINT32_MAX));
  }

  hex(): Uint8Array {
    return this.#parsed(fromHex, "expected hex");
  }

  base64(): Uint8Array {
    return this.#parsed(fromBase64, "expected base64");
  }

  time(): Timestamp {
    return this.#parsed(parseTime, "expected a time of RFC 3339");
  }

  #parsed<T>(parse: (text: string) => T, what: string): T {
    const text = this.text();
    try {
      return parse(text);
    } catch {
      throw this.wrong(what);
    }
  }

  #spend(characters: number): void {
    this.allowance.left -= characters;
    if (this.allowance.left < 0) throw this.wrong(`more than ${EVIDENCE_BYTES_MAX} characters in all`);
  }
}

/** Of a saved page: a witness of two million entries is in it, when the upgrade was run there. */
export const SAVED_PAGE_BYTES_MAX = 256 * 1_024 * 1_024;

/** Ids of the elements of a saved page. */
export type SavedPart = "saved" | "saved-run";

/**
 * The JSON text of evidence. Nothing else of a page is read, and no script of it runs.
 *
 * @param text of the whole file
 * @param refuse makes the error of the caller
 * @throws what `refuse` makes, when the file has no evidence
 */
export function evidenceText(text: string, refuse: (why: string) => Error): string {
  if (!text.trimStart().startsWith("<")) return text;
  const evidence = savedPart(text, "saved");
  if (evidence !== undefined && evidence !== "null") return evidence;
  throw refuse(
    evidence === undefined
      ? "the file is HTML, and not a saved page of an upgrade"
      : "the page was saved without evidence: use its own button, Save as one file",
  );
}

/** The text of an element that holds JSON; a `<` in it is escaped. Undefined: there is no such element. */
export function savedPart(page: string, part: SavedPart): string | undefined {
  const opening = `<script type="application/json" id="${part}">`;
  const at = page.lastIndexOf(opening);
  if (at < 0) return undefined;
  const begin = at + opening.length;
  const end = page.indexOf("<", begin);
  // A page that was cut has no end; what is left is no JSON then.
  return page.slice(begin, end < 0 ? undefined : end);
}
