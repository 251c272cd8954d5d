/** The forms of CometBFT's JSON: hashes in upper-case hex, other bytes in base64, 64-bit integers as strings. */
import { toBase64, toUpperHex } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import type { NodeBlock, NodeTx, NodeTxResult } from "../../chain/app/query/node-port.js";
import type { Block } from "../../chain/comet-types/block.js";
import type { BlockId } from "../../chain/comet-types/block-id.js";
import type { Commit } from "../../chain/comet-types/commit.js";
import type { ConsensusParams } from "../../chain/comet-types/consensus-params.js";
import type { Header } from "../../chain/comet-types/header.js";
import type { PublicKey } from "../../chain/comet-types/keys.js";
import type { TxProof } from "../../chain/comet-types/txs.js";
import type { Validator } from "../../chain/comet-types/validator.js";
import type { ValidatorUpdate } from "../../chain/comet-types/validator-updates.js";
import type { ChainEvent } from "../../chain/values/events.js";
import type { Body } from "../limits/body.js";

/** A result that is JSON already. */
export class JsonText {
  constructor(readonly body: Body) {}
}

const base64OrNull = (bytes: Uint8Array): string | null => (bytes.length === 0 ? null : toBase64(bytes));

const KEY_TYPES = { ed25519: "tendermint/PubKeyEd25519", secp256k1: "tendermint/PubKeySecp256k1" } as const;

export const keyJson = ({ type, bytes }: PublicKey) => ({ type: KEY_TYPES[type], value: toBase64(bytes) });

export function blockIdJson({ hash, parts }: BlockId) {
  return { hash: toUpperHex(hash), parts: { total: parts.total, hash: toUpperHex(parts.hash) } };
}

export function headerJson(header: Header) {
  const { version } = header;
  return {
    version:
      version.app === 0n
        ? { block: String(version.block) }
        : { block: String(version.block), app: String(version.app) },
    chain_id: header.chainId,
    height: String(header.height),
    time: formatTime(header.time),
    last_block_id: blockIdJson(header.lastBlockId),
    last_commit_hash: toUpperHex(header.lastCommitHash),
    data_hash: toUpperHex(header.dataHash),
    validators_hash: toUpperHex(header.validatorsHash),
    next_validators_hash: toUpperHex(header.nextValidatorsHash),
    consensus_hash: toUpperHex(header.consensusHash),
    app_hash: toUpperHex(header.appHash),
    last_results_hash: toUpperHex(header.lastResultsHash),
    evidence_hash: toUpperHex(header.evidenceHash),
    proposer_address: toUpperHex(header.proposerAddress),
  };
}

export function commitJson({ height, round, blockId, signatures }: Commit) {
  return {
    height: String(height),
    round,
    block_id: blockIdJson(blockId),
    signatures: signatures.map(({ flag, validatorAddress, timestamp, signature }) => ({
      block_id_flag: flag,
      validator_address: toUpperHex(validatorAddress),
      timestamp: formatTime(timestamp),
      signature: base64OrNull(signature),
    })),
  };
}

export function blockJson({ header, txs, lastCommit }: Block) {
  return {
    header: headerJson(header),
    data: { txs: txs.map(toBase64) },
    evidence: { evidence: [] },
    last_commit: commitJson(lastCommit),
  };
}

export function blockMetaJson({ blockId, size, header, txCount }: NodeBlock) {
  return {
    block_id: blockIdJson(blockId),
    block_size: String(size),
    header: headerJson(header),
    num_txs: String(txCount),
  };
}

export function eventsJson(events: readonly ChainEvent[]) {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value }) => ({ key, value, index: true })),
  }));
}

export function txResultJson(result: NodeTxResult) {
  return {
    code: result.code,
    data: base64OrNull(result.data),
    log: result.log,
    info: "",
    gas_wanted: String(result.gasWanted),
    gas_used: String(result.gasUsed),
    events: eventsJson(result.events),
    codespace: result.codespace,
  };
}

export function txJson({ hash, height, index, bytes, result }: NodeTx) {
  return {
    hash: toUpperHex(hash),
    height: String(height),
    index,
    tx_result: txResultJson(result),
    tx: toBase64(bytes),
  };
}

export function txProofJson({ rootHash, tx, proof }: TxProof) {
  return {
    root_hash: toUpperHex(rootHash),
    data: toBase64(tx),
    proof: {
      total: String(proof.total),
      index: String(proof.index),
      leaf_hash: toBase64(proof.leafHash),
      aunts: proof.aunts.map(toBase64),
    },
  };
}

export function validatorJson({ address, publicKey, power, priority }: Validator) {
  return {
    address: toUpperHex(address),
    pub_key: keyJson(publicKey),
    voting_power: String(power),
    proposer_priority: String(priority),
  };
}

const KEY_SUMS = { ed25519: "tendermint.crypto.PublicKey_Ed25519", secp256k1: "tendermint.crypto.PublicKey_Secp256K1" };

/** As Go writes a list: null when it is empty. */
export const validatorUpdatesJson = (updates: readonly ValidatorUpdate[]) =>
  updates.length === 0 ? null : updates.map(validatorUpdateJson);

/** ABCI's form: a power of 0 is left out. */
function validatorUpdateJson({ publicKey: { type, bytes }, power }: ValidatorUpdate) {
  const key = { pub_key: { Sum: { type: KEY_SUMS[type], value: { [type]: toBase64(bytes) } } } };
  return power === 0n ? key : { ...key, power: String(power) };
}

export function consensusParamsJson({ block, evidence, validator, version, abci }: ConsensusParams) {
  return {
    block: { max_bytes: String(block.maxBytes), max_gas: String(block.maxGas) },
    evidence: {
      max_age_num_blocks: String(evidence.maxAgeBlocks),
      max_age_duration: String(evidence.maxAgeNanos),
      max_bytes: String(evidence.maxBytes),
    },
    validator: { pub_key_types: [...validator.publicKeyTypes] },
    version: { app: String(version.app) },
    abci: { vote_extensions_enable_height: String(abci.voteExtensionsHeight) },
  };
}
