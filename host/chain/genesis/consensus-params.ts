/** `consensus.params` of a genesis document; what it leaves out is CometBFT's default. */
import { type ConsensusParams, DEFAULT_CONSENSUS_PARAMS } from "../../comet/consensus-params.js";
import type { GenesisFacts } from "./genesis.js";

/** @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong */
export function genesisParams({
  consensusParams: json,
  appVersion,
}: Pick<GenesisFacts, "consensusParams" | "appVersion">): ConsensusParams {
  const { block, evidence, validator, abci } = DEFAULT_CONSENSUS_PARAMS;
  const integer = (section: string, field: string, fallback: bigint) => json.get(section).get(field).int64(fallback);
  const keyTypes = json.get("validator").get("pub_key_types");
  return {
    block: {
      maxBytes: integer("block", "max_bytes", block.maxBytes),
      maxGas: integer("block", "max_gas", block.maxGas),
    },
    evidence: {
      maxAgeBlocks: integer("evidence", "max_age_num_blocks", evidence.maxAgeBlocks),
      maxAgeNanos: integer("evidence", "max_age_duration", evidence.maxAgeNanos),
      maxBytes: integer("evidence", "max_bytes", evidence.maxBytes),
    },
    validator: {
      publicKeyTypes: keyTypes.isSet ? keyTypes.items().map((type) => type.text()) : validator.publicKeyTypes,
    },
    version: { app: appVersion },
    abci: { voteExtensionsHeight: integer("abci", "vote_extensions_enable_height", abci.voteExtensionsHeight) },
  };
}

/** Gas that the transactions of a block may use; undefined: no limit. */
export function blockGasMax({ block }: ConsensusParams): bigint | undefined {
  return block.maxGas > 0n ? block.maxGas : undefined;
}
