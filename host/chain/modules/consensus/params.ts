/** The parameters of consensus as module consensus keeps them: one record, `Consensus`, of the Cosmos SDK's bytes. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { ConsensusParamsSchema } from "../../../base/gen/tendermint/types/params_pb.js";
import { utf8 } from "../../../base/text/bytes.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import { type ConsensusParams, validateConsensusParams } from "../../comet-types/consensus-params.js";
import { paramsMessage, paramsOfMessage } from "../../comet-types/params-message.js";

export const CONSENSUS_STORE = "consensus";

const PARAMS_KEY = utf8("Consensus");
/** What a block has besides transactions and evidence: header and commit of more than 500 validators. */
const BLOCK_ROOM_BYTES = 65_536n;
/** Longer does not fit CometBFT's 64 bits of nanoseconds. */
const NANOS_MAX = 2n ** 63n - 1n;

/** Undefined: those of genesis hold. @throws UpgradeError UPG_STORE_CORRUPT */
export function readParams(store: KVReader, version: bigint): ConsensusParams | undefined {
  const bytes = store.get(PARAMS_KEY);
  if (!bytes) return undefined;
  let params: ConsensusParams | undefined;
  try {
    params = paramsOfMessage(fromBinary(ConsensusParamsSchema, bytes), version);
  } catch (cause) {
    throw corrupt(messageOf(cause), cause);
  }
  if (params) return params;
  throw corrupt("it lacks block, evidence or validator");
}

const corrupt = (what: string, cause?: unknown) =>
  new UpgradeError("UPG_STORE_CORRUPT", `store "consensus": the parameters of consensus cannot be read: ${what}`, {
    cause,
  });

/**
 * Writes the parameters of consensus into the store of module consensus, as a TypeScript handler does that changes them: they
 * are in force from the next block on. The app version in them is not kept: upgrades set it.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT naming the parameter that is out of range; nothing is written then
 *
 * @example
 * import { MemoryKVStore } from "chain-upgrade";
 * const store = new MemoryKVStore();
 * const params = {
 *   block: { maxBytes: 4_000_000n, maxGas: 50_000_000n },
 *   evidence: { maxAgeBlocks: 100_000n, maxAgeNanos: 172_800_000_000_000n, maxBytes: 1_048_576n },
 *   validator: { publicKeyTypes: ["ed25519"] },
 *   version: { app: 0n },
 *   abci: { voteExtensionsHeight: 0n },
 * };
 * writeConsensusParams(store, params);
 * console.log([...store.iterate()].length); // → 1
 */
export function writeConsensusParams(store: KVStore, params: ConsensusParams): void {
  requireUsable(params);
  const message = paramsMessage({ ...params, version: { app: 0n } });
  store.set(PARAMS_KEY, toBinary(ConsensusParamsSchema, create(ConsensusParamsSchema, { ...message, version: {} })));
}

/** CometBFT's rules, and what would end a chain of this program. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireUsable(params: ConsensusParams): void {
  validateConsensusParams(params);
  const { block, evidence, validator } = params;
  const wrong = (what: string) => new UpgradeError("UPG_INVALID_ARGUMENT", what);
  if (block.maxBytes !== -1n && block.maxBytes < evidence.maxBytes + BLOCK_ROOM_BYTES) {
    throw wrong(
      `block.max_bytes must be -1 or at least evidence.max_bytes + ${BLOCK_ROOM_BYTES}, got ${block.maxBytes}: ` +
        "a block holds its header and the signatures of all validators besides",
    );
  }
  if (evidence.maxAgeNanos > NANOS_MAX)
    throw wrong("evidence.max_age_duration must have at most 63 bits of nanoseconds");
  if (!validator.publicKeyTypes.includes("ed25519")) {
    throw wrong("validator.pub_key_types must contain ed25519: validators have no other keys here");
  }
}
