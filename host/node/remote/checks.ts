/** What a header says of the parts that belong to it: CometBFT's RPC gives these apart, and any of them could be another block's. */
import { equalBytes, toHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import type { NodeTx } from "../../chain/app/query/node-port.js";
import type { Header } from "../../chain/comet-types/header.js";
import { resultLeaf, resultsHash, type TxOutcome } from "../../chain/comet-types/results.js";
import { type TxProof, verifyTxProof } from "../../chain/comet-types/txs.js";
import type { Validator } from "../../chain/comet-types/validator.js";
import { totalPowerOf, validatorSetHash } from "../../chain/comet-types/validator-set.js";
import type { JsonReader } from "../../chain/values/json-reader.js";
import { hexOf } from "./blocks.js";

/** A transaction, and how its place is proven. */
export interface ProvenTx {
  readonly tx: NodeTx;
  readonly proof: TxProof;
}

/** The proof in a response of `tx`, or in a hit of `tx_search`. */
export function proofOf(json: JsonReader, tx: Uint8Array): TxProof {
  const proof = json.get("proof");
  return {
    tx,
    rootHash: hexOf(json.get("root_hash")),
    proof: {
      total: placeOf(proof.get("total")),
      index: placeOf(proof.get("index")),
      leafHash: proof.get("leaf_hash").base64(),
      aunts: proof
        .get("aunts")
        .items()
        .map((aunt) => aunt.base64()),
    },
  };
}

function placeOf(json: JsonReader): number {
  const value = json.int64(0n);
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw json.wrong("is no place in a block");
  return Number(value);
}

/** Undefined: the block of the header holds it, at its place. @throws UpgradeError UPG_PROOF_* */
export function placeProblem(sha256: Sha256, header: Header, { tx, proof }: ProvenTx): string | undefined {
  verifyTxProof(sha256, header.dataHash, proof);
  const { index } = proof.proof;
  return index === tx.index ? undefined : `its place is ${tx.index}, and the proof's ${index}`;
}

/** Undefined: keys and powers are those of the hash. Turns (proposer priorities) are in no hash. */
export function validatorsProblem(
  sha256: Sha256,
  named: Uint8Array,
  validators: readonly Validator[],
): string | undefined {
  const totalPower = totalPowerOf(validators);
  const hash = validatorSetHash(sha256, { validators, proposer: undefined, totalPower });
  return equalBytes(hash, named)
    ? undefined
    : `the hash of its validators is ${toHex(hash)}, and the header's ${toHex(named)}`;
}

/** Undefined: the outcomes are those that the next header names. */
export function resultsProblem(sha256: Sha256, next: Header, outcomes: readonly TxOutcome[]): string | undefined {
  if (equalBytes(resultsHash(sha256, outcomes), next.lastResultsHash)) return undefined;
  return `the results of its block are not those that header ${next.height} names`;
}

/** Is it the outcome in the results of its block? Logs and events are in no hash. */
export function hasOutcome({ index, result }: NodeTx, outcomes: readonly TxOutcome[]): boolean {
  const named = outcomes[index];
  return named !== undefined && equalBytes(resultLeaf(result), resultLeaf(named));
}
