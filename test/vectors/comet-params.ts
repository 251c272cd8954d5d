/** Checks of consensus parameters. */
import {
  type ConsensusParams,
  consensusParamsHash,
  DEFAULT_CONSENSUS_PARAMS,
  validateConsensusParams,
} from "../../host/chain/comet-types/consensus-params.js";
import { expectFields, holds, sha256 } from "./comet-input.js";
import { expectBytes, expectEqual, type VectorCase } from "./harness.js";

/** Only the block's limits vary; the rest are the defaults. */
export function checkParams(vector: VectorCase): void {
  expectFields(vector, "block hash kind valid");
  const block = { maxBytes: BigInt(vector["block"].max_bytes), maxGas: BigInt(vector["block"].max_gas) };
  const params: ConsensusParams = { ...DEFAULT_CONSENSUS_PARAMS, block };
  expectBytes(consensusParamsHash(sha256, params), vector["hash"], "hash");
  expectEqual(
    holds(() => validateConsensusParams(params)),
    vector["valid"],
    "valid",
  );
}

export function checkDefaultParams(vector: VectorCase): void {
  const { block, evidence, validator, version, abci } = DEFAULT_CONSENSUS_PARAMS;
  const printed = {
    kind: vector["kind"],
    block: { max_bytes: block.maxBytes, max_gas: block.maxGas },
    evidence: {
      max_age_num_blocks: evidence.maxAgeBlocks,
      max_age_duration_ns: evidence.maxAgeNanos,
      max_bytes: evidence.maxBytes,
    },
    validator: { pub_key_types: validator.publicKeyTypes },
    version: { app: version.app },
    abci: { vote_extensions_enable_height: abci.voteExtensionsHeight },
    hash: vector["hash"],
  };
  expectEqual(printed, vector, "default parameters");
  expectBytes(consensusParamsHash(sha256, DEFAULT_CONSENSUS_PARAMS), vector["hash"], "hash");
  validateConsensusParams(DEFAULT_CONSENSUS_PARAMS);
}
