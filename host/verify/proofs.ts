/** What a trusted app hash says of a store: one key, or all keys of a range. */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { UpgradeError } from "../base/errors/errors.js";
import { compareBytes, concatBytes, equalBytes, toHex } from "../base/text/bytes.js";
import type { KeyValue, Sha256 } from "../base/types/types.js";
import { type Neighbours, verifyStoreAbsence } from "../state/commitment/verify-absence.js";
import { verifyStoreProof } from "../state/commitment/verify-existence.js";
import { argument, type Form } from "./form.js";

/** A key with its value, or undefined for a key that is absent, and the two proofs of it. */
export interface ProvenRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
  /** Bytes of two ICS-23 CommitmentProofs: in the store, and of the store in the app hash. */
  readonly proofs: readonly Uint8Array[];
}

/** Of a key in a message. */
const SHOWN_BYTES = 64;

interface ProvenIn {
  /** Of the header after the state. */
  readonly appHash: Uint8Array;
  readonly store: string;
  readonly sha256?: Sha256 | undefined;
}

const IN = { appHash: "bytes", store: "text", sha256: "function?" } as const satisfies Form;
const RECORD = { key: "bytes", value: "bytes?", proofs: ["bytes"] } as const satisfies Form;
const NON_MEMBERSHIP = { ...IN, key: "bytes", proofs: ["bytes"] } as const satisfies Form;
const MEMBERSHIP: Form = { ...NON_MEMBERSHIP, value: "bytes" };
const RANGE: Form = { ...IN, start: "bytes", end: "bytes?", records: [RECORD] };

/** What proves that a key is absent. */
export type NonMembershipEvidence = ProvenIn & Omit<ProvenRecord, "value">;

/** What proves that a key has a value. */
export type MembershipEvidence = NonMembershipEvidence & { readonly value: Uint8Array };

/**
 * Proves that the key has this value in the state of the app hash. Returns nothing; throws unless it is proven.
 *
 * @throws UpgradeError UPG_PROOF_MALFORMED, UPG_PROOF_KEY, UPG_PROOF_VALUE, UPG_PROOF_ROOT, UPG_PROOF_EMPTY_VALUE, UPG_INVALID_ARGUMENT
 *
 * @example
 * const [appHash, key] = [new Uint8Array(32), fromHex("00")];
 * try {
 *   verifyMembership({ appHash, store: "upgrade", key, value: fromHex("0a"), proofs: [] });
 * } catch (error) {
 *   console.log(isUpgradeError(error) && error.message); // → expected two proofs, of the key and of the store
 * }
 */
export function verifyMembership(evidence: MembershipEvidence): void {
  const { sha256, ...record } = argument<MembershipEvidence>(evidence, MEMBERSHIP, "evidence");
  verifyStoreProof(sha256 ?? nobleSha256, record);
}

/**
 * Proves that the key is absent from the state of the app hash. Throws unless it is proven.
 *
 * @returns the key-value pairs next to the absent key, which have no key between them
 * @throws UpgradeError as {@link verifyMembership}
 *
 * @example
 * const [appHash, key] = [new Uint8Array(32), fromHex("00")];
 * try {
 *   verifyNonMembership({ appHash, store: "upgrade", key, proofs: [] });
 * } catch (error) {
 *   console.log(isUpgradeError(error) && error.code); // → UPG_PROOF_MALFORMED
 * }
 */
export function verifyNonMembership(evidence: NonMembershipEvidence): Neighbours {
  const { sha256, ...record } = argument<NonMembershipEvidence>(evidence, NON_MEMBERSHIP, "evidence");
  return verifyStoreAbsence(sha256 ?? nobleSha256, record);
}

/** @returns the neighbours of an absent key */
export function verifyRecord({ value, ...rest }: ProvenIn & ProvenRecord): Neighbours | undefined {
  if (value === undefined) return verifyNonMembership(rest);
  verifyMembership({ ...rest, value });
  return undefined;
}

export interface RangeEvidence extends ProvenIn {
  /** Inclusive; at least one byte. */
  readonly start: Uint8Array;
  /** Exclusive; undefined: to the end of the store. */
  readonly end: Uint8Array | undefined;
  /**
   * A walk: of `start`, then each time of the key after the one that was found, until the right neighbour of an absent
   * key leaves the range. An absent key's right neighbour is found by its proof.
   */
  readonly records: readonly ProvenRecord[];
}

/**
 * All pairs of the range, none hidden.
 *
 * @throws UpgradeError UPG_PROOF_RANGE when a part of the range stays open, and as {@link verifyMembership}
 *
 * @example
 * const range = { start: Uint8Array.of(2), end: Uint8Array.of(3) };
 * try {
 *   verifyRange({ appHash: new Uint8Array(32), store: "upgrade", ...range, records: [] });
 * } catch (error) {
 *   console.log(isUpgradeError(error) && error.code); // → UPG_PROOF_RANGE
 * }
 */
export function verifyRange(evidence: RangeEvidence): KeyValue[] {
  const { appHash, store, start, end, records, sha256 } = argument<RangeEvidence>(evidence, RANGE, "evidence");
  const isPast = (key: Uint8Array) => end !== undefined && compareBytes(key, end) >= 0;
  const found: KeyValue[] = [];
  let next: Uint8Array | undefined = isPast(start) ? undefined : start;
  for (const record of records) {
    if (!next || !equalBytes(record.key, next)) throw open(`a record of ${shown(record.key)} is no part of the walk`);
    const neighbours = verifyRecord({ appHash, store, sha256, ...record });
    const pair: KeyValue | undefined = record.value ? [record.key, record.value] : neighbours?.right;
    if (pair && !isPast(pair[0])) found.push(pair);
    next = pair && afterKey(pair[0]);
    if (next && isPast(next)) next = undefined;
  }
  if (next) throw open(`nothing is proven from ${shown(next)} on`);
  return found;
}

/** The first key after this one, in the order of bytes. */
export function afterKey(key: Uint8Array): Uint8Array {
  return concatBytes(key, Uint8Array.of(0));
}

/** The beginning of a key, which may be as long as a document. */
const shown = (key: Uint8Array) => toHex(key.subarray(0, SHOWN_BYTES));

function open(what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_RANGE", `the range is not proven to be whole: ${what}`);
}
