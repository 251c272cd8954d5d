/** Checks of headers, trees, transactions, results and whole blocks. */
import { fromHex } from "../../host/base/text/bytes.js";
import { formatTime } from "../../host/base/time/time.js";
import { blockIdOf, decodeBlock, encodeBlock, validateBlock } from "../../host/chain/comet-types/block.js";
import { decodeHeader, encodeHeader, headerHash } from "../../host/chain/comet-types/header.js";
import { makePartSet, verifyPart } from "../../host/chain/comet-types/part-set.js";
import { encodeTxResult, resultLeaf, resultsHash, type TxResult } from "../../host/chain/comet-types/results.js";
import { decodeTxProof, encodeTxProof, txProofs, txsHash, verifyTxProof } from "../../host/chain/comet-types/txs.js";
import { merkleProofs, merkleRoot, verifyMerkleProof } from "../../host/state/commitment/merkle.js";
import { blockFrom, blockIdFrom, expectFields, headerFrom, proofText, sha256, txFrom } from "./comet-input.js";
import { expectBytes, expectEqual, type VectorCase } from "./harness.js";
import { type GivenText, hexBytes, textOf } from "./short-forms.js";

export function checkHeader(vector: VectorCase): void {
  expectFields(vector, "hash header kind proto");
  const header = headerFrom(vector["header"]);
  expectEqual(formatTime(header.time), vector["header"].time, "time");
  expectBytes(headerHash(sha256, header), vector["hash"], "hash");
  expectBytes(encodeHeader(header), vector["proto"], "proto");
  const decoded = decodeHeader(fromHex(vector["proto"]));
  expectEqual(decoded.chainId, header.chainId, "decoded chain id");
  expectBytes(encodeHeader(decoded), vector["proto"], "proto, decoded and encoded again");
  expectBytes(headerHash(sha256, decoded), vector["hash"], "hash of the decoded header");
}

export function checkMerkle(vector: VectorCase): void {
  expectFields(vector, "items kind proofs root");
  const items = (vector["items"] as GivenText[]).map(hexBytes);
  const { root, proofs } = merkleProofs(sha256, items);
  expectBytes(merkleRoot(sha256, items), vector["root"], "root");
  expectBytes(root, vector["root"], "root beside the proofs");
  expectEqual(proofs.map(proofText), vector["proofs"], "proofs");
  proofs.forEach((proof, index) => {
    verifyMerkleProof(sha256, root, items[index] as Uint8Array, proof);
  });
}

export function checkTxs(vector: VectorCase): void {
  expectFields(vector, "data_hash kind proofs txs");
  const txs = (vector["txs"] as GivenText[]).map(txFrom);
  const dataHash = txsHash(sha256, txs);
  expectBytes(dataHash, vector["data_hash"], "data hash");
  const proofs = txProofs(sha256, txs);
  expectEqual(proofs.length, vector["proofs"].length, "number of proofs");
  (vector["proofs"] as VectorCase[]).forEach((expected, index) => {
    const { tx_hash, proto, ...printed } = expected;
    const proof = decodeTxProof(fromHex(proto));
    expectBytes(sha256(proof.tx), tx_hash, `hash of tx ${index}`);
    expectEqual(proofText(proof.proof), printed, `proof ${index}`);
    const made = proofs[index];
    expectBytes(made ? encodeTxProof(made) : new Uint8Array(0), proto, `proto of proof ${index}`);
    expectBytes(encodeTxProof(proof), proto, `proto of proof ${index}, decoded and encoded again`);
    verifyTxProof(sha256, dataHash, proof);
  });
}

/** The one event that results of the vectors hold, as often as they say. */
const EVENT = { type: "tx", attributes: [{ key: "k", value: "v", index: true }] };

export function checkResults(vector: VectorCase): void {
  expectFields(vector, "kind last_results_hash leaves results");
  const results = (vector["results"] as VectorCase[]).map((result): TxResult => {
    expectFields(result, "code codespace data events gas_used gas_wanted info log proto");
    return {
      code: result["code"],
      codespace: textOf(result["codespace"]),
      data: hexBytes(result["data"]),
      events: Array.from({ length: result["events"] }, () => EVENT),
      gasUsed: BigInt(result["gas_used"]),
      gasWanted: BigInt(result["gas_wanted"]),
      info: textOf(result["info"]),
      log: textOf(result["log"]),
    };
  });
  expectEqual(results.length, vector["leaves"].length, "number of leaves");
  results.forEach((result, index) => {
    expectBytes(resultLeaf(result), vector["leaves"][index], `leaf ${index}`);
    expectBytes(encodeTxResult(result), vector["results"][index].proto, `proto of result ${index}`);
  });
  expectBytes(resultsHash(sha256, results), vector["last_results_hash"], "last results hash");
}

export function checkBlock(vector: VectorCase): void {
  expectFields(vector, "block_id header kind last_commit parts proto proto_sha256 proto_size txs");
  const block = blockFrom(vector);
  const bytes = encodeBlock(block);
  expectBytes(bytes, vector["proto"], "proto");
  expectBytes(sha256(bytes), vector["proto_sha256"], "sha256 of proto");
  expectEqual(bytes.length, vector["proto_size"], "size of proto");
  expectEqual(blockIdOf(sha256, block), blockIdFrom(vector["block_id"]), "block id");
  validateBlock(sha256, block);
  const decoded = decodeBlock(bytes);
  validateBlock(sha256, decoded);
  expectBytes(encodeBlock(decoded), vector["proto"], "proto, decoded and encoded again");
  checkParts(bytes, vector);
}

function checkParts(bytes: Uint8Array, vector: VectorCase): void {
  const { header, parts } = makePartSet(sha256, bytes);
  expectEqual(header, blockIdFrom(vector["block_id"]).parts, "part set header");
  expectEqual(parts.length, vector["parts"].length, "number of parts");
  (vector["parts"] as VectorCase[]).forEach((expected, index) => {
    expectFields(expected, "index proof sha256 size");
    const part = parts[index];
    if (!part) throw new Error(`part ${index} is missing`);
    expectEqual(part.index, expected["index"], `index of part ${index}`);
    expectEqual(part.bytes.length, expected["size"], `size of part ${index}`);
    expectBytes(sha256(part.bytes), expected["sha256"], `sha256 of part ${index}`);
    expectEqual(proofText(part.proof), expected["proof"], `proof of part ${index}`);
    verifyPart(sha256, header, part);
  });
}
