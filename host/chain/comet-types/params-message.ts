/** Consensus parameters as `tendermint.types.ConsensusParams`. */
import type { ConsensusParams as ParamsMessage } from "../../base/gen/tendermint/types/params_pb.js";
import { type ConsensusParams, DEFAULT_CONSENSUS_PARAMS } from "./consensus-params.js";

const NANOS_PER_SECOND = 1_000_000_000n;

/** Every section of it. */
export function paramsMessage({ block, evidence, validator, version, abci }: ConsensusParams) {
  const { maxAgeBlocks, maxAgeNanos, maxBytes } = evidence;
  const maxAgeDuration = { seconds: maxAgeNanos / NANOS_PER_SECOND, nanos: Number(maxAgeNanos % NANOS_PER_SECOND) };
  return {
    block: { maxBytes: block.maxBytes, maxGas: block.maxGas },
    evidence: { maxAgeNumBlocks: maxAgeBlocks, maxAgeDuration, maxBytes },
    validator: { pubKeyTypes: [...validator.publicKeyTypes] },
    version: { app: version.app },
    abci: { voteExtensionsEnableHeight: abci.voteExtensionsHeight },
  };
}

/** Undefined: a section is missing that none can do without. No `abci` is no vote extensions; `version` is not read. */
export function paramsOfMessage(
  { block, evidence, validator, abci }: Partial<Pick<ParamsMessage, "block" | "evidence" | "validator" | "abci">>,
  version: bigint,
): ConsensusParams | undefined {
  if (!block || !evidence || !validator) return undefined;
  const { seconds = 0n, nanos = 0 } = evidence.maxAgeDuration ?? {};
  return {
    block: { maxBytes: block.maxBytes, maxGas: block.maxGas },
    evidence: {
      maxAgeBlocks: evidence.maxAgeNumBlocks,
      maxAgeNanos: seconds * NANOS_PER_SECOND + BigInt(nanos),
      maxBytes: evidence.maxBytes,
    },
    validator: { publicKeyTypes: [...validator.pubKeyTypes] },
    version: { app: version },
    abci: {
      voteExtensionsHeight: abci?.voteExtensionsEnableHeight ?? DEFAULT_CONSENSUS_PARAMS.abci.voteExtensionsHeight,
    },
  };
}
