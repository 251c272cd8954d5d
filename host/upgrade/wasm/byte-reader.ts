/** Reads the primitives of the WebAssembly binary format: bytes, LEB128 integers of a fixed width, names. */
import { decodeText } from "../../base/text/text.js";
import { type FindingCode, malformed, Refusal } from "./findings.js";
import { WASM_NAME_BYTES_MAX } from "./limits.js";

export class ByteReader {
  /** Reads `bytes` from `at` up to `end`; offsets in messages are those of `bytes`. */
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
    readonly end = bytes.length,
  ) {}

  get isDone(): boolean {
    return this.at >= this.end;
  }

  byte(what: string): number {
    if (this.at >= this.end) throw malformed(this.at, `cut short: ${what} is missing`);
    return this.bytes[this.at++] as number;
  }

  skip(length: number, what: string): void {
    if (length > this.end - this.at) throw malformed(this.at, `cut short: ${what} needs ${length} bytes`);
    this.at += length;
  }

  /** Unsigned LEB128 of at most five bytes that fits in 32 bits. */
  u32(what: string): number {
    return Number(this.#unsigned(32, what));
  }

  /** Unsigned LEB128 of 64 bits; exact up to 2^53, which is enough to compare with a limit. */
  u64(what: string): number {
    return this.#unsigned(64, what);
  }

  s32(what: string): number {
    return this.#signed(32, what);
  }

  /** The type of a block: negative for a value type, else the index of a function type. */
  s33(what: string): number {
    return this.#signed(33, what);
  }

  /** Checks the form of a 64-bit constant; nobody here needs its value. */
  skipS64(what: string): void {
    this.#signed(64, what);
  }

  /** A length, and that many bytes of strict UTF-8, at most {@link WASM_NAME_BYTES_MAX}. */
  name(what: string): string {
    const length = this.u32(`length of ${what}`);
    const start = this.at;
    this.skip(length, what);
    if (length > WASM_NAME_BYTES_MAX) {
      const problem = `has ${length} bytes, at most ${WASM_NAME_BYTES_MAX} are allowed`;
      throw new Refusal("UPG_HANDLER_LIMIT", start, `${what} ${problem}`);
    }
    return decodeText(this.bytes.subarray(start, this.at), () => malformed(start, `${what} is not UTF-8`));
  }

  /** The length of a list. @throws Refusal `code` above `max`, before anything is read or allocated */
  count(what: string, max: number, code: FindingCode = "UPG_HANDLER_LIMIT"): number {
    const at = this.at;
    const count = this.u32(`number of ${what}`);
    if (count > max) throw new Refusal(code, at, `${count} ${what}, at most ${max} are allowed`);
    return count;
  }

  #unsigned(bits: number, what: string): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte(what);
      const room = bits - shift;
      if (room < 7 && byte >= 1 << room) throw malformed(start, `${what} is not an unsigned ${bits}-bit LEB128`);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** Exact up to 53 bits. */
  #signed(bits: number, what: string): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte(what);
      const room = bits - shift;
      // In the last byte that may be here, the bits past the width must repeat the sign.
      if (room < 7) {
        const signBits = (0x7f << (room - 1)) & 0x7f;
        const top = byte & signBits;
        if (byte >= 0x80 || (top !== 0 && top !== signBits)) {
          throw malformed(start, `${what} is not a signed ${bits}-bit LEB128`);
        }
      }
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return byte & 0x40 ? value - 2 ** (shift + 7) : value;
    }
  }
}
