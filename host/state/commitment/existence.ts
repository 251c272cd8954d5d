/**
 * One way from a leaf to a root, as ICS-23 has it: read strictly from bytes, held to its tree's specification, hashed.
 * Proofs that a key is present have one, proofs that it is absent have one for each neighbour.
 */

import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { concatBytes, EMPTY } from "../../base/text/bytes.js";
import { itemAt } from "../../base/text/checked-index.js";
import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields } from "../../base/wire/wire-fields.js";

/** What sets the two specifications apart; all else (SHA-256, length prefixes, a hashed value) they share. */
export interface ProofSpec {
  readonly name: string;
  readonly leafPrefix: (prefix: Uint8Array) => boolean;
  readonly innerPrefix: (prefix: Uint8Array) => boolean;
  readonly suffixUnit: number;
}

const LEAF_MARK = 0;
/** An IAVL inner prefix: height, size, version, and perhaps the left child, each hash after its length. */
const IAVL_HEAD_MIN = 4;
const IAVL_HEAD_MAX = 12;
const IAVL_CHILD_BYTES = 33;
/** Steps of a way: more than any tree of 2^64 leaves has. */
const PATH_MAX = 128;

export const IAVL: ProofSpec = {
  name: "iavl",
  leafPrefix: (prefix) => prefix[0] === LEAF_MARK && prefix.length <= IAVL_HEAD_MAX && varints(prefix) === 3,
  innerPrefix: (prefix) =>
    prefix[0] !== LEAF_MARK &&
    prefix.length >= IAVL_HEAD_MIN &&
    prefix.length <= IAVL_HEAD_MAX + IAVL_CHILD_BYTES &&
    isIavlHead(prefix),
  suffixUnit: IAVL_CHILD_BYTES,
};

export const SIMPLE: ProofSpec = {
  name: "simple",
  leafPrefix: (prefix) => prefix.length === 1 && prefix[0] === LEAF_MARK,
  innerPrefix: (prefix) => prefix[0] === 1 && (prefix.length === 1 || prefix.length === 33),
  suffixUnit: 32,
};

export interface Existence {
  readonly provenKey: Uint8Array;
  readonly provenValue: Uint8Array;
  readonly leaf: Uint8Array;
  /** From the leaf up. */
  readonly path: readonly ProofStep[];
}

/** What is before and after the child's hash when an inner node is hashed. */
export interface ProofStep {
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

/** The root that the way leads to. @throws UpgradeError UPG_PROOF_MALFORMED, UPG_PROOF_EMPTY_VALUE */
export function rootOfExistence(sha256: Sha256, spec: ProofSpec, existence: Existence): Uint8Array {
  const { provenKey: key, provenValue: value, leaf, path } = existence;
  if (key.length === 0 || value.length === 0) {
    throw new UpgradeError("UPG_PROOF_EMPTY_VALUE", "no ICS-23 verifier accepts an empty key or value");
  }
  if (!spec.leafPrefix(leaf)) throw malformed(`the ${spec.name} proof's leaf is none of its tree`);
  const hashed = sha256(value);
  let node = sha256(concatBytes(leaf, uvarint(key.length), key, uvarint(hashed.length), hashed));
  for (const { prefix, suffix } of path) {
    if (!spec.innerPrefix(prefix) || suffix.length % spec.suffixUnit !== 0 || suffix.length > spec.suffixUnit) {
      throw malformed(`a step of the ${spec.name} proof is none of its tree`);
    }
    node = sha256(concatBytes(prefix, node, suffix));
  }
  return node;
}

/** A `CommitmentProof` that a key is present. @throws UpgradeError UPG_PROOF_MALFORMED */
export function decodePresence(bytes: Uint8Array): Existence {
  return strictly(() => existenceOf(new Fields(bytes, "CommitmentProof", ["bytes"]).required(1)));
}

/** The neighbours in a `CommitmentProof` that a key is absent. @throws UpgradeError UPG_PROOF_MALFORMED */
export function decodeAbsence(bytes: Uint8Array): { left: Existence | undefined; right: Existence | undefined } {
  return strictly(() => {
    const proof = new Fields(bytes, "CommitmentProof", ["bytes", "bytes"]);
    if (proof.has(1)) throw malformed("the proof is of a key that is present");
    // The key that it is for (field 1) decides nothing: who verifies knows it.
    const absence = new Fields(proof.required(2), "NonExistenceProof", ["bytes", "bytes", "bytes"]);
    const side = (field: number) => (absence.has(field) ? existenceOf(absence.bytes(field)) : undefined);
    return { left: side(2), right: side(3) };
  });
}

function existenceOf(bytes: Uint8Array): Existence {
  const existence = new Fields(bytes, "ExistenceProof", ["bytes", "bytes", "bytes", "list"]);
  const steps = existence.list(4);
  if (steps.length > PATH_MAX) throw malformed(`a proof has at most ${PATH_MAX} steps`);
  return {
    provenKey: existence.bytes(1),
    provenValue: existence.bytes(2),
    leaf: decodeLeaf(existence.required(3)),
    path: steps.map(decodeInner),
  };
}

/** What the wire's reader refuses is a malformed proof. */
function strictly<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isUpgradeError(cause) && cause.code.startsWith("UPG_PROOF_")) throw cause;
    throw malformed(messageOf(cause));
  }
}

/** HashOp SHA256, key as it is, value hashed with SHA256, lengths as varints. */
function decodeLeaf(bytes: Uint8Array): Uint8Array {
  const op = new Fields(bytes, "LeafOp", ["varint", "varint", "varint", "varint", "bytes"]);
  if (op.int32(1) !== 1 || op.int32(2) !== 0 || op.int32(3) !== 1 || op.int32(4) !== 1) {
    throw malformed("the leaf is hashed in another way than this tree's");
  }
  return op.bytes(5);
}

function decodeInner(bytes: Uint8Array) {
  const op = new Fields(bytes, "InnerOp", ["varint", "bytes", "bytes"]);
  if (op.int32(1) !== 1) throw malformed("a step is hashed in another way than this tree's");
  return { prefix: op.bytes(2), suffix: op.has(3) ? op.bytes(3) : EMPTY };
}

/** How many whole varints the bytes are; -1 when they end inside one. */
function varints(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte < 0x80) count++;
  return bytes.length > 0 && itemAt(bytes, -1) >= 0x80 ? -1 : count;
}

/** Three varints, then the length of a hash: of the child that follows, or of the left one with the right one's length. */
function isIavlHead(prefix: Uint8Array): boolean {
  const at = prefix.length > IAVL_HEAD_MAX ? prefix.length - IAVL_CHILD_BYTES : prefix.length;
  const lengths = [at - 1, ...(at < prefix.length ? [prefix.length - 1] : [])];
  return lengths.every((index) => prefix[index] === 32) && varints(prefix.subarray(0, at - 1)) === 3;
}

function uvarint(value: number): Uint8Array {
  return new WireWriter().varint(value).finish();
}

export function malformed(what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_MALFORMED", what);
}
