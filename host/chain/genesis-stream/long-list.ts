/** A list in a document, read a part at a time whenever it is walked over. */

import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { type ByteSource, readRange } from "../../base/files/byte-source.js";
import { itemAt } from "../../base/text/checked-index.js";
import { decodeText } from "../../base/text/text.js";
import { JsonReader } from "../values/json-reader.js";
import type { JsonScanner } from "./json-scanner.js";
import { requireNamesOnce } from "./names-once.js";

/** What is read and parsed at once; a larger element is read alone. */
const PART_BYTES = 65_536;
/** One element of a list: an account, a balance. */
const ELEMENT_BYTES_MAX = 16 * 1_048_576;

export class LongList {
  /** Offset in the document at which each part begins, and of the end of the last. */
  readonly #edges: number[] = [];
  /** Members of all objects before each of these offsets. */
  readonly #members: number[] = [];
  #length = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly path: string,
  ) {}

  /** Walks over the array that comes next, which is this list. */
  index(scanner: JsonScanner): void {
    let end = 0;
    scanner.array(() => {
      scanner.peekValue();
      const start = scanner.at;
      if (this.#edges.length === 0 || start - itemAt(this.#edges, -1) >= PART_BYTES) this.#edge(start, scanner);
      scanner.skip();
      end = scanner.at;
      if (end - start > ELEMENT_BYTES_MAX) {
        throw new UpgradeError(
          "UPG_INVALID_GENESIS",
          `${this.path}[${this.#length}]: has more than ${ELEMENT_BYTES_MAX} bytes`,
        );
      }
      this.#length++;
    });
    if (this.#length > 0) this.#edge(end, scanner);
  }

  #edge(at: number, { members }: JsonScanner): void {
    this.#edges.push(at);
    this.#members.push(members);
  }

  get length(): number {
    return this.#length;
  }

  *[Symbol.iterator](): Generator<JsonReader> {
    let index = 0;
    for (let part = 0; part + 1 < this.#edges.length; part++) {
      for (const item of this.#read(part, index)) yield new JsonReader(item, `${this.path}[${index++}]`);
    }
  }

  /** `first`: the index of its first element. */
  #read(part: number, first: number): unknown[] {
    const bytes = readRange(this.source, itemAt(this.#edges, part), itemAt(this.#edges, part + 1));
    const members = itemAt(this.#members, part + 1) - itemAt(this.#members, part);
    const { text, value } = this.#parsed(part, bytes);
    requireNamesOnce({ text, value, members, path: this.path, first });
    return value;
  }

  #parsed(part: number, bytes: Uint8Array): { readonly text: string; readonly value: unknown[] } {
    try {
      // A part ends where the next begins: with the comma between the two, and blanks.
      const items = decodeText(bytes).trimEnd();
      const text = `[${items.endsWith(",") ? items.slice(0, -1) : items}]`;
      return { text, value: JSON.parse(text) as unknown[] };
    } catch (cause) {
      const what = messageOf(cause);
      throw new UpgradeError("UPG_INVALID_GENESIS", `${this.path}: part ${part} cannot be read: ${what}`, { cause });
    }
  }
}
