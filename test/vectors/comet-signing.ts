/** Checks of what validators sign: commits, votes, proposals, evidence, and their keys. */
import { fromHex } from "../../host/base/text/bytes.js";
import { formatTime, parseTime } from "../../host/base/time/time.js";
import type { Timestamp } from "../../host/base/types/types.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import type { BlockId } from "../../host/chain/comet-types/block-id.js";
import {
  proposalSignBytes,
  type VoteContent,
  voteExtensionSignBytes,
  voteSignBytes,
} from "../../host/chain/comet-types/canonical.js";
import { commitHash, commitSignBytes, decodeCommit, encodeCommit } from "../../host/chain/comet-types/commit.js";
import {
  decodeEvidence,
  encodeEvidence,
  evidenceBytes,
  evidenceHash,
  evidenceListHash,
  validateEvidence,
} from "../../host/chain/comet-types/evidence.js";
import { addressOf, publicKeyOf, sign, verifySignature } from "../../host/chain/comet-types/keys.js";
import { decodeVote, encodeVote, type Vote, validateVote } from "../../host/chain/comet-types/vote.js";
import { blockIdFrom, commitFrom, expectFields, sha256 } from "./comet-input.js";
import { expectBytes, expectEqual, type VectorCase } from "./harness.js";
import { textOf } from "./short-forms.js";

export function checkCommit(vector: VectorCase): void {
  expectFields(vector, "commit hash kind proto sign_bytes_chain_1");
  const commit = commitFrom(vector["commit"]);
  expectBytes(commitHash(sha256, commit), vector["hash"], "hash");
  expectBytes(encodeCommit(commit), vector["proto"], "proto");
  const decoded = decodeCommit(fromHex(vector["proto"]));
  expectBytes(encodeCommit(decoded), vector["proto"], "proto, decoded and encoded again");
  expectEqual(decoded.signatures.length, vector["sign_bytes_chain_1"].length, "number of signatures");
  decoded.signatures.forEach((signature, index) => {
    const signBytes = commitSignBytes("chain-1", decoded, signature);
    expectBytes(signBytes, vector["sign_bytes_chain_1"][index], `sign bytes ${index}`);
    expectEqual(formatTime(signature.timestamp), vector["commit"].signatures[index].timestamp, `time ${index}`);
  });
}

export function checkVote(vector: VectorCase): void {
  const extended = "extension" in vector;
  expectFields(
    vector,
    "address block_id chain_id height kind pub_key round seed sign_bytes signature timestamp type",
    ...(extended ? ["extension", "extension_sign_bytes", "extension_signature"] : []),
  );
  const vote: VoteContent = { ...placeFrom(vector), type: vector["type"] };
  const chainId = chainIdFrom(vector);
  const key = publicKeyOf("ed25519", fromHex(vector["seed"]));
  const address = addressOf(sha256, key);
  expectBytes(key.bytes, vector["pub_key"], "public key");
  expectBytes(address, vector["address"], "address");
  checkSigned(vector, voteSignBytes(chainId, vote), "sign_bytes", "signature");
  if (extended) {
    const extension = fromHex(vector["extension"]);
    const signBytes = voteExtensionSignBytes(chainId, vote.height, vote.round, extension);
    checkSigned(vector, signBytes, "extension_sign_bytes", "extension_signature");
  }
  const whole: Vote = {
    ...vote,
    validatorAddress: address,
    validatorIndex: 0,
    signature: fromHex(vector["signature"]),
    extension: fromHex(vector["extension"] ?? ""),
    extensionSignature: fromHex(vector["extension_signature"] ?? ""),
  };
  validateVote(whole);
  expectBytes(voteSignBytes(chainId, decodeVote(encodeVote(whole))), vector["sign_bytes"], "sign bytes, decoded");
}

export function checkProposal(vector: VectorCase): void {
  expectFields(vector, "block_id chain_id height kind pol_round round seed sign_bytes signature timestamp");
  const proposal = { ...placeFrom(vector), polRound: vector["pol_round"] };
  checkSigned(vector, proposalSignBytes(chainIdFrom(vector), proposal), "sign_bytes", "signature");
}

interface Place {
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
}

function placeFrom(vector: VectorCase): Place {
  const timestamp = parseTime(vector["timestamp"]);
  expectEqual(formatTime(timestamp), vector["timestamp"], "timestamp");
  return {
    height: BigInt(vector["height"]),
    round: vector["round"],
    blockId: blockIdFrom(vector["block_id"]),
    timestamp,
  };
}

function chainIdFrom(vector: VectorCase): string {
  return textOf(vector["chain_id"]);
}

function checkSigned(vector: VectorCase, signBytes: Uint8Array, bytesField: string, signatureField: string): void {
  const seed = fromHex(vector["seed"]);
  expectBytes(signBytes, vector[bytesField], bytesField);
  expectBytes(sign("ed25519", seed, signBytes), vector[signatureField], signatureField);
  const isGenuine = verifySignature(publicKeyOf("ed25519", seed), signBytes, fromHex(vector[signatureField]));
  expectEqual(isGenuine, true, `${signatureField} verifies`);
}

export function checkKey(vector: VectorCase): void {
  expectFields(vector, "address kind message private public signature type");
  const { type } = vector as { type: "ed25519" | "secp256k1" };
  const message = fromHex(vector["message"]);
  const key = publicKeyOf(type, fromHex(vector["private"]));
  const signature = fromHex(vector["signature"]);
  expectBytes(key.bytes, vector["public"], "public key");
  expectBytes(addressOf(sha256, key), vector["address"], "address");
  expectBytes(sign(type, fromHex(vector["private"]), message), vector["signature"], "signature");
  expectEqual(verifySignature(key, message, signature), true, "signature verifies");
  signature[0] = (signature[0] as number) ^ 1;
  expectEqual(verifySignature(key, message, signature), false, "another signature verifies");
}

export function checkEvidence(vector: VectorCase): void {
  expectFields(vector, "hash kind label list");
  const list = (vector["list"] as VectorCase[]).map((piece, index) => {
    expectFields(piece, "bytes hash");
    const evidence = decodeEvidence(new WireWriter().message(1, fromHex(piece["bytes"])).finish());
    validateEvidence(sha256, evidence);
    expectBytes(evidenceBytes(evidence), piece["bytes"], `bytes of ${index}`);
    expectBytes(evidenceHash(sha256, evidence), piece["hash"], `hash of ${index}`);
    return decodeEvidence(encodeEvidence(evidence));
  });
  expectBytes(evidenceListHash(sha256, list), vector["hash"], "hash of the list");
}
