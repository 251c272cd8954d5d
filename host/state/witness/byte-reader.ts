/** Reads a witness from its first byte to its last. Every number has one form only, so equal contents have equal bytes. */
import { UpgradeError } from "../../base/errors/errors.js";
import { decodeText } from "../../base/text/text.js";

export function malformed(what: string): UpgradeError {
  return new UpgradeError("UPG_WITNESS_MALFORMED", `the witness is malformed: ${what}`);
}

export class ByteReader {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Bytes that are left. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw malformed("it ends too early");
    return byte;
  }

  /** A number up to `max`, which is below 2^53. */
  uvarint(max: number, what: string): number {
    const first = this.byte();
    if (first < 0x80 && first <= max) return first;
    let value = first % 0x80;
    for (let unit = 0x80, byte = first; byte >= 0x80; unit *= 0x80) {
      byte = this.byte();
      value += (byte % 0x80) * unit;
      if (value > max || (byte === 0 && unit > 1)) break;
      if (byte < 0x80) return value;
    }
    throw malformed(`${what} is above ${max} or not in its shortest form`);
  }

  /** Goes over `length` bytes and returns where they begin. */
  skip(length: number): number {
    if (length > this.left) throw malformed("it ends too early");
    const { at } = this;
    this.at += length;
    return at;
  }

  /** A copy. */
  take(length: number): Uint8Array {
    const at = this.skip(length);
    return this.bytes.slice(at, at + length);
  }

  /** UTF-8 of 1 to `max` bytes. */
  text(max: number, what: string): string {
    const length = this.uvarint(max, `the length of ${what}`);
    if (length === 0) throw malformed(`${what} is empty`);
    return decodeText(this.take(length), () => malformed(`${what} is not UTF-8`));
  }
}
