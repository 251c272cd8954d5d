/** Consensus parameters: limits of blocks and evidence that all nodes share. Only two of them are hashed. */
import type { Height, Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { rule } from "../../base/wire/wire-fields.js";
import type { KeyType } from "./keys.js";

/** 100 MiB, the most that CometBFT ever allows for a block. */
export const BLOCK_BYTES_MAX = 104_857_600;

export interface ConsensusParams {
  /** `maxBytes`: −1 means BLOCK_BYTES_MAX. `maxGas`: −1 means no limit. */
  readonly block: { readonly maxBytes: bigint; readonly maxGas: bigint };
  /** How old evidence may be, in blocks and nanoseconds, and how many bytes a block may hold of it. */
  readonly evidence: {
    readonly maxAgeBlocks: bigint;
    readonly maxAgeNanos: bigint;
    readonly maxBytes: bigint;
  };
  readonly validator: { readonly publicKeyTypes: readonly string[] };
  readonly version: { readonly app: bigint };
  /** From this height on votes carry extensions; 0: never. */
  readonly abci: { readonly voteExtensionsHeight: bigint };
}

const KEY_TYPES: readonly KeyType[] = Object.freeze(["ed25519", "secp256k1"]);

/** CometBFT 0.38's defaults: 21 MiB blocks, no gas limit, evidence of 48 hours, ed25519. */
export const DEFAULT_CONSENSUS_PARAMS: ConsensusParams = Object.freeze({
  block: Object.freeze({ maxBytes: 22_020_096n, maxGas: -1n }),
  evidence: Object.freeze({
    maxAgeBlocks: 100_000n,
    maxAgeNanos: 172_800_000_000_000n,
    maxBytes: 1_048_576n,
  }),
  validator: Object.freeze({ publicKeyTypes: Object.freeze(["ed25519"]) }),
  version: Object.freeze({ app: 0n }),
  abci: Object.freeze({ voteExtensionsHeight: 0n }),
});

/** sha256 of `tendermint.types.HashedParams`, the block's two limits: a header's `consensusHash`. */
export function consensusParamsHash(sha256: Sha256, { block }: ConsensusParams): Uint8Array {
  return sha256(new WireWriter().int(1, block.maxBytes).int(2, block.maxGas).finish());
}

/**
 * May block `height` change these parameters so? CometBFT's rule for vote extensions (`ConsensusParams.ValidateUpdate`): they begin at a
 * height to come, and once begun neither end nor move.
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
export function validateParamsUpdate(before: ConsensusParams, after: ConsensusParams, height: Height): void {
  const [from, to] = [before.abci.voteExtensionsHeight, after.abci.voteExtensionsHeight];
  if (from === to) return;
  const name = "abci.vote_extensions_enable_height";
  rule(from === 0n || from > height, `${name}: vote extensions began at ${from} and stay`);
  rule(to === 0n || to > height, `${name} must be above the current height ${height}, got ${to}`);
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT naming the parameter that is out of range. */
export function validateConsensusParams({ block, evidence, validator, abci }: ConsensusParams): void {
  const limit = BigInt(BLOCK_BYTES_MAX);
  const isSize = block.maxBytes === -1n || (block.maxBytes > 0n && block.maxBytes <= limit);
  rule(isSize, `block.max_bytes must be -1 or 1 to ${limit}, got ${block.maxBytes}`);
  rule(block.maxGas >= -1n, `block.max_gas must be -1 or more, got ${block.maxGas}`);
  rule(evidence.maxAgeBlocks > 0n, `evidence.max_age_num_blocks must be positive, got ${evidence.maxAgeBlocks}`);
  rule(evidence.maxAgeNanos > 0n, `evidence.max_age_duration must be positive, got ${evidence.maxAgeNanos}`);
  const room = block.maxBytes === -1n ? limit : block.maxBytes;
  const fits = evidence.maxBytes >= 0n && evidence.maxBytes <= room;
  rule(fits, `evidence.max_bytes must be 0 to ${room}, got ${evidence.maxBytes}`);
  rule(abci.voteExtensionsHeight >= 0n, "abci.vote_extensions_enable_height must not be negative");
  rule(validator.publicKeyTypes.length > 0, "validator.pub_key_types must not be empty");
  for (const type of validator.publicKeyTypes) {
    rule((KEY_TYPES as readonly string[]).includes(type), `validator.pub_key_types: unknown type "${type}"`);
  }
}
