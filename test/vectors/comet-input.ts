/** Blocks and their parts as they are in the vectors, in our types. */
import { createHash } from "node:crypto";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { fromHex, toHex } from "../../host/base/text/bytes.js";
import { parseTime } from "../../host/base/time/time.js";
import type { Sha256 } from "../../host/base/types/types.js";
import type { Block } from "../../host/chain/comet-types/block.js";
import type { BlockId } from "../../host/chain/comet-types/block-id.js";
import type { Commit } from "../../host/chain/comet-types/commit.js";
import type { Header } from "../../host/chain/comet-types/header.js";
import type { ValidatorUpdate } from "../../host/chain/comet-types/validator-updates.js";
import type { MerkleProof } from "../../host/state/commitment/merkle.js";
import { expectEqual, type VectorCase } from "./harness.js";
import { type GivenText, isShortForm, textBytes, textOf } from "./short-forms.js";

export const sha256: Sha256 = (bytes) => createHash("sha256").update(bytes).digest();

export function blockIdFrom(vector: VectorCase): BlockId {
  const { hash, parts } = vector as { hash: string; parts: { total: number; hash: string } };
  return { hash: fromHex(hash), parts: { total: parts.total, hash: fromHex(parts.hash) } };
}

export function headerFrom(vector: VectorCase): Header {
  const hash = (name: string): Uint8Array => fromHex(vector[name]);
  return {
    version: { block: BigInt(vector["version"].block), app: BigInt(vector["version"].app) },
    chainId: textOf(vector["chain_id"]),
    height: BigInt(vector["height"]),
    time: parseTime(vector["time"]),
    lastBlockId: blockIdFrom(vector["last_block_id"]),
    lastCommitHash: hash("last_commit_hash"),
    dataHash: hash("data_hash"),
    validatorsHash: hash("validators_hash"),
    nextValidatorsHash: hash("next_validators_hash"),
    consensusHash: hash("consensus_hash"),
    appHash: hash("app_hash"),
    lastResultsHash: hash("last_results_hash"),
    evidenceHash: hash("evidence_hash"),
    proposerAddress: hash("proposer_address"),
  };
}

export function commitFrom(vector: VectorCase): Commit {
  return {
    height: BigInt(vector["height"]),
    round: vector["round"],
    blockId: blockIdFrom(vector["block_id"]),
    signatures: (vector["signatures"] as VectorCase[]).map((signature) => ({
      flag: signature["flag"],
      validatorAddress: fromHex(signature["validator_address"]),
      timestamp: parseTime(signature["timestamp"]),
      signature: fromHex(signature["signature"]),
    })),
  };
}

/** The cases hold no evidence inside blocks. */
export function blockFrom(vector: VectorCase): Block {
  return {
    header: headerFrom(vector["header"]),
    txs: (vector["txs"] as GivenText[]).map(txFrom),
    evidence: [],
    lastCommit: commitFrom(vector["last_commit"]),
  };
}

/** Hex, or a text in a short form. */
export function txFrom(tx: GivenText): Uint8Array {
  return isShortForm(tx) ? textBytes(tx) : fromHex(tx);
}

export function updatesFrom(vectors: readonly VectorCase[]): ValidatorUpdate[] {
  return vectors.map((vector) => ({
    publicKey: { type: vector["type"], bytes: fromHex(vector["pub_key"]) },
    power: BigInt(vector["power"]),
  }));
}

/** A proof as the vectors print it. */
export function proofText(proof: MerkleProof): VectorCase {
  return {
    total: String(proof.total),
    index: String(proof.index),
    leaf_hash: toHex(proof.leafHash),
    aunts: proof.aunts.map(toHex),
  };
}

/** That a case has these fields and no others, so that none goes unchecked. */
export function expectFields(vector: VectorCase, names: string, ...more: readonly string[]): void {
  expectEqual(Object.keys(vector).sort(), [...names.split(" "), ...more].sort(), "fields of the case");
}

/** Whether our code accepts it; anything but a refusal with a code goes on. */
export function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (isUpgradeError(error)) return false;
    throw error;
  }
}
