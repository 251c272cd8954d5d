/** What a signer put into a transaction: one signature, or those of a multisig key's members with the bits of who signed. */

import { fromBinary } from "@bufbuild/protobuf";
import { rethrowEngineLimit } from "../../../base/errors/engine-limit.js";
import {
  type CompactBitArray,
  MultiSignatureSchema,
} from "../../../base/gen/cosmos/crypto/multisig/v1beta1/multisig_pb.js";
import { SignMode } from "../../../base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import type { ModeInfo } from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { checkSignatureCount } from "../../values/account-key.js";
import { undefinedError } from "../../values/tx-error.js";

interface SingleSignature {
  readonly kind: "single";
  readonly mode: SignMode;
  readonly signature: Uint8Array;
}

export interface MultiSignature {
  readonly kind: "multi";
  readonly bits: CompactBitArray | undefined;
  /** In the order of the members; one for each bit that is set. */
  readonly signatures: readonly SignatureData[];
  /** All of them as they were sent. */
  readonly bytes: Uint8Array;
}

/** Undefined: simulated transactions may lack it. */
export type SignatureData = SingleSignature | MultiSignature | undefined;

/** @throws TxError undefined 1 when modes and signatures do not fit together; sdk 14 when they are too many */
export function readSignature(mode: ModeInfo | undefined, bytes: Uint8Array): SignatureData {
  const { sum } = mode ?? {};
  if (sum?.case === undefined) return undefined;
  if (sum.case === "single") return { kind: "single", mode: sum.value.mode, signature: bytes };
  const signatures = membersSignatures(bytes);
  const modes = sum.value.modeInfos;
  checkSignatureCount(signatures.length);
  if (modes.length !== signatures.length) {
    throw undefinedError(`multisignature has ${modes.length} modes and ${signatures.length} signatures`);
  }
  return {
    kind: "multi",
    bits: sum.value.bitarray,
    signatures: signatures.map((signature, index) => readSignature(modes[index], signature)),
    bytes,
  };
}

function membersSignatures(bytes: Uint8Array): Uint8Array[] {
  let message: ReturnType<typeof fromBinary<typeof MultiSignatureSchema>>;
  try {
    message = fromBinary(MultiSignatureSchema, bytes);
  } catch (error) {
    rethrowEngineLimit(error);
    throw undefinedError("the signature is no MultiSignature");
  }
  // A node that relays the transaction could add such fields, and it would have another hash.
  if (message.$unknown) throw undefinedError("rejecting unrecognized fields found in MultiSignature");
  return message.signatures;
}

/** Every signature by itself and then the whole, as they are published in events. */
export function publishedSignatures(data: SignatureData): Uint8Array[] {
  if (data === undefined) return [];
  if (data.kind === "single") return [data.signature];
  return [...data.signatures.flatMap(publishedSignatures), data.bytes];
}

/** Is every part amino JSON? The Cosmos SDK words the failure of such a signature another way. */
export function isAminoOnly(data: SignatureData): boolean {
  if (data?.kind === "single") return data.mode === SignMode.LEGACY_AMINO_JSON;
  return data?.kind === "multi" && data.signatures.every(isAminoOnly);
}

/** A simulated transaction comes without signatures. */
export function isIncomplete(data: SignatureData): boolean {
  if (data?.kind === "single") return data.signature.length === 0;
  return data === undefined || data.signatures.length === 0 || data.signatures.some(isIncomplete);
}

/** Number of bits: of members that could sign. -1 when it is no bit array of that kind. */
export function bitCount(bits: CompactBitArray | undefined): number {
  if (!bits) return 0;
  const { elems, extraBitsStored } = bits;
  if (extraBitsStored === 0) return elems.length * 8;
  return extraBitsStored < 8 && elems.length > 0 ? (elems.length - 1) * 8 + extraBitsStored : -1;
}

/** Bits from the left. */
export function hasBit(bits: CompactBitArray | undefined, index: number): boolean {
  return (((bits?.elems[index >> 3] ?? 0) >> (7 - (index & 7))) & 1) === 1;
}
