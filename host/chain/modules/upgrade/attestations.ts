/**
 * Attestations in store `upgrade`: `05|operator`, one for each validator that made one. The core's own prefixes are 00 to 04
 * (assembly/core/keys.ts), and the Cosmos SDK's module has no 05 either. A chain in which nobody attests has no such key.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { type Attestation, AttestationSchema } from "../../../base/gen/chain/upgrade/v1/attestation_pb.js";
import { concatBytes } from "../../../base/text/bytes.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import { allRecords, type Records } from "../../values/records.js";

const ATTESTATION_PREFIX = Uint8Array.of(0x05);

export interface OperatorAttestation {
  readonly operator: Uint8Array;
  readonly attestation: Attestation;
}

const attestationKey = (operator: Uint8Array) => concatBytes(ATTESTATION_PREFIX, operator);

/** By the operator's address. */
const ATTESTATIONS: Records<OperatorAttestation> = {
  prefix: ATTESTATION_PREFIX,
  read: (value, operator) => ({ operator, attestation: decodeAttestation(value) }),
};

export const attestations = (store: KVReader): Generator<OperatorAttestation> => allRecords(store, ATTESTATIONS);

export function readAttestation(store: KVReader, operator: Uint8Array): Attestation | undefined {
  const bytes = store.get(attestationKey(operator));
  return bytes && decodeAttestation(bytes);
}

export function writeAttestation(
  store: KVStore,
  operator: Uint8Array,
  attestation: Omit<Attestation, "$typeName" | "$unknown">,
): void {
  store.set(attestationKey(operator), toBinary(AttestationSchema, create(AttestationSchema, attestation)));
}

export function removeAttestation(store: KVStore, operator: Uint8Array): void {
  store.delete(attestationKey(operator));
}

function decodeAttestation(bytes: Uint8Array): Attestation {
  try {
    return fromBinary(AttestationSchema, bytes);
  } catch (cause) {
    const what = `store "upgrade": an attestation cannot be decoded: ${messageOf(cause)}`;
    throw new UpgradeError("UPG_STORE_CORRUPT", what, { cause });
  }
}
