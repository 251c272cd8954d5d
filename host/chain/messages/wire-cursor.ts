/**
 * Reads protobuf tags and fields one at a time, without making anything of them; its complaints are worded as Go's
 * reader words them, because clients of transactions see them.
 */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
export const FIXED32 = 5;

const WIRE_TYPE_NAMES = ["varint", "fixed64", "bytes", "start_group", "end_group", "fixed32"];
const FIELD_NUMBER_MAX = 2_147_483_647n;
const GROUP_DEPTH_MAX = 32;

export const wireTypeName = (type: number): string => WIRE_TYPE_NAMES[type] ?? `unknown type: ${type}`;

/** Malformed bytes; the decoder makes a transaction's error of it. */
export class WireError extends Error {}

const eof = () => new WireError("unexpected EOF");

export interface Tag {
  readonly number: number;
  readonly type: number;
}

export class WireCursor {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** @throws WireError */
  varint(): bigint {
    const first = this.bytes[this.at];
    if (first !== undefined && first < 0x80) {
      this.at++;
      return BigInt(first);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw eof();
      if (shift === 63n && byte > 1) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireError("proto: variable length integer overflow");
  }

  /** @throws WireError */
  tag(): Tag {
    const value = this.varint();
    const number = value >> 3n;
    if (number < 1n || number > FIELD_NUMBER_MAX) throw new WireError("proto: invalid field number");
    return { number: Number(number), type: Number(value & 7n) };
  }

  /** The next bytes, a view. @throws WireError */
  take(length: bigint): Uint8Array {
    if (length > BigInt(this.bytes.length - this.at)) throw eof();
    const part = this.bytes.subarray(this.at, this.at + Number(length));
    this.at += part.length;
    return part;
  }

  /** A field's value after its tag: the content of length-delimited ones, else undefined. @throws WireError */
  value({ number, type }: Tag, depth = 0): Uint8Array | undefined {
    switch (type) {
      case VARINT:
        this.varint();
        return undefined;
      case FIXED64:
        this.take(8n);
        return undefined;
      case BYTES:
        return this.take(this.varint());
      case FIXED32:
        this.take(4n);
        return undefined;
      case START_GROUP:
        this.#group(number, depth);
        return undefined;
      case END_GROUP:
        throw new WireError("proto: mismatching end group marker");
      default:
        throw new WireError("proto: cannot parse reserved wire type");
    }
  }

  #group(number: number, depth: number): void {
    if (depth >= GROUP_DEPTH_MAX) throw new WireError("proto: exceeded maximum recursion depth");
    for (;;) {
      const tag = this.tag();
      if (tag.type === END_GROUP) {
        if (tag.number === number) return;
        throw new WireError("proto: mismatching end group marker");
      }
      this.value(tag, depth + 1);
    }
  }
}

/** Bytes of the shortest varint for a number. */
export function varintBytes(value: bigint | number): number {
  let length = 1;
  for (let rest = BigInt(value) >> 7n; rest > 0n; rest >>= 7n) length++;
  return length;
}
