/**
 * Signatures of accounts: SIGN_MODE_DIRECT and SIGN_MODE_LEGACY_AMINO_JSON with secp256k1, r ‖ s of 64 bytes, low s only,
 * by one key or by members of a multisig key. SIGN_MODE_DIRECT signs the body and auth info as they were received.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { isUpgradeError } from "../../../base/errors/errors.js";
import { SignMode, SignModeSchema } from "../../../base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { SignDocSchema, type TxRaw } from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import type { VerifySignature } from "../../comet-types/keys.js";
import type { SigningKey } from "../../values/account-key.js";
import { bitCount, hasBit, type MultiSignature, type SignatureData } from "./signature-data.js";

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

/** What each mode that is verified here signs. */
export interface SignDocs {
  direct(): Uint8Array;
  /** @throws UpgradeError when the transaction has no amino JSON */
  amino(): Uint8Array;
}

/** What is wrong with a signature, in the Cosmos SDK's words; undefined: nothing. */
export function signatureFailure(
  key: SigningKey,
  data: SignatureData,
  docs: SignDocs,
  verify: VerifySignature,
): string | undefined {
  if (data === undefined) return "unexpected SignatureData <nil>";
  if (data.kind === "multi") {
    return key.type === "multisig" ? multiFailure(key, data, docs, verify) : `expected <nil>, got *${key.type}.PubKey`;
  }
  if (key.type === "multisig") return "expected MultiSignatureData for a multisig key";
  const doc = docOf(docs, data.mode);
  if (typeof doc === "string") return doc;
  return verify({ type: key.type, bytes: key.bytes }, doc, data.signature)
    ? undefined
    : "unable to verify single signer signature";
}

/** The document that was signed, or why there is none. */
function docOf(docs: SignDocs, mode: SignMode): Uint8Array | string {
  if (mode === SignMode.DIRECT) return docs.direct();
  if (mode !== SignMode.LEGACY_AMINO_JSON) {
    return `unsupported sign mode ${SignModeSchema.value[mode]?.name ?? String(mode)}`;
  }
  try {
    return docs.amino();
  } catch (error) {
    if (isUpgradeError(error)) return error.message;
    throw error;
  }
}

/** Bits, signatures and members must fit one another, so that no signature is passed over and none is counted twice. */
function multiFailure(
  { threshold, members }: Extract<SigningKey, { type: "multisig" }>,
  { bits, signatures }: MultiSignature,
  docs: SignDocs,
  verify: VerifySignature,
): string | undefined {
  if (bitCount(bits) !== members.length) return `bit array size is incorrect, expecting: ${members.length}`;
  if (signatures.length < threshold || signatures.length > members.length) {
    return `signature size is incorrect ${signatures.length}`;
  }
  const signing = members.flatMap((member, index) => (hasBit(bits, index) ? [{ member, index }] : []));
  if (signing.length < threshold) {
    return `not enough signatures set, have ${signing.length}, expected ${threshold}`;
  }
  if (signing.length !== signatures.length) return `signature size is incorrect ${signatures.length}`;
  for (const [at, { member, index }] of signing.entries()) {
    const failure = memberFailure(member, index, signatures[at], docs, verify);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function memberFailure(
  member: SigningKey,
  index: number,
  data: SignatureData,
  docs: SignDocs,
  verify: VerifySignature,
): string | undefined {
  if (data === undefined) return `improper signature data type for index ${index}`;
  if (data.kind === "multi") {
    return member.type === "multisig"
      ? multiFailure(member, data, docs, verify)
      : `unable to parse pubkey of index ${index}`;
  }
  if (member.type === "multisig") return `unable to verify signature at index ${index}`;
  const doc = docOf(docs, data.mode);
  if (typeof doc === "string") return doc;
  const isGood = verify({ type: member.type, bytes: member.bytes }, doc, data.signature);
  return isGood ? undefined : `unable to verify signature at index ${index}`;
}
