/** CometBFT's JSON as blocks, commits and evidence: hashes in hex, other bytes in base64, 64-bit integers as texts. */
import { EMPTY, fromHex } from "../../base/text/bytes.js";
import { parseTime } from "../../base/time/time.js";
import type { Sha256 } from "../../base/types/types.js";
import type { Block } from "../../chain/comet-types/block.js";
import type { BlockId } from "../../chain/comet-types/block-id.js";
import {
  type BlockIdFlag,
  type Commit,
  type CommitSig,
  FLAG_ABSENT,
  FLAG_NIL,
} from "../../chain/comet-types/commit.js";
import type { Evidence } from "../../chain/comet-types/evidence.js";
import type { Header } from "../../chain/comet-types/header.js";
import type { KeyType, PublicKey } from "../../chain/comet-types/keys.js";
import { newValidator, type Validator } from "../../chain/comet-types/validator.js";
import { totalPowerOf } from "../../chain/comet-types/validator-set.js";
import type { Vote } from "../../chain/comet-types/vote.js";
import type { JsonReader } from "../../chain/values/json-reader.js";

const UINT32_MAX = 4_294_967_295n;

/** A text of hex digits; "": no bytes. */
export const hexOf = (json: JsonReader): Uint8Array => json.parse(fromHex);
/** Base64; null: no bytes. */
export const bytesOf = (json: JsonReader): Uint8Array => (json.isSet ? json.base64() : EMPTY);

/** A number that CometBFT has as int32 or uint32. */
export function smallOf(json: JsonReader): number {
  const value = json.int64(0n);
  if (value < -1n || value > UINT32_MAX) throw json.wrong("must be a 32-bit integer");
  return Number(value);
}

export function blockIdOf(json: JsonReader): BlockId {
  const parts = json.get("parts");
  return {
    hash: hexOf(json.get("hash")),
    parts: { total: smallOf(parts.get("total")), hash: hexOf(parts.get("hash")) },
  };
}

export function headerOf(json: JsonReader): Header {
  const version = json.get("version");
  const hex = (name: string) => hexOf(json.get(name));
  return {
    version: { block: version.get("block").uint64(), app: version.get("app").uint64(0n) },
    chainId: json.get("chain_id").text(),
    height: json.get("height").int64(),
    time: json.get("time").parse(parseTime),
    lastBlockId: blockIdOf(json.get("last_block_id")),
    lastCommitHash: hex("last_commit_hash"),
    dataHash: hex("data_hash"),
    validatorsHash: hex("validators_hash"),
    nextValidatorsHash: hex("next_validators_hash"),
    consensusHash: hex("consensus_hash"),
    appHash: hex("app_hash"),
    lastResultsHash: hex("last_results_hash"),
    evidenceHash: hex("evidence_hash"),
    proposerAddress: hex("proposer_address"),
  };
}

export function commitOf(json: JsonReader): Commit {
  return {
    height: json.get("height").int64(),
    round: smallOf(json.get("round")),
    blockId: blockIdOf(json.get("block_id")),
    signatures: json.get("signatures").items().map(signatureOf),
  };
}

function signatureOf(json: JsonReader): CommitSig {
  const flag = smallOf(json.get("block_id_flag"));
  if (flag < FLAG_ABSENT || flag > FLAG_NIL) throw json.wrong(`unknown block_id_flag ${flag}`);
  return {
    flag: flag as BlockIdFlag,
    validatorAddress: hexOf(json.get("validator_address")),
    timestamp: json.get("timestamp").parse(parseTime),
    signature: bytesOf(json.get("signature")),
  };
}

export function blockOf(sha256: Sha256, json: JsonReader): Block {
  return {
    header: headerOf(json.get("header")),
    txs: json.get("data").get("txs").items().map(bytesOf),
    evidence: json
      .get("evidence")
      .get("evidence")
      .items()
      .map((each) => evidenceOf(sha256, each)),
    lastCommit: commitOf(json.get("last_commit")),
  };
}

const KEY_TYPES: Readonly<Record<string, KeyType>> = {
  "tendermint/PubKeyEd25519": "ed25519",
  "tendermint/PubKeySecp256k1": "secp256k1",
};

function keyOf(json: JsonReader): PublicKey {
  const named = json.get("type").text();
  const type = KEY_TYPES[named];
  if (!type) throw json.wrong(`unknown type of key ${named.slice(0, 60)}`);
  return { type, bytes: bytesOf(json.get("value")) };
}

export function validatorOf(sha256: Sha256, json: JsonReader): Validator {
  const made = newValidator(sha256, keyOf(json.get("pub_key")), json.get("voting_power").int64());
  return { ...made, priority: json.get("proposer_priority").int64(0n) };
}

function evidenceOf(sha256: Sha256, json: JsonReader): Evidence {
  const kind = json.get("type").text();
  const value = json.get("value");
  const timestamp = value.get("Timestamp").parse(parseTime);
  if (kind === "tendermint/DuplicateVoteEvidence") {
    return {
      kind: "duplicate-vote",
      voteA: voteOf(value.get("vote_a")),
      voteB: voteOf(value.get("vote_b")),
      totalPower: value.get("TotalVotingPower").int64(),
      validatorPower: value.get("ValidatorPower").int64(),
      timestamp,
    };
  }
  if (kind !== "tendermint/LightClientAttackEvidence") throw json.wrong(`unknown evidence ${kind.slice(0, 60)}`);
  const conflicting = value.get("ConflictingBlock");
  const signed = conflicting.get("signed_header");
  const set = conflicting.get("validator_set");
  const validators = (list: JsonReader) => list.items().map((each) => validatorOf(sha256, each));
  const members = validators(set.get("validators"));
  return {
    kind: "light-client-attack",
    conflictingBlock: {
      signedHeader: { header: headerOf(signed.get("header")), commit: commitOf(signed.get("commit")) },
      validators: {
        validators: members,
        proposer: set.get("proposer").isSet ? validatorOf(sha256, set.get("proposer")) : undefined,
        totalPower: totalPowerOf(members),
      },
    },
    commonHeight: value.get("CommonHeight").int64(),
    byzantineValidators: validators(value.get("ByzantineValidators")),
    totalPower: value.get("TotalVotingPower").int64(),
    timestamp,
  };
}

function voteOf(json: JsonReader): Vote {
  return {
    type: smallOf(json.get("type")) as Vote["type"],
    height: json.get("height").int64(),
    round: smallOf(json.get("round")),
    blockId: blockIdOf(json.get("block_id")),
    timestamp: json.get("timestamp").parse(parseTime),
    validatorAddress: hexOf(json.get("validator_address")),
    validatorIndex: smallOf(json.get("validator_index")),
    signature: bytesOf(json.get("signature")),
    extension: bytesOf(json.get("extension")),
    extensionSignature: bytesOf(json.get("extension_signature")),
  };
}
