/**
 * Decodes transactions strictly: canonical outer form, nothing unknown, nothing twice, bounded in size and depth. The
 * bytes that signers saw are kept as they came.
 */

import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import type { Any as AnyMessage } from "@bufbuild/protobuf/wkt";
import { rethrowEngineLimit } from "../../../base/errors/engine-limit.js";
import { messageOf } from "../../../base/errors/errors.js";
import { PubKeySchema as Ed25519PubKeySchema } from "../../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import { LegacyAminoPubKeySchema } from "../../../base/gen/cosmos/crypto/multisig/keys_pb.js";
import { PubKeySchema as Secp256k1PubKeySchema } from "../../../base/gen/cosmos/crypto/secp256k1/keys_pb.js";
import {
  type AuthInfo,
  AuthInfoSchema,
  type TxBody,
  TxBodySchema,
  type TxRaw,
  TxRawSchema,
} from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { TX_BYTES_MAX } from "../../../base/types/limits.js";
import { checkStrictly, type Resolve, UnknownTypeError, withoutBadTexts } from "../../messages/strict.js";
import { BYTES, varintBytes, WireCursor, WireError } from "../../messages/wire-cursor.js";
import type { AddressCodec, Addresses } from "../../values/address.js";
import { SDK, TxError, undefinedError } from "../../values/tx-error.js";
import type { MessageRouter, ReadMessage } from "../context.js";
import { removedMessage } from "./message-kind.js";

export interface DecodedTx {
  /** Bytes of the whole transaction. */
  readonly size: number;
  readonly raw: TxRaw;
  readonly body: TxBody;
  readonly authInfo: AuthInfo;
  readonly messages: readonly ReadMessage[];
  /** Addresses that must sign, in order, each once; a fee payer of its own is the last. */
  readonly signers: readonly Uint8Array[];
  readonly feePayer: Uint8Array | undefined;
}

const KEY_TYPES: ReadonlyMap<string, DescMessage> = new Map(
  [Secp256k1PubKeySchema, Ed25519PubKeySchema, LegacyAminoPubKeySchema].map((desc) => [`/${desc.typeName}`, desc]),
);

/** What of a chain reads its transactions. */
export interface DecodeFacts {
  readonly router: MessageRouter;
  readonly addresses: Addresses;
}

/** @throws TxError sdk 2, sdk 21, or the Cosmos SDK's plain errors where signers cannot be read */
export function decodeTx(bytes: Uint8Array, { router, addresses }: DecodeFacts): DecodedTx {
  if (bytes.length > TX_BYTES_MAX) {
    throw new TxError(SDK.TX_TOO_LARGE, `a transaction has at most ${TX_BYTES_MAX} bytes, got ${bytes.length}`);
  }
  const { raw, body, authInfo } = asDecodeError(() => decodeParts(bytes, router));
  const messages = body.messages.map((any) => asDecodeError(() => readMessage(any, router)));
  const payer = authInfo.fee?.payer ?? "";
  const signers = new Map<string, Uint8Array>();
  for (const each of messages) addSigner(signers, each.signer, each.signerAddresses(addresses));
  const feePayer = payer === "" ? signers.values().next().value : addSigner(signers, payer, addresses);
  return { size: bytes.length, raw, body, authInfo, messages, signers: distinct(signers, addresses), feePayer };
}

function decodeParts(bytes: Uint8Array, router: MessageRouter) {
  checkCanonical(bytes);
  const resolve = resolverOf(router);
  const strict = { resolve, mayHoldNotCritical: false };
  checkStrictly(bytes, TxRawSchema, strict);
  const raw = fromBinary(TxRawSchema, bytes);
  checkBody(raw.bodyBytes, router);
  checkStrictly(raw.authInfoBytes, AuthInfoSchema, strict);
  return {
    raw,
    body: fromBinary(TxBodySchema, raw.bodyBytes),
    authInfo: fromBinary(AuthInfoSchema, raw.authInfoBytes),
  };
}

function checkBody(bytes: Uint8Array, router: MessageRouter): void {
  try {
    checkStrictly(bytes, TxBodySchema, { resolve: resolverOf(router), mayHoldNotCritical: true });
  } catch (error) {
    const removed = error instanceof UnknownTypeError && removedMessage(router, error.typeUrl);
    throw removed ? new WireError(removed) : error;
  }
}

const RESOLVERS = new WeakMap<MessageRouter, Resolve>();

/**
 * Descriptors of all that a transaction may pack: messages, keys, and what the messages of this chain pack besides. A table:
 * reading a transaction calls nothing of the chain.
 */
export function resolverOf(router: MessageRouter): Resolve {
  const known = RESOLVERS.get(router);
  if (known) return known;
  const kinds = [...router.values()];
  const types: ReadonlyMap<string, DescMessage> = new Map([
    ...KEY_TYPES,
    ...kinds.flatMap(({ packs }) => packs.map((desc) => [`/${desc.typeName}`, desc] as const)),
    ...kinds.map(({ typeUrl, schema }) => [typeUrl, schema] as const),
  ]);
  const resolve: Resolve = types.get.bind(types);
  RESOLVERS.set(router, resolve);
  return resolve;
}

function readMessage({ typeUrl, value }: AnyMessage, router: MessageRouter): ReadMessage {
  const kind = router.get(typeUrl);
  if (!kind) throw new WireError(`no concrete type registered for type URL ${typeUrl} against interface *types.Msg`);
  return kind.read(withoutBadTexts(value, kind.schema));
}

/** `signers`: by the texts they were named with. @throws TxError undefined 1 */
function addSigner(signers: Map<string, Uint8Array>, text: string, addresses: AddressCodec): Uint8Array {
  const known = signers.get(text);
  if (known) return known;
  const failure = addresses.failure(text);
  if (failure !== undefined) throw undefinedError(failure);
  const address = addresses.decodeAny(text);
  signers.set(text, address);
  return address;
}

/** An address may be written in small letters and in capitals. */
function distinct(signers: ReadonlyMap<string, Uint8Array>, { encode }: AddressCodec): Uint8Array[] {
  return [...new Map([...signers.values()].map((address) => [encode(address), address])).values()];
}

/** The outer form: fields ascending, each once (signatures apart), tags and lengths as short as they can be. */
function checkCanonical(bytes: Uint8Array): void {
  const cursor = new WireCursor(bytes);
  let last = 0;
  while (!cursor.isAtEnd) {
    const at = cursor.at;
    const { number, type } = asInvalidLength(() => cursor.tag());
    if (type !== BYTES) throw new WireError(`expected ${BYTES} wire type, got ${type}`);
    if (number < last) throw new WireError(`txRaw must follow ADR-027, got tagNum ${number} after tagNum ${last}`);
    if (cursor.at - at !== varintBytes(number * 8 + type))
      throw new WireError(`tag ${number} is not as short as possible`);
    last = number;
    const lengthAt = cursor.at;
    const length = asInvalidLength(() => cursor.varint());
    const [read, needed] = [cursor.at - lengthAt, varintBytes(length)];
    if (read !== needed) {
      const what = `length prefix varint for tagNum ${number} is not as short as possible`;
      throw new WireError(`${what}, read ${read}, only need ${needed}`);
    }
    asInvalidLength(() => cursor.take(length));
  }
}

function asInvalidLength<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    rethrowEngineLimit(cause);
    throw new WireError(`invalid length; ${messageOf(cause)}`);
  }
}

/** The Cosmos SDK wraps a decoder's error twice. Whatever the library may throw is the bytes' fault too. */
function asDecodeError<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof TxError) throw cause;
    rethrowEngineLimit(cause);
    const what = messageOf(cause);
    throw new TxError(SDK.TX_DECODE, `${what}: ${SDK.TX_DECODE.text}`, { cause });
  }
}
