/**
 * Transactions before they stand in a block: may one enter the mempool, and what would it do? They are run over what
 * the last block left and the transactions that were let in since. Nothing of it stays behind a commit.
 */
import type { CommitMultiStore } from "../store/commit-multi-store.js";
import type { CacheMultiStore, MultiStore } from "../types.js";
import type { TxMode } from "./tx/ante.js";
import { refusal, refusedInUpgradeBlock, type TxResult } from "./tx/result.js";
import { runTx, type TxFacts } from "./tx/run.js";
import { SDK, TxError } from "./tx-error.js";

export interface TxChecksOptions {
  readonly multiStore: CommitMultiStore;
  readonly blockGasMax: bigint | undefined;
  /** Facts of the next block. */
  readonly facts: () => TxFacts;
  readonly isUpgradeBlockNext: () => boolean;
}

export class TxChecks {
  #branch: CacheMultiStore | undefined;

  constructor(private readonly options: TxChecksOptions) {}

  check(tx: Uint8Array, kind: "new" | "recheck"): TxResult {
    const isNew = kind === "new";
    return this.#refusedNow(isNew) ?? this.#run(this.#checked(), tx, isNew ? "check" : "recheck");
  }

  simulate(tx: Uint8Array): TxResult {
    return this.#refusedNow(true) ?? this.#run(this.#checked().branch(), tx, "simulate");
  }

  /** After a commit: the mempool's transactions are to be checked again. */
  reset(): void {
    this.#branch = undefined;
  }

  #checked(): CacheMultiStore {
    this.#branch ??= this.options.multiStore.loaded().branch();
    return this.#branch;
  }

  /** No transaction can be judged before there is state, or where the next block takes none. */
  #refusedNow(isNew: boolean): TxResult | undefined {
    const { multiStore, facts, isUpgradeBlockNext } = this.options;
    if (multiStore.lastCommitID.version === 0n) {
      return refusal(new TxError(SDK.INVALID_HEIGHT, `${facts().chainId} is not ready; please wait for first block`));
    }
    return isNew && isUpgradeBlockNext() ? refusedInUpgradeBlock() : undefined;
  }

  #run(stores: MultiStore, tx: Uint8Array, mode: TxMode): TxResult {
    const { facts, blockGasMax } = this.options;
    return runTx(facts(), stores, tx, { mode, takesFees: true, blockGasMax });
  }
}
