/** The transactions that the embedded engine proposes. */
import { equalBytes, toHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import type { BlockRoom } from "./block-room.js";
import type { Mempool } from "./mempool.js";

/** How often a proposal is filled: each time the application runs all of its transactions again. */
const FILLS_MAX = 3;

export interface ProposalOptions {
  readonly mempool: Mempool;
  readonly room: BlockRoom;
  readonly sha256: Sha256;
  /** The transactions that the application proposes of these, in order. */
  readonly prepare: (txs: readonly Uint8Array[]) => readonly Uint8Array[];
}

/**
 * Takes the next block's transactions from the mempool. Drops those that the application leaves out, and fills their room with
 * others.
 */
export function fillProposal({ mempool, room, sha256, prepare }: ProposalOptions): readonly Uint8Array[] {
  for (let fill = 1; ; fill++) {
    const taken = mempool.take(room);
    const proposed = prepare(taken);
    let at = 0;
    for (const tx of taken) {
      const next = proposed[at];
      if (next && equalBytes(tx, next)) at++;
      else mempool.drop(toHex(sha256(tx)));
    }
    if (proposed.length === taken.length || fill === FILLS_MAX) return proposed;
  }
}
