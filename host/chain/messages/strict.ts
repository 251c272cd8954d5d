/**
 * The strict look at a message's bytes before they are decoded: every field is known (in a transaction's body, unknown
 * ones whose number has bit 11 set may pass), has its own wire type and occurs once unless it is repeated; texts are
 * UTF-8; a packed message is of a known type and is looked at in the same way.
 */

import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { rethrowEngineLimit } from "../../base/errors/engine-limit.js";
import { messageOf } from "../../base/errors/errors.js";
import { signer } from "../../base/gen/cosmos/msg/v1/msg_pb.js";
import { decodeLossy, decodeText } from "../../base/text/text.js";
import { addressTextFailure } from "../values/address.js";
import { AMOUNT_MAX } from "../values/coins.js";
import { undefinedError } from "../values/tx-error.js";
import { BYTES, FIXED32, FIXED64, type Tag, VARINT, WireCursor, WireError, wireTypeName } from "./wire-cursor.js";

/** Messages within messages, packed ones included. */
const DEPTH_MAX = 32;
/** Fields with this bit in their number are not critical: who does not know them may pass over them. */
const NOT_CRITICAL = 1 << 10;

const ANY = "google.protobuf.Any";
const COIN = "cosmos.base.v1beta1.Coin";
/** Longer texts are not even read; 2^256 has 78 digits. */
const AMOUNT_DIGITS_MAX = 90;

/** The description of a packed message's type, by its URL. */
export type Resolve = (typeUrl: string) => DescMessage | undefined;

export interface StrictOptions {
  readonly resolve: Resolve;
  readonly mayHoldNotCritical: boolean;
}

/**
 * @throws WireError with the Cosmos SDK's words; TxError where the Cosmos SDK gets further than the decoder
 */
export function checkStrictly(bytes: Uint8Array, desc: DescMessage, options: StrictOptions): void {
  const texts: Error[] = [];
  check(bytes, desc, { ...options, texts }, 0);
  if (texts[0]) throw texts[0];
}

/** A type that is packed, and that nothing resolves. */
export class UnknownTypeError extends WireError {
  constructor(readonly typeUrl: string) {
    super(`unable to resolve type URL ${typeUrl}`);
  }
}

interface Walk extends StrictOptions {
  /** What is wrong with texts; the Cosmos SDK finds it only after the form of the whole was checked. */
  readonly texts: Error[];
}

function check(bytes: Uint8Array, desc: DescMessage, options: Walk, depth: number): void {
  if (depth > DEPTH_MAX) throw new WireError("reject unknown fields: maximum recursion depth exceeded");
  const cursor = new WireCursor(bytes);
  const seen = new Set<number | string>();
  let typeUrl = "";
  let packed: Uint8Array = new Uint8Array(0);
  while (!cursor.isAtEnd) {
    const tag = tagOf(cursor);
    const field = desc.fields.find(({ number }) => number === tag.number);
    if (field) checkWireType(desc, field, tag);
    else checkUnknown(desc, tag, options.mayHoldNotCritical);
    const content = contentOf(cursor, tag);
    if (!field) continue;
    checkOnce(desc, field, seen);
    if (content === undefined) continue;
    if (field.message) check(content, field.message, options, depth + 1);
    else if (field.scalar === ScalarType.STRING) checkText(desc, field, content, options.texts);
    if (desc.typeName !== ANY) continue;
    if (field.number === 1) typeUrl = decodeLossy(content);
    else packed = content;
  }
  if (desc.typeName === ANY) checkPacked(typeUrl, packed, options, depth);
}

function checkPacked(typeUrl: string, bytes: Uint8Array, options: Walk, depth: number): void {
  const desc = options.resolve(typeUrl);
  if (!desc) throw new UnknownTypeError(typeUrl);
  check(bytes, desc, options, depth + 1);
}

function tagOf(cursor: WireCursor): Tag {
  try {
    return cursor.tag();
  } catch (cause) {
    rethrowEngineLimit(cause);
    throw new WireError("invalid length");
  }
}

function contentOf(cursor: WireCursor, tag: Tag): Uint8Array | undefined {
  try {
    return cursor.value(tag);
  } catch (cause) {
    rethrowEngineLimit(cause);
    const what = `could not consume field value for tagNum: ${tag.number}, wireType: "${wireTypeName(tag.type)}"`;
    throw new WireError(`${what}; ${messageOf(cause)}`);
  }
}

function checkUnknown(desc: DescMessage, { number, type }: Tag, mayHoldNotCritical: boolean): void {
  if (mayHoldNotCritical && (number & NOT_CRITICAL) !== 0) return;
  throw new WireError(`errUnknownField "${goTypeName(desc)}": {TagNum: ${number}, WireType:"${wireTypeName(type)}"}`);
}

function checkWireType(desc: DescMessage, field: DescField, { number, type }: Tag): void {
  const expected = wireTypeOf(field);
  if (type === expected || (type === BYTES && field.fieldKind === "list")) return;
  const wire = `GotWireType: "${wireTypeName(type)}" != WantWireType: "${wireTypeName(expected)}"`;
  throw new WireError(`errMismatchedWireType "${goTypeName(desc)}": {TagNum: ${number}, ${wire}}`);
}

/** Of one value; repeated numbers may also be packed together, as bytes. */
function wireTypeOf(field: DescField): number {
  if (field.message) return BYTES;
  if (field.enum) return VARINT;
  switch (field.scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return BYTES;
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
    case ScalarType.DOUBLE:
      return FIXED64;
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
    case ScalarType.FLOAT:
      return FIXED32;
    default:
      return VARINT;
  }
}

/** A singular field occurs at most once, and of the choices of a oneof one at most. */
function checkOnce(desc: DescMessage, field: DescField, seen: Set<number | string>): void {
  if (field.fieldKind === "list" || field.fieldKind === "map") return;
  const key = field.oneof ? field.oneof.name : field.number;
  if (seen.has(key)) throw new WireError(`field ${field.name} of ${desc.typeName} occurs twice`);
  seen.add(key);
}

/** Fields with addresses that need not sign. */
const ADDRESS_FIELD = /^(to_address|granter|tipper)$/;
const FEE = "cosmos.tx.v1beta1.Fee";

/** Is this the address of a signer: by the message's option, or as the payer of a fee? */
function isSigner(desc: DescMessage, { name }: DescField): boolean {
  return getOption(desc, signer).includes(name) || (desc.typeName === FEE && name === "payer");
}

/** An address that is not UTF-8 is no address: it is refused, in the Cosmos SDK's words, where it is decoded. */
function checkText(desc: DescMessage, field: DescField, content: Uint8Array, texts: Error[]): void {
  if (!isUtf8(content)) {
    if (isSigner(desc, field)) {
      const latin = Array.from(content, (byte) => String.fromCharCode(byte)).join("");
      texts.push(undefinedError(addressTextFailure(latin) ?? "invalid address"));
    } else if (!ADDRESS_FIELD.test(field.name)) {
      texts.push(new WireError(`field ${field.name} of ${desc.typeName} is not UTF-8`));
    }
    return;
  }
  if (desc.typeName === COIN && field.name === "amount") checkAmount(decodeText(content), texts);
}

/** Amounts are integers of at most 256 bits; the rules for signs and zeros are the messages' own. */
function checkAmount(text: string, texts: Error[]): void {
  if (text === "") return;
  if (!/^-?[0-9]+$/.test(text)) {
    texts.push(new WireError(`math/big: cannot unmarshal "${text.slice(0, 100)}" into a *big.Int`));
    return;
  }
  const amount = text.length > AMOUNT_DIGITS_MAX ? AMOUNT_MAX + 1n : BigInt(text);
  if (amount > AMOUNT_MAX || amount < -AMOUNT_MAX)
    texts.push(new WireError("integer out of range: more than 256 bits"));
}

/**
 * The same message without the texts that are not UTF-8: after the strict look those are addresses that nobody signs
 * for, and a message without one is refused where it runs, as the Cosmos SDK does.
 */
export function withoutBadTexts(bytes: Uint8Array, desc: DescMessage): Uint8Array {
  const cursor = new WireCursor(bytes);
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  while (!cursor.isAtEnd) {
    const { at } = cursor;
    const tag = cursor.tag();
    const content = cursor.value(tag);
    const field = desc.fields.find(({ number }) => number === tag.number);
    const isText = field?.scalar === ScalarType.STRING && content !== undefined;
    if (isText && !isUtf8(content)) continue;
    kept.set(bytes.subarray(at, cursor.at), length);
    length += cursor.at - at;
  }
  return kept.subarray(0, length);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    decodeText(bytes);
    return true;
  } catch (error) {
    rethrowEngineLimit(error);
    return false;
  }
}

/** Go's name of a message's type, as its texts have it. */
function goTypeName(desc: DescMessage): string {
  const { package: pkg } = desc.file.proto;
  const name = desc.typeName.slice(pkg.length + 1).replaceAll(".", "_");
  const parts = pkg.split(".");
  const last = parts.at(-1) ?? "";
  if (pkg === "cosmos.gov.v1beta1") return `*v1beta1.${name}`;
  if (pkg === "cosmos.gov.v1") return `*v1.${name}`;
  if (pkg === "cosmos.tx.v1beta1") return `*tx.${name}`;
  return pkg.startsWith("cosmos.crypto.") ? `*${last}.${name}` : `*types.${name}`;
}
