/** Bytes of a module in the making: a buffer that grows, and the integers of the binary format. */

export class CodeWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** A copy of what was written. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  bytes(...list: number[]): this {
    this.#reserve(list.length);
    for (const byte of list) this.#bytes[this.length++] = byte;
    return this;
  }

  /** Bytes `from` to `to` of `source`. */
  copy(source: Uint8Array, from = 0, to = source.length): this {
    this.#reserve(to - from);
    this.#bytes.set(source.subarray(from, to), this.length);
    this.length += to - from;
    return this;
  }

  append(other: CodeWriter): this {
    return this.copy(other.#bytes, 0, other.length);
  }

  /** Unsigned LEB128, shortest form. */
  u32(value: number): this {
    this.#reserve(5);
    for (; value >= 0x80; value >>>= 7) this.#bytes[this.length++] = (value & 0x7f) | 0x80;
    this.#bytes[this.length++] = value;
    return this;
  }

  /** Signed LEB128, shortest form, of a number below 2^53; right for 32 and 64 bits alike. */
  signed(value: number): this {
    this.#reserve(10);
    for (;;) {
      const low = ((value % 128) + 128) % 128;
      value = (value - low) / 128;
      const isDone = low < 64 ? value === 0 : value === -1;
      this.#bytes[this.length++] = isDone ? low : low | 0x80;
      if (isDone) return this;
    }
  }

  string(text: string): this {
    this.u32(text.length);
    for (let i = 0; i < text.length; i++) this.bytes(text.charCodeAt(i));
    return this;
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
  }
}
