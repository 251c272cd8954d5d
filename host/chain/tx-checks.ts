/**
 * Transactions before they are in a block: may one enter the mempool, and what would it do? They are run over what
 * the last block left and the transactions that were let in since. Nothing of it stays after a commit.
 */
import type { CacheMultiStore, MultiStore } from "../types.js";
import { SDK, TxError } from "../values/tx-error.js";
import type { TxMode } from "./tx/ante.js";
import { type DecodedTx, decodeTx } from "./tx/decode.js";
import { checkMinimumFee, type GasPrice } from "./tx/minimum-fee.js";
import { refusal, refusedInUpgradeBlock, type TxResult } from "./tx/result.js";
import { runTx, type TxFacts } from "./tx/run.js";

/**
 * "new": a client brings it. "admitted": another thread of this node let it in, so that it waits even where the next
 * block takes none. "recheck": it was checked here before; its signatures are passed over, which do not change.
 */
export type CheckKind = "new" | "admitted" | "recheck";

export interface TxChecksOptions {
  /** The stores as the last block left them. */
  readonly stores: () => MultiStore;
  /** Is there a block that left something? */
  readonly hasState: () => boolean;
  readonly chainId: string;
  /** Undefined: no limit. */
  readonly blockGasMax: () => bigint | undefined;
  /** Facts of the next block. */
  readonly facts: () => TxFacts;
  readonly isUpgradeBlockNext: () => boolean;
  /** Below all of them a client's transaction is refused; none: every fee is taken. */
  readonly minimumGasPrices?: readonly GasPrice[];
}

export class TxChecks {
  #branch: CacheMultiStore | undefined;

  constructor(private readonly options: TxChecksOptions) {}

  check(tx: Uint8Array, kind: CheckKind): TxResult {
    const refused = this.#refusedNow(kind === "new") ?? (kind === "new" ? this.#feeRefusal(tx) : undefined);
    return refused ?? this.#run(this.#checked(), tx, kind === "recheck" ? "recheck" : "check");
  }

  simulate(tx: Uint8Array): TxResult {
    return this.#refusedNow(true) ?? this.#run(this.#checked().branch(), tx, "simulate");
  }

  /** After a commit: the mempool's transactions are to be checked again. */
  reset(): void {
    this.#branch = undefined;
  }

  #checked(): CacheMultiStore {
    this.#branch ??= this.options.stores().branch();
    return this.#branch;
  }

  /** No transaction can be judged before there is state, or where the next block takes none. */
  #refusedNow(isNew: boolean): TxResult | undefined {
    const { hasState, chainId, isUpgradeBlockNext } = this.options;
    if (!hasState()) {
      return refusal(new TxError(SDK.INVALID_HEIGHT, `${chainId} is not ready; please wait for first block`));
    }
    return isNew && isUpgradeBlockNext() ? refusedInUpgradeBlock() : undefined;
  }

  /** What cannot be decoded is refused where it runs. */
  #feeRefusal(bytes: Uint8Array): TxResult | undefined {
    const { minimumGasPrices = [], facts } = this.options;
    if (minimumGasPrices.length === 0) return undefined;
    let tx: DecodedTx;
    try {
      tx = decodeTx(bytes, facts());
    } catch {
      return undefined;
    }
    try {
      checkMinimumFee(minimumGasPrices, tx);
    } catch (error) {
      return { ...refusal(error), gasWanted: tx.authInfo.fee?.gasLimit ?? 0n };
    }
    return undefined;
  }

  #run(stores: MultiStore, tx: Uint8Array, mode: TxMode): TxResult {
    const { facts, blockGasMax } = this.options;
    return runTx(facts(), stores, tx, { mode, takesFees: true, blockGasMax: blockGasMax() });
  }
}
