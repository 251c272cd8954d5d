/**
 * Signatures of accounts: SIGN_MODE_DIRECT with secp256k1, r ‖ s of 64 bytes, low s only. The signed bytes hold the body
 * and auth info as they were received.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { SDK, TxError } from "../../chain/tx-error.js";
import { addressOf, type VerifySignature } from "../../comet/keys.js";
import { PubKeySchema } from "../../gen/cosmos/crypto/secp256k1/keys_pb.js";
import { SignMode, SignModeSchema } from "../../gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { type ModeInfo, SignDocSchema, type SignerInfo, type TxRaw } from "../../gen/cosmos/tx/v1beta1/tx_pb.js";
import type { Sha256 } from "../../types.js";

export const PUBLIC_KEY_BYTES = 33;
const SECP256K1_URL = `/${PubKeySchema.typeName}`;

/** The key that a signer info names; undefined: none, or one of a kind that cannot sign here. */
export interface NamedKey {
  readonly typeUrl: string;
  /** secp256k1 only. */
  readonly bytes: Uint8Array | undefined;
}

/** @throws TxError sdk 8 when the key has not the right length */
export function namedKey({ publicKey }: SignerInfo): NamedKey | undefined {
  if (!publicKey) return undefined;
  const { typeUrl, value } = publicKey;
  if (typeUrl !== SECP256K1_URL) return { typeUrl, bytes: undefined };
  const { key } = fromBinary(PubKeySchema, value);
  if (key.length !== PUBLIC_KEY_BYTES) throw new TxError(SDK.INVALID_PUBKEY, "length of pubkey is incorrect");
  return { typeUrl, bytes: key };
}

export function keyAddress(sha256: Sha256, key: Uint8Array): Uint8Array {
  return addressOf(sha256, { type: "secp256k1", bytes: key });
}

/** Go's name of a kind of key. */
export function keyTypeName(typeUrl: string): string {
  const parts = typeUrl.slice(1).split(".");
  return `*${parts.at(-2)}.${parts.at(-1)}`;
}

export interface SignedFacts {
  readonly raw: TxRaw;
  readonly chainId: string;
  readonly accountNumber: bigint;
}

/** What SIGN_MODE_DIRECT signs. */
export function signBytes({ raw, chainId, accountNumber }: SignedFacts): Uint8Array {
  const { bodyBytes, authInfoBytes } = raw;
  return toBinary(SignDocSchema, create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber }));
}

/** What is wrong with a signature, in the field's words; undefined: nothing. */
export function signatureFailure(
  mode: ModeInfo | undefined,
  key: Uint8Array,
  signature: Uint8Array,
  signed: SignedFacts,
  verify: VerifySignature,
): string | undefined {
  const { sum } = mode ?? {};
  if (sum?.case === undefined) return "unexpected SignatureData <nil>";
  if (sum.case === "multi") return "expected multisig.PubKey, got *secp256k1.PubKey";
  if (sum.value.mode !== SignMode.DIRECT) return `unsupported sign mode ${signModeName(sum.value.mode)}`;
  const isGood = verify({ type: "secp256k1", bytes: key }, signBytes(signed), signature);
  return isGood ? undefined : "unable to verify single signer signature";
}

/** Do all parts of the signature claim to be amino JSON? The field words their failure another way. */
export function isAminoOnly(mode: ModeInfo | undefined): boolean {
  const { sum } = mode ?? {};
  if (sum?.case === "single") return sum.value.mode === SignMode.LEGACY_AMINO_JSON;
  return sum?.case === "multi" && sum.value.modeInfos.length > 0 && sum.value.modeInfos.every(isAminoOnly);
}

function signModeName(mode: SignMode): string {
  return SignModeSchema.value[mode]?.name ?? String(mode);
}
