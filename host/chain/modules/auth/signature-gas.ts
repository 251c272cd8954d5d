/** What signatures cost: each that is verified, and the bytes of those that a simulated transaction still lacks. */

import { SIGNATURE_BYTES } from "../../../base/text/bytes.js";
import type { ModuleContext } from "../../app/context.js";
import { aminoKeyBytes, SIGNATURES_MAX, type SigningKey } from "../../values/account-key.js";
import { GAS } from "../../values/gas.js";
import { SDK, TxError, undefinedError } from "../../values/tx-error.js";
import { bitCount, hasBit, type MultiSignature, type SignatureData } from "./signature-data.js";

/** Frames around a signature and its key in a transaction. */
const FRAME_BYTES = 17;
/** Bytes of a secp256k1 key in amino's form. */
const KEY_BYTES = 38;

/** Bytes that a signature will add; of a multisig key the most that it can. */
export function missingBytes(key: SigningKey | undefined): number {
  if (key?.type !== "multisig") return SIGNATURE_BYTES + KEY_BYTES + FRAME_BYTES;
  return SIGNATURES_MAX * (SIGNATURE_BYTES + aminoKeyBytes(key).length + FRAME_BYTES);
}

/**
 * Charges for every signature that will be verified. An unknown key (in a simulation) costs what secp256k1 does.
 *
 * @throws TxError sdk 8 for a key that cannot sign; undefined 1 for a signature that is not of the key's kind
 */
export function chargeSignature(context: ModuleContext, key: SigningKey | undefined, data: SignatureData): void {
  if (key?.type === "multisig") {
    chargeMembers(context, key, data);
    return;
  }
  if (key?.type === "ed25519") {
    context.consumeGas(GAS.VERIFY_ED25519, "ante verify: ed25519");
    throw new TxError(SDK.INVALID_PUBKEY, "ED25519 public keys are unsupported");
  }
  context.consumeGas(GAS.VERIFY_SECP256K1, "ante verify: secp256k1");
}

function chargeMembers(
  context: ModuleContext,
  { members }: Extract<SigningKey, { type: "multisig" }>,
  data: SignatureData,
): void {
  if (data?.kind !== "multi") {
    const got = data ? "*signing.SingleSignatureData" : "<nil>";
    throw undefinedError(`expected *signing.MultiSignatureData, got, ${got}`);
  }
  // Bits beyond the members are refused where the signature is verified.
  const count = Math.min(bitCount(data.bits), members.length);
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (hasBit(data.bits, index)) chargeSignature(context, members[index], memberSignature(data, at++));
  }
}

function memberSignature({ signatures }: MultiSignature, at: number): SignatureData {
  if (at < signatures.length) return signatures[at];
  throw undefinedError(`multisignature has ${signatures.length} signatures and more bits`);
}
