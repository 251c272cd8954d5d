/**
 * Keys of accounts: secp256k1, and threshold keys over several members. An account names its key with its first
 * transaction; the address is made from the key, so that it cannot be another one later.
 */
import { create, fromBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { PubKeySchema as Ed25519Schema } from "../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import {
  type LegacyAminoPubKey,
  LegacyAminoPubKeySchema as MultisigSchema,
} from "../../base/gen/cosmos/crypto/multisig/keys_pb.js";
import { PubKeySchema as Secp256k1Schema } from "../../base/gen/cosmos/crypto/secp256k1/keys_pb.js";
import { ADDRESS_BYTES, concatBytes, fromHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { addressOf, type KeyType } from "../comet-types/keys.js";
import { packAny } from "./any.js";
import { SDK, TxError } from "./tx-error.js";

export const SECP256K1_URL = `/${Secp256k1Schema.typeName}`;
export const ED25519_URL = `/${Ed25519Schema.typeName}`;
export const MULTISIG_URL = `/${MultisigSchema.typeName}`;

/** Signatures of a transaction; so a multisig key has no more members, those of its multisig members included. */
export const SIGNATURES_MAX = 7;
/** Multisig keys within multisig keys. */
export const MULTISIG_DEPTH_MAX = 4;
const KEY_BYTES = Object.freeze({ secp256k1: 33, ed25519: 32 });
/** How amino marks the kinds of keys, a length after it. */
const AMINO_PREFIX = Object.freeze({
  secp256k1: fromHex("eb5ae98721"),
  ed25519: fromHex("1624de6420"),
  multisig: fromHex("22c1f7e2"),
});

interface SimpleKey {
  /** ed25519: known to addresses, but not accepted for signatures, as in the Cosmos SDK. */
  readonly type: KeyType;
  readonly bytes: Uint8Array;
}

export interface MultisigKey {
  readonly type: "multisig";
  /** Members that must sign; at least 1, at most all. */
  readonly threshold: number;
  readonly members: readonly SigningKey[];
}

export type SigningKey = SimpleKey | MultisigKey;

const wrong = (what: string) => new TxError(SDK.INVALID_PUBKEY, what);

/** Undefined: of a kind that no account has. @throws TxError sdk 8 when it is not what its type says */
export function readKey({ typeUrl, value }: Pick<Any, "typeUrl" | "value">, depth = 0): SigningKey | undefined {
  if (typeUrl === SECP256K1_URL) return simpleKey("secp256k1", fromBinary(Secp256k1Schema, value).key);
  if (typeUrl === ED25519_URL) return simpleKey("ed25519", fromBinary(Ed25519Schema, value).key);
  return typeUrl === MULTISIG_URL ? readMultisig(fromBinary(MultisigSchema, value), depth) : undefined;
}

/** @throws TxError sdk 8 */
export function simpleKey(type: SimpleKey["type"], bytes: Uint8Array): SimpleKey {
  if (bytes.length !== KEY_BYTES[type]) throw wrong("length of pubkey is incorrect");
  return { type, bytes };
}

/** @throws TxError sdk 8, sdk 14 */
export function readMultisig({ threshold, publicKeys }: LegacyAminoPubKey, depth = 0): MultisigKey {
  if (depth >= MULTISIG_DEPTH_MAX) throw wrong(`multisig keys are nested more than ${MULTISIG_DEPTH_MAX} deep`);
  checkSignatureCount(publicKeys.length);
  const members = publicKeys.map((member) => {
    const key = readKey(member, depth + 1);
    if (!key) throw wrong(`unrecognized public key type: ${member.typeUrl}`);
    return key;
  });
  return multisigKey(threshold, members);
}

/** @throws TxError sdk 8 for a threshold below 1 or above the number of members; sdk 14 for too many members */
export function multisigKey(threshold: number, members: readonly SigningKey[]): MultisigKey {
  if (threshold <= 0) throw wrong("threshold k of n multisignature: k <= 0");
  if (members.length < threshold) throw wrong("threshold k of n multisignature: len(pubKeys) < k");
  const key: MultisigKey = { type: "multisig", threshold, members };
  checkSignatureCount(memberCount(key));
  return key;
}

/** @throws TxError sdk 14 */
export function checkSignatureCount(count: number): void {
  if (count <= SIGNATURES_MAX) return;
  throw new TxError(SDK.TOO_MANY_SIGNATURES, `signatures: ${count}, limit: ${SIGNATURES_MAX}`);
}

/** Signatures that a key can ask for: 1, or those of all its members. */
export function memberCount(key: SigningKey): number {
  return key.type === "multisig" ? key.members.reduce((sum, member) => sum + memberCount(member), 0) : 1;
}

/** The key in amino's binary form: what the address of a multisig key is made from. */
export function aminoKeyBytes(key: SigningKey): Uint8Array {
  if (key.type !== "multisig") return concatBytes(AMINO_PREFIX[key.type], key.bytes);
  const writer = new WireWriter().int(1, key.threshold);
  for (const member of key.members) writer.bytes(2, aminoKeyBytes(member));
  return concatBytes(AMINO_PREFIX.multisig, writer.finish());
}

/** 20 bytes. */
export function keyAddress(sha256: Sha256, key: SigningKey): Uint8Array {
  if (key.type !== "multisig") return addressOf(sha256, key);
  return new Uint8Array(sha256(aminoKeyBytes(key)).subarray(0, ADDRESS_BYTES));
}

/** The key as transactions, queries and genesis hold it. */
export function packKey(key: SigningKey): Any {
  if (key.type === "multisig") return packAny(MultisigSchema, multisigMessage(key));
  return packAny(key.type === "ed25519" ? Ed25519Schema : Secp256k1Schema, { key: key.bytes });
}

/** The key as the record of an account holds it. */
export function multisigMessage({ threshold, members }: MultisigKey): LegacyAminoPubKey {
  return create(MultisigSchema, { threshold, publicKeys: members.map(packKey) });
}
