/**
 * Verifies ICS-23 existence proofs, up to the app hash: that a key has a value in a store's IAVL+ tree, and that the
 * tree's root is in the app hash. The rules are those of the two proof specifications, strictly.
 */
import { itemAt } from "../at.js";
import { concatBytes, EMPTY, equalBytes, utf8 } from "../bytes.js";
import { isUpgradeError, messageOf, UpgradeError } from "../errors.js";
import type { Sha256 } from "../types.js";
import { Fields } from "../wire-fields.js";
import { putUvarint } from "./iavl-hash.js";

/** What sets the two specifications apart; all else (SHA-256, length prefixes, a hashed value) they share. */
interface ProofSpec {
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
const PATH_MAX = 128;

const IAVL: ProofSpec = {
  name: "iavl",
  leafPrefix: (prefix) => prefix[0] === LEAF_MARK && prefix.length <= IAVL_HEAD_MAX && varints(prefix) === 3,
  innerPrefix: (prefix) =>
    prefix[0] !== LEAF_MARK &&
    prefix.length >= IAVL_HEAD_MIN &&
    prefix.length <= IAVL_HEAD_MAX + IAVL_CHILD_BYTES &&
    isIavlHead(prefix),
  suffixUnit: IAVL_CHILD_BYTES,
};

const SIMPLE: ProofSpec = {
  name: "simple",
  leafPrefix: (prefix) => prefix.length === 1 && prefix[0] === LEAF_MARK,
  innerPrefix: (prefix) => prefix[0] === 1 && (prefix.length === 1 || prefix.length === 33),
  suffixUnit: 32,
};

export interface StoreProof {
  readonly store: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** What the proof must lead to: the next header's app hash. */
  readonly appHash: Uint8Array;
  /** Bytes of two CommitmentProofs: of the key in the store, of the store in the app hash. */
  readonly proofs: readonly Uint8Array[];
}

/** @throws UpgradeError UPG_PROOF_MALFORMED, UPG_PROOF_KEY, UPG_PROOF_VALUE, UPG_PROOF_ROOT, UPG_PROOF_EMPTY_VALUE */
export function verifyStoreProof(sha256: Sha256, { store, key, value, appHash, proofs }: StoreProof): void {
  const [ofKey, ofStore] = proofs;
  if (!ofKey || !ofStore || proofs.length !== 2) throw malformed("expected two proofs, of the key and of the store");
  const root = existenceRoot(sha256, IAVL, ofKey, key, value);
  const found = existenceRoot(sha256, SIMPLE, ofStore, utf8(store), root);
  if (!equalBytes(found, appHash)) throw new UpgradeError("UPG_PROOF_ROOT", "the proof leads to another app hash");
}

function existenceRoot(
  sha256: Sha256,
  spec: ProofSpec,
  bytes: Uint8Array,
  key: Uint8Array,
  value: Uint8Array,
): Uint8Array {
  const { provenKey, provenValue, leaf, path } = decode(bytes);
  if (!equalBytes(provenKey, key)) throw new UpgradeError("UPG_PROOF_KEY", `the ${spec.name} proof is for another key`);
  if (!equalBytes(provenValue, value)) {
    throw new UpgradeError("UPG_PROOF_VALUE", `the ${spec.name} proof is for another value`);
  }
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

interface Existence {
  readonly provenKey: Uint8Array;
  readonly provenValue: Uint8Array;
  readonly leaf: Uint8Array;
  readonly path: readonly { readonly prefix: Uint8Array; readonly suffix: Uint8Array }[];
}

function decode(bytes: Uint8Array): Existence {
  try {
    const proof = new Fields(bytes, "CommitmentProof", ["bytes"]);
    const existence = new Fields(proof.required(1), "ExistenceProof", ["bytes", "bytes", "bytes", "list"]);
    const steps = existence.list(4);
    if (steps.length > PATH_MAX) throw malformed(`a proof has at most ${PATH_MAX} steps`);
    return {
      provenKey: existence.bytes(1),
      provenValue: existence.bytes(2),
      leaf: decodeLeaf(existence.required(3)),
      path: steps.map(decodeInner),
    };
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
  const bytes = new Uint8Array(10);
  return bytes.subarray(0, putUvarint(bytes, 0, value));
}

function malformed(what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_MALFORMED", what);
}
