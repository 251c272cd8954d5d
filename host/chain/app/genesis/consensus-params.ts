/** `consensus.params` of a genesis document; what it leaves out is CometBFT's default. */
import { type ConsensusParams, DEFAULT_CONSENSUS_PARAMS } from "../../comet-types/consensus-params.js";
import type { JsonReader } from "../../values/json-reader.js";
import type { GenesisFacts } from "./genesis-facts.js";

/** Of every version of CometBFT that chains use, also those that are not read. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  block: ["max_bytes", "max_gas", "time_iota_ms"],
  evidence: ["max_age_num_blocks", "max_age_duration", "max_bytes"],
  validator: ["pub_key_types"],
  version: ["app", "app_version"],
  abci: ["vote_extensions_enable_height", "recheck_tx"],
  synchrony: ["precision", "message_delay"],
  feature: ["vote_extensions_enable_height", "pbts_enable_height"],
};

/**
 * Of a document, before the chain begins: what has begun keeps what its document had.
 * @throws UpgradeError UPG_INVALID_GENESIS for a field that no version of CometBFT has
 */
export function requireKnownParams(params: JsonReader): void {
  if (!params.isSet) return;
  params.only(...Object.keys(FIELDS));
  for (const [section, fields] of Object.entries(FIELDS)) {
    if (params.get(section).isSet) params.get(section).only(...fields);
  }
}

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
