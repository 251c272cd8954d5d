/**
 * What CometBFT's RPC (0.34 to 0.38, and a node of ours) responds, as light blocks and answers of queries: hashes in hex,
 * other bytes in base64, 64-bit integers as texts. Nothing of it is believed here; it only has its form.
 */

import type { Sha256 } from "../base/types/types.js";
import type { BlockId } from "../chain/comet-types/block-id.js";
import { type BlockIdFlag, type Commit, type CommitSig, FLAG_ABSENT, FLAG_NIL } from "../chain/comet-types/commit.js";
import type { Header } from "../chain/comet-types/header.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import type { KeyType, PublicKey } from "../chain/comet-types/public-key.js";
import type { Validator } from "../chain/comet-types/validator.js";
import { totalPowerOf, type ValidatorSet } from "../chain/comet-types/validator-set.js";
import { checkValidator } from "./checked-light-block.js";
import { asProof, type JsonView } from "./json.js";

/** As many as CometBFT lets a chain have. */
const VALIDATORS_MAX = 10_000;
const PROOF_OPS_MAX = 8;

const KEY_TYPES: Readonly<Record<string, KeyType>> = Object.freeze({
  "tendermint/PubKeyEd25519": "ed25519",
  "tendermint/PubKeySecp256k1": "secp256k1",
});

/** `signed_header` of `commit`, and the validators of all pages of `validators`. @throws UpgradeError UPG_PROOF_MALFORMED */
export function lightBlockOf(sha256: Sha256, signedHeader: JsonView, validators: JsonView): LightBlock {
  return asProof(() => ({
    signedHeader: { header: headerOf(signedHeader.get("header")), commit: commitOf(signedHeader.get("commit")) },
    validators: validatorSetOf(sha256, validators),
  }));
}

export function headerOf(json: JsonView): Header {
  const version = json.get("version");
  const app = version.get("app");
  const hash = (name: string) => json.get(name).hex();
  return {
    version: { block: version.get("block").uint64(), app: app.isSet ? app.uint64() : 0n },
    chainId: json.get("chain_id").text(),
    height: json.get("height").int64(),
    time: json.get("time").time(),
    lastBlockId: blockIdOf(json.get("last_block_id")),
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

function blockIdOf(json: JsonView): BlockId {
  const parts = json.get("parts");
  return { hash: json.get("hash").hex(), parts: { total: parts.get("total").uint32(), hash: parts.get("hash").hex() } };
}

function commitOf(json: JsonView): Commit {
  return {
    height: json.get("height").int64(),
    round: json.get("round").uint32(),
    blockId: blockIdOf(json.get("block_id")),
    signatures: json.get("signatures").items(VALIDATORS_MAX).map(signatureOf),
  };
}

function signatureOf(json: JsonView): CommitSig {
  const flag = json.get("block_id_flag").uint32();
  if (flag < FLAG_ABSENT || flag > FLAG_NIL) throw json.wrong("unknown block_id_flag");
  const signature = json.get("signature");
  return {
    flag: flag as BlockIdFlag,
    validatorAddress: json.get("validator_address").hex(),
    timestamp: json.get("timestamp").time(),
    signature: signature.isSet ? signature.base64() : new Uint8Array(),
  };
}

/** Priorities are in no hash, so they are left out. */
function validatorSetOf(sha256: Sha256, json: JsonView): ValidatorSet {
  const validators = json.items(VALIDATORS_MAX).map((each) => validatorOf(sha256, each));
  return { validators, proposer: undefined, totalPower: totalPowerOf(validators) };
}

function validatorOf(sha256: Sha256, json: JsonView): Validator {
  const publicKey = publicKeyOf(json.get("pub_key"));
  const validator = {
    address: json.get("address").hex(),
    publicKey,
    power: json.get("voting_power").int64(),
    priority: 0n,
  };
  checkValidator(validator, sha256);
  return validator;
}

function publicKeyOf(json: JsonView): PublicKey {
  const type = KEY_TYPES[json.get("type").text()];
  if (!type) throw json.wrong("a key of a type that is neither ed25519 nor secp256k1");
  return { type, bytes: json.get("value").base64() };
}

/** One page of `validators`: those of the page as they came, and how many there are in all. */
export function validatorsPageOf(json: JsonView): { readonly validators: readonly JsonView[]; readonly total: number } {
  const total = json.get("total").uint32();
  if (total > VALIDATORS_MAX) throw json.wrong(`more than ${VALIDATORS_MAX} validators`);
  return { validators: json.get("validators").items(VALIDATORS_MAX), total };
}

/** An answer of `abci_query` on a store. `value` undefined: the server says that the key is absent. */
export interface QueryAnswer {
  readonly value: Uint8Array | undefined;
  /** `proofOps.ops`, as it came. */
  readonly proofOps: unknown;
}

/** Undefined: the application refused, for example since the state of the height was pruned. */
export function queryAnswerOf(json: JsonView): QueryAnswer | undefined {
  const response = json.get("response");
  const code = response.get("code");
  if (code.isSet && code.uint32() !== 0) return undefined;
  const value = response.get("value");
  const bytes = value.isSet ? value.base64() : new Uint8Array();
  const ops = [response.get("proofOps"), response.get("proof_ops")].find(({ isSet }) => isSet);
  return { value: bytes.length > 0 ? bytes : undefined, proofOps: ops?.get("ops").value };
}

/** The bytes of the proofs in `proofOps.ops`. */
export function proofsOf(json: JsonView): Uint8Array[] {
  return json.items(PROOF_OPS_MAX).map((op) => op.get("data").base64());
}

/** What `status` says of the chain and how far it is. */
export function statusOf(json: JsonView): { readonly chainId: string; readonly latestHeight: bigint } {
  const latestHeight = json.get("sync_info").get("latest_block_height").int64();
  if (latestHeight < 1n) throw json.wrong("the node has no block");
  return { chainId: json.get("node_info").get("network").text(), latestHeight };
}
