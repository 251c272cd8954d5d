/** Why the core may refuse bytes, written apart from it: a strict reader of the three messages of its interface. */
import { compareBytes, utf8 } from "../../host/base/text/bytes.js";
import { TIME_ZERO } from "./plan-wire.js";

/** Why bytes may be refused. */
export type Reason =
  | "truncated"
  | "longer than needed"
  | "past 64 bits"
  | "no field"
  | "unknown field or wrong type"
  | "time out of range"
  | "not UTF-8"
  | "bad name"
  | "not ascending"
  | "too many";

class Refused extends Error {
  constructor(readonly reason: Reason) {
    super(reason);
  }
}

interface Field {
  readonly number: number;
  readonly type: number;
  readonly value: bigint;
  readonly bytes: Uint8Array;
}

/** Number and wire type of each field that a message may have. */
type Schema = Readonly<Record<number, 0 | 2>>;

function* fieldsOf(bytes: Uint8Array, schema: Schema): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    const digits: bigint[] = [];
    for (let byte = 0x80; byte >= 0x80; ) {
      if (digits.length === 10) throw new Refused("past 64 bits");
      const next = bytes[at++];
      if (next === undefined) throw new Refused("truncated");
      digits.push(BigInt(next & 0x7f));
      byte = next;
    }
    if (digits.length > 1 && digits.at(-1) === 0n) throw new Refused("longer than needed");
    const value = digits.reduceRight((sum, digit) => (sum << 7n) | digit, 0n);
    if (value >= 2n ** 64n) throw new Refused("past 64 bits");
    return value;
  };
  while (at < bytes.length) {
    const tag = varint();
    const [number, type] = [Number(tag >> 3n), Number(tag & 7n)];
    if (number === 0 || number >= 2 ** 29) throw new Refused("no field");
    if (schema[number] !== type) throw new Refused("unknown field or wrong type");
    const value = varint();
    if (type === 0) {
      yield { number, type, value, bytes: new Uint8Array() };
      continue;
    }
    if (value > BigInt(bytes.length - at)) throw new Refused("truncated");
    yield { number, type, value, bytes: bytes.subarray(at, at + Number(value)) };
    at += Number(value);
  }
}

function reasonOf(work: () => void): Reason | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.reason;
    throw error;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function text(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refused("not UTF-8");
  }
}

function checkTime(bytes: Uint8Array): void {
  let [seconds, nanos] = [0n, 0n];
  for (const { number, value } of fieldsOf(bytes, { 1: 0, 2: 0 })) {
    if (number === 1) seconds = BigInt.asIntN(64, value);
    else {
      nanos = value;
      if (nanos > 999_999_999n) throw new Refused("time out of range");
    }
  }
  if (seconds < TIME_ZERO.seconds || seconds > 253_402_300_799n) throw new Refused("time out of range");
}

/** Why `decodePlan` may refuse these bytes; undefined: it may not. */
export function whyNoPlan(bytes: Uint8Array): Reason | undefined {
  return reasonOf(() => {
    const texts = new Map<number, Uint8Array>();
    for (const { number, bytes: part } of fieldsOf(bytes, { 1: 2, 2: 2, 3: 0, 4: 2, 5: 2 })) {
      if (number === 1 || number === 4) texts.set(number, part);
      if (number === 2) checkTime(part);
      if (number === 5) for (const _ of fieldsOf(part, { 1: 2, 2: 2 }));
    }
    for (const part of texts.values()) text(part);
  });
}

/** Why `version_map_set` may refuse these bytes. */
export function whyNoVersionMap(bytes: Uint8Array): Reason | undefined {
  return reasonOf(() => {
    let last: string | undefined;
    let count = 0;
    for (const { bytes: part } of fieldsOf(bytes, { 1: 2 })) {
      let name: Uint8Array = new Uint8Array();
      for (const field of fieldsOf(part, { 1: 2, 2: 0 })) if (field.number === 1) name = field.bytes;
      checkName(name);
      if (++count > 1_024) throw new Refused("too many");
      const next = text(name);
      if (last !== undefined && compareBytes(utf8(last), utf8(next)) >= 0) throw new Refused("not ascending");
      last = next;
    }
  });
}

/** Why `apply` may refuse these bytes as `removes`. */
export function whyNoNames(bytes: Uint8Array): Reason | undefined {
  return reasonOf(() => {
    let last: Uint8Array | undefined;
    let count = 0;
    for (const { bytes: part } of fieldsOf(bytes, { 1: 2 })) {
      checkName(part);
      if (++count > 1_024) throw new Refused("too many");
      if (last && compareBytes(last, part) >= 0) throw new Refused("not ascending");
      last = part;
    }
  });
}

function checkName(bytes: Uint8Array): void {
  if (bytes.length === 0 || bytes.length > 140) throw new Refused("bad name");
  text(bytes);
}
