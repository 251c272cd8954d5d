/**
 * Strict reading of one protobuf message: fields it does not have, wrong wire types, a single field given twice and
 * numbers out of range are refused. Left-out fields read as their default, in any order. Byte strings are views of
 * the input.
 */

import { UpgradeError } from "../errors/errors.js";
import { EMPTY, HASH_BYTES } from "../text/bytes.js";
import { decodeText } from "../text/text.js";
import { BYTES, readWire, VARINT, type WireField } from "./wire.js";

/** What a message's fields are on the wire, field 1 first; `list` is a repeated length-delimited field. */
export type FieldKinds = readonly ("varint" | "bytes" | "list")[];

const NONE: readonly Uint8Array[] = Object.freeze([]);

export function invalid(what: string, cause?: unknown): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", what, { cause });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT with `what` when the rule does not hold. */
export function rule(holds: boolean, what: string): void {
  if (!holds) throw invalid(what);
}

export class Fields {
  readonly #single: (WireField | undefined)[] = [];
  readonly #lists: (Uint8Array[] | undefined)[] = [];

  /** `message` names the message in errors. @throws UpgradeError UPG_INVALID_ARGUMENT */
  constructor(
    bytes: Uint8Array,
    private readonly message: string,
    kinds: FieldKinds,
  ) {
    for (const field of readWire(bytes)) {
      const kind = kinds[field.field - 1];
      if (!kind) throw this.#invalid(field.field, "unknown");
      const isKind = field.type === (kind === "varint" ? VARINT : BYTES);
      if (!isKind) throw this.#invalid(field.field, "of the wrong wire type");
      if (kind === "list") this.#append(field);
      else if (this.#single[field.field]) throw this.#invalid(field.field, "given twice");
      else this.#single[field.field] = field;
    }
  }

  has(field: number): boolean {
    return this.#single[field] !== undefined;
  }

  uint64(field: number): bigint {
    return this.#single[field]?.value ?? 0n;
  }

  int64(field: number): bigint {
    return BigInt.asIntN(64, this.uint64(field));
  }

  uint32(field: number): number {
    const value = this.uint64(field);
    if (value > 0xffff_ffffn) throw this.#invalid(field, "out of range (uint32)");
    return Number(value);
  }

  int32(field: number): number {
    const value = this.int64(field);
    if (BigInt.asIntN(32, value) !== value) throw this.#invalid(field, "out of range (int32)");
    return Number(value);
  }

  bytes(field: number): Uint8Array {
    return this.#single[field]?.bytes ?? EMPTY;
  }

  /** A hash: nothing or 32 bytes. */
  hash(field: number): Uint8Array {
    const bytes = this.bytes(field);
    if (bytes.length !== 0 && bytes.length !== HASH_BYTES) throw this.#invalid(field, "not a hash of 32 bytes");
    return bytes;
  }

  text(field: number): string {
    return decodeText(this.bytes(field), () => this.#invalid(field, "not UTF-8"));
  }

  /** A sub-message that must be there. */
  required(field: number): Uint8Array {
    if (!this.has(field)) throw this.#invalid(field, "missing");
    return this.bytes(field);
  }

  list(field: number): readonly Uint8Array[] {
    return this.#lists[field] ?? NONE;
  }

  #append({ field, bytes }: WireField): void {
    const list = this.#lists[field];
    if (list) list.push(bytes);
    else this.#lists[field] = [bytes];
  }

  #invalid(field: number, what: string): UpgradeError {
    return invalid(`malformed ${this.message}: field ${field} is ${what}`);
  }
}
