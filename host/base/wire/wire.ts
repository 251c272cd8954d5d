/**
 * The protobuf wire format, as far as hashing and proofs need it: where bytes are hashed they must be exact, with
 * fields that other encoders leave out. Messages that are only carried use the generated code in `gen/`.
 */

import { UpgradeError } from "../errors/errors.js";
import { utf8 } from "../text/bytes.js";

export const VARINT = 0;
const FIXED64 = 1;
export const BYTES = 2;

/** Builds a message. Field methods leave out default values, as proto3 does; `message` writes an empty one too. */
export class WireWriter {
  #bytes = new Uint8Array(128);
  #length = 0;

  /** Unsigned varint without a tag. */
  varint(value: bigint | number): this {
    let rest = BigInt.asUintN(64, BigInt(value));
    this.#reserve(10);
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
    return this;
  }

  tag(field: number, type: number): this {
    return this.varint(field * 8 + type);
  }

  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** int32, int64, uint64, bool, enum; negative numbers take ten bytes. */
  int(field: number, value: bigint | number): this {
    return BigInt(value) === 0n ? this : this.tag(field, VARINT).varint(value);
  }

  sfixed64(field: number, value: bigint): this {
    if (value === 0n) return this;
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigInt64(0, value, true);
    return this.tag(field, FIXED64).raw(bytes);
  }

  bytes(field: number, bytes: Uint8Array): this {
    return bytes.length === 0 ? this : this.message(field, bytes);
  }

  string(field: number, text: string): this {
    return this.bytes(field, utf8(text));
  }

  /** A sub-message (or bytes) that is written even when it is empty. */
  message(field: number, bytes: Uint8Array): this {
    return this.tag(field, BYTES).varint(bytes.length).raw(bytes);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

export interface WireField {
  readonly field: number;
  readonly type: number;
  /** Varint and fixed64 fields; 0n otherwise. */
  readonly value: bigint;
  /** Length-delimited fields; a view of the input. */
  readonly bytes: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** The fields of a message in order. @throws UpgradeError `code` when the bytes are malformed. */
export function* readWire(
  bytes: Uint8Array,
  code: "UPG_PROOF_MALFORMED" | "UPG_INVALID_ARGUMENT" | "UPG_STORE_CORRUPT" = "UPG_INVALID_ARGUMENT",
): Generator<WireField, void, undefined> {
  let at = 0;
  const malformed = (what: string) => new UpgradeError(code, `malformed protobuf: ${what} at byte ${at}`);
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || (shift === 63n && byte > 1)) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw malformed("varint");
  };
  const take = (length: bigint): Uint8Array => {
    if (length > BigInt(bytes.length - at)) throw malformed("length");
    const part = bytes.subarray(at, at + Number(length));
    at += part.length;
    return part;
  };
  while (at < bytes.length) {
    const tag = varint();
    const field = Number(tag >> 3n);
    const type = Number(tag & 7n);
    if (field === 0 || tag > 0xffffffffn) throw malformed("tag");
    if (type === VARINT) yield { field, type, value: varint(), bytes: NOTHING };
    else if (type === BYTES) yield { field, type, value: 0n, bytes: take(varint()) };
    else if (type === FIXED64) {
      const part = take(8n);
      yield { field, type, value: new DataView(part.buffer, part.byteOffset, 8).getBigInt64(0, true), bytes: NOTHING };
    } else throw malformed(`wire type ${type}`);
  }
}
