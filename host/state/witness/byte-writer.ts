/** Bytes in the making, with numbers as varints. */
import { utf8 } from "../../base/text/bytes.js";
import { putUvarint } from "../commitment/iavl-hash.js";

const BYTES_AT_FIRST = 1_024;
const UVARINT_BYTES_MAX = 10;

export class ByteWriter {
  #bytes = new Uint8Array(BYTES_AT_FIRST);
  #length = 0;

  byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  /** A number below 2^53 in base 128, the lowest digit first. */
  uvarint(value: number): this {
    this.#reserve(UVARINT_BYTES_MAX);
    this.#length = putUvarint(this.#bytes, this.#length, value);
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  text(text: string): this {
    const bytes = utf8(text);
    return this.uvarint(bytes.length).raw(bytes);
  }

  /** What was written, a view. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
