/**
 * Transactions that wait for a block: first come, first served, bounded in count and bytes. What a block left waiting
 * is checked again after it, and dropped when it no longer holds.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { toHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import type { TxResult } from "../../chain/app/app.js";
import { refusal } from "../../chain/app/tx/result.js";
import type { CheckKind } from "../../chain/app/tx-checks.js";
import { SDK, TxError } from "../../chain/values/tx-error.js";
import { type BlockRoom, bytesOf } from "./block-room.js";

export interface MempoolLimits {
  readonly count: number;
  readonly bytes: number;
  /** Of one transaction. */
  readonly txBytes: number;
  /** Transactions that are remembered, and not taken again, after they left. */
  readonly remembered: number;
}

/** CometBFT's defaults. */
const MEMPOOL_LIMITS: MempoolLimits = Object.freeze({
  count: 5_000,
  bytes: 1_073_741_824,
  txBytes: 1_048_576,
  remembered: 10_000,
});

/** `hash`: of the transaction, in lower-case hex. */
export type CheckTx = (tx: Uint8Array, kind: CheckKind, hash: string) => TxResult;

interface Waiting {
  readonly tx: Uint8Array;
  readonly gasWanted: bigint;
}

export interface MempoolOptions {
  readonly sha256: Sha256;
  readonly check: CheckTx;
  /** Room of the next block. The mempool refuses a transaction that does not fit into an empty block: it would hold up all others. */
  readonly room: () => BlockRoom;
  readonly limits?: Partial<MempoolLimits> | undefined;
}

export class Mempool {
  /** By hash, in order of arrival. */
  readonly #waiting = new Map<string, Waiting>();
  /** Hashes that were seen, the latest last. */
  readonly #seen = new Set<string>();
  readonly #limits: MempoolLimits;
  readonly #arrivals = new Set<() => void>();
  #bytes = 0;

  constructor(private readonly options: MempoolOptions) {
    this.#limits = { ...MEMPOOL_LIMITS, ...options.limits };
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** Does this transaction wait? By the lower-case hex of its hash. */
  has(hash: string): boolean {
    return this.#waiting.has(hash);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Checks a transaction; one that is good waits for a block. What the mempool has no room for is refused first, as in
   * CometBFT.
   * @param kind "admitted": the node let it in already
   * @throws UpgradeError UPG_TX_TOO_LARGE, UPG_TX_MEMPOOL_FULL, UPG_TX_IN_MEMPOOL
   */
  add(tx: Uint8Array, kind: Exclude<CheckKind, "recheck"> = "new"): TxResult {
    const { count, bytes, txBytes } = this.#limits;
    if (this.#waiting.size >= count || this.#bytes + tx.length > bytes) {
      throw new UpgradeError(
        "UPG_TX_MEMPOOL_FULL",
        `mempool is full: number of txs ${this.#waiting.size} (max: ${count}), total txs bytes ${this.#bytes} (max: ${bytes})`,
      );
    }
    if (tx.length > txBytes) {
      throw new UpgradeError("UPG_TX_TOO_LARGE", `Tx too large. Max size is ${txBytes}, but got ${tx.length}`);
    }
    const room = this.options.room();
    if (bytesOf(tx) > room.bytes) {
      throw new UpgradeError("UPG_TX_TOO_LARGE", `tx size is too big: ${bytesOf(tx)}, max: ${room.bytes}`);
    }
    const hash = toHex(this.options.sha256(tx));
    if (this.#seen.has(hash)) throw new UpgradeError("UPG_TX_IN_MEMPOOL", "tx already exists in cache");
    const result = this.options.check(tx, kind, hash);
    if (result.code !== 0) return result;
    // The check compares them too. It has no limit where `block.max_gas` is 0.
    const { gasWanted } = result;
    if (needsMoreGas(gasWanted, room)) return refusedForGas(gasWanted, room);
    this.#remember(hash);
    this.#waiting.set(hash, { tx: tx.slice(), gasWanted });
    this.#bytes += tx.length;
    for (const heard of [...this.#arrivals]) heard();
    return result;
  }

  /** Calls back when a transaction has come in, until the function it returns is called. */
  onArrival(listener: () => void): () => void {
    this.#arrivals.add(listener);
    return () => this.#arrivals.delete(listener);
  }

  /** The first ones, in order. */
  list(limit: number): Uint8Array[] {
    const txs: Uint8Array[] = [];
    for (const { tx } of this.#waiting.values()) {
      if (txs.length >= limit) break;
      txs.push(tx);
    }
    return txs;
  }

  /** What fits into a block, in order; it stays here until the block is made. */
  take(room: BlockRoom): Uint8Array[] {
    const txs: Uint8Array[] = [];
    let { bytes, gas } = room;
    for (const { tx, gasWanted } of this.#waiting.values()) {
      bytes -= bytesOf(tx);
      if (gas !== undefined) gas -= gasWanted;
      if (bytes < 0 || (gas !== undefined && gas < 0n)) break;
      txs.push(tx);
    }
    return txs;
  }

  /** A block is made: its transactions leave, the others are checked again. */
  update(committed: readonly Uint8Array[]): void {
    this.leave(committed);
    const rechecks = this.rechecks();
    while (!rechecks.next().done);
  }

  /** What a block took leaves; the others are listed until `rechecks` finds that they hold no longer. */
  leave(committed: readonly Uint8Array[]): void {
    for (const tx of committed) {
      const hash = toHex(this.options.sha256(tx));
      this.#remove(hash);
      this.#remember(hash);
    }
  }

  /** Checks what waits again, one transaction a step, in order; until it is through nothing else may be checked. */
  *rechecks(): Generator<undefined, void> {
    for (const [hash, { tx, gasWanted }] of [...this.#waiting]) {
      if (!this.#waiting.has(hash)) continue;
      // A block may have changed how large blocks are.
      const room = this.options.room();
      const isTooLarge = bytesOf(tx) > room.bytes || needsMoreGas(gasWanted, room);
      if (isTooLarge || this.options.check(tx, "recheck", hash).code !== 0) this.drop(hash);
      yield;
    }
  }

  /** Takes one out that holds no longer: it may come again. */
  drop(hash: string): void {
    this.#remove(hash);
    this.#seen.delete(hash);
  }

  #remove(hash: string): void {
    const waiting = this.#waiting.get(hash);
    if (!waiting) return;
    this.#waiting.delete(hash);
    this.#bytes -= waiting.tx.length;
  }

  #remember(hash: string): void {
    this.#seen.delete(hash);
    this.#seen.add(hash);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= this.#limits.remembered || this.#waiting.has(oldest)) break;
      this.#seen.delete(oldest);
    }
  }
}

const needsMoreGas = (gasWanted: bigint, { gas }: BlockRoom): boolean => gas !== undefined && gasWanted > gas;

/** In the Cosmos SDK's words. */
function refusedForGas(wanted: bigint, { gas }: BlockRoom): TxResult {
  const why = `tx gas limit ${wanted} exceeds block max gas ${gas}`;
  return refusal(new TxError(SDK.INVALID_GAS_LIMIT, why), { wanted, used: 0n });
}
