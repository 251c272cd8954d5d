/** Results of transactions: protobuf form, and the hash that is in the next header. */

import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { merkleRoot } from "../../state/commitment/merkle.js";

interface EventAttribute {
  readonly key: string;
  readonly value: string;
  /** Whether an indexer takes it up. */
  readonly index: boolean;
}

interface Event {
  readonly type: string;
  readonly attributes: readonly EventAttribute[];
}

/** The part of a result that all nodes must agree on. */
export interface TxOutcome {
  /** 0: success; uint32. */
  readonly code: number;
  readonly data: Uint8Array;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
}

export interface TxResult extends TxOutcome {
  readonly codespace: string;
  readonly log: string;
  readonly info: string;
  readonly events: readonly Event[];
}

/** Merkle root over the outcomes of a block's transactions: the next header's `lastResultsHash`. */
export function resultsHash(sha256: Sha256, outcomes: readonly TxOutcome[]): Uint8Array {
  return merkleRoot(sha256, outcomes.map(resultLeaf));
}

/** `tendermint.abci.ExecTxResult` with code, data and gas alone: what is hashed. */
export function resultLeaf({ code, data, gasWanted, gasUsed }: TxOutcome): Uint8Array {
  return new WireWriter().int(1, code).bytes(2, data).int(5, gasWanted).int(6, gasUsed).finish();
}

/** `tendermint.abci.ExecTxResult` */
export function encodeTxResult(result: TxResult): Uint8Array {
  const writer = new WireWriter()
    .int(1, result.code)
    .bytes(2, result.data)
    .string(3, result.log)
    .string(4, result.info)
    .int(5, result.gasWanted)
    .int(6, result.gasUsed);
  for (const event of result.events) writer.message(7, encodeEvent(event));
  return writer.string(8, result.codespace).finish();
}

/** `tendermint.abci.Event` */
function encodeEvent(event: Event): Uint8Array {
  const writer = new WireWriter().string(1, event.type);
  for (const { key, value, index } of event.attributes) {
    writer.message(
      2,
      new WireWriter()
        .string(1, key)
        .string(2, value)
        .int(3, index ? 1 : 0)
        .finish(),
    );
  }
  return writer.finish();
}
