/** How much of transactions a block of this engine takes. */
import { BLOCK_BYTES_MAX, type ConsensusParams } from "../../chain/comet-types/consensus-params.js";

export interface BlockRoom {
  /** Of all transactions, each with what a block has around it; 0 where the parameters leave none. */
  readonly bytes: number;
  /** Undefined when the block has no limit of gas. */
  readonly gas: bigint | undefined;
}

/** Header, commit of one validator and the lists around the transactions, generously. */
const BLOCK_OVERHEAD_BYTES = 2_048;
/** Bytes that a block's commit takes for each further validator that did not vote. */
const ABSENT_VOTE_BYTES = 32;
/** A transaction in a block costs its length and a few bytes around it. */
const TX_OVERHEAD_BYTES = 8;

/** @param validators who decide the block; 1 before the first one is begun */
export function blockRoom({ block: { maxBytes, maxGas } }: ConsensusParams, validators = 1): BlockRoom {
  const overhead = BLOCK_OVERHEAD_BYTES + validators * ABSENT_VOTE_BYTES;
  const bytes = Number(maxBytes === -1n ? BigInt(BLOCK_BYTES_MAX) : maxBytes) - overhead;
  return { bytes: Math.max(0, bytes), gas: maxGas === -1n ? undefined : maxGas };
}

/** Bytes of room that a transaction takes. */
export const bytesOf = (tx: Uint8Array): number => tx.length + TX_OVERHEAD_BYTES;
