/**
 * Transactions before they are in a block: may one enter the mempool, and what would it do? They are run over what
 * the last block left and the transactions that were let in since. A commit drops all of it but the names of misfits.
 */

import { engineLimit } from "../../base/errors/engine-limit.js";
import { isUpgradeError, type UpgradeError } from "../../base/errors/errors.js";
import { toHex } from "../../base/text/bytes.js";
import type { CacheMultiStore, MultiStore } from "../../base/types/types.js";
import { type Misfit, Misfits, misfitOf } from "../determinism/misfits.js";
import { checkMinimumFee, type GasPrice } from "../values/minimum-fee.js";
import { SDK, TxError } from "../values/tx-error.js";
import { type DecodedTx, decodeTx } from "./tx/decode.js";
import { refusal, refusedInUpgradeBlock, type TxResult } from "./tx/result.js";
import { type RunOptions, runTx, type TxFacts } from "./tx/run.js";

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
  /** Does this thread propose blocks, so that its rechecks decide what waits for them? Then a recheck leaves out what does not fit. */
  readonly isProposing: boolean;
  /** Below all of them a client's transaction is refused; none: every fee is taken. */
  readonly minimumGasPrices?: readonly GasPrice[];
}

export class TxChecks {
  readonly misfits = new Misfits();
  #branch: CacheMultiStore | undefined;
  /** Has a proposal left out a transaction since the last commit? */
  #hasLeftOut = false;

  constructor(private readonly options: TxChecksOptions) {}

  /** @param name SHA-256 in lower-case hex, where the caller has it */
  check(tx: Uint8Array, kind: CheckKind, name?: string): TxResult {
    const refused =
      this.#refusedNow(kind === "new") ??
      this.#misfitRefusal(tx, name) ??
      (kind === "new" ? this.#feeRefusal(tx) : undefined);
    const mode = kind === "recheck" ? "recheck" : "check";
    // What another thread let in was tried there.
    return refused ?? this.#run(this.#checked(), tx, { mode, isTried: kind === "admitted" });
  }

  simulate(tx: Uint8Array): TxResult {
    return this.#refusedNow(true) ?? this.#run(this.#checked().branch(), tx, { mode: "simulate" });
  }

  /**
   * The transactions that this node may propose together, in order. Runs one after the other and leaves out those that need more
   * stack than a proposal may: the node refuses them from then on. Also leaves out what then has the wrong sequence, because
   * a block would fail it. The node does not refuse those.
   */
  fitting(txs: readonly Uint8Array[]): readonly Uint8Array[] {
    const trial = this.#trialOf(txs);
    if (!trial) return txs;
    const misfits: Misfit[] = [];
    const fitting = txs.filter((tx) => {
      const tried = trial(tx);
      if ("cause" in tried) {
        this.#hasLeftOut = true;
        misfits.push(tried);
        return false;
      }
      return !this.#hasLeftOut || !isWrongSequence(tried);
    });
    this.misfits.leaveOut(misfits);
    return fitting;
  }

  /**
   * Accepts another node's proposal if no transaction needs more stack than a proposal may. Stops at the first that does. The
   * node refuses none of them afterwards: their proposer chose what runs before them.
   */
  accepts(txs: readonly Uint8Array[]): boolean {
    const trial = this.#trialOf(txs);
    if (!trial) return true;
    return txs.every((tx) => {
      const tried = trial(tx);
      if (!("cause" in tried)) return true;
      this.misfits.reject(tried);
      return false;
    });
  }

  /** After a commit: the mempool's transactions are to be checked again. */
  reset(): void {
    this.#branch = undefined;
    this.#hasLeftOut = false;
  }

  /** Runs the next transaction of a proposal. Undefined if all of them fit without a run. */
  #trialOf(txs: readonly Uint8Array[]): ((tx: Uint8Array) => TxResult | Misfit) | undefined {
    if (!this.options.hasState()) return undefined;
    const facts = this.options.facts();
    if ([...facts.router.values()].every(({ isBounded }) => isBounded)) return undefined;
    if (txs.every((tx) => isBounded(tx, facts))) return undefined;
    const stores = this.options.stores().branch();
    return (tx) => {
      try {
        return this.#run(stores, tx, { mode: "deliver", isProposed: true });
      } catch (error) {
        const limit = engineLimit(error);
        if (!limit) throw error;
        return misfitOf(tx, limit, facts.sha256);
      }
    };
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

  #misfitRefusal(tx: Uint8Array, name?: string): TxResult | undefined {
    const { misfits, options } = this;
    if (misfits.count === 0 || !misfits.has(name ?? toHex(options.facts().sha256(tx)))) return undefined;
    const why =
      "the transaction needs more of the engine's stack or memory than a block may: the node leaves it out of its blocks";
    return refusal(new TxError(SDK.LOGIC, why));
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
      checkMinimumFee(minimumGasPrices, tx.authInfo.fee);
    } catch (error) {
      return { ...refusal(error), gasWanted: tx.authInfo.fee?.gasLimit ?? 0n };
    }
    return undefined;
  }

  #run(stores: MultiStore, tx: Uint8Array, run: Pick<RunOptions, "mode" | "isTried" | "isProposed">): TxResult {
    const { facts, blockGasMax } = this.options;
    const options = { ...run, takesFees: true, blockGasMax: blockGasMax() };
    if (run.mode === "deliver") return runTx(facts(), stores, tx, options);
    try {
      return runTx(facts(), stores, tx, options);
    } catch (error) {
      if (isUpgradeError(error) && error.code === "UPG_INVALID_NONDETERMINISTIC") return refusal(error);
      if (!isEngineLimit(error)) throw error;
      if (run.mode === "recheck" && this.options.isProposing)
        this.misfits.leaveOut([misfitOf(tx, error, facts().sha256)]);
      const limit = `the transaction needs more of the engine's stack or memory than a block may: ${error.code}`;
      return refusal(new TxError(SDK.LOGIC, limit));
    }
  }
}

const isEngineLimit = (error: unknown): error is UpgradeError =>
  isUpgradeError(error) && error.code === "UPG_BUG_ENGINE_LIMIT";

const isWrongSequence = ({ codespace, code }: TxResult): boolean =>
  codespace === SDK.WRONG_SEQUENCE.codespace && code === SDK.WRONG_SEQUENCE.code;

/** What cannot be decoded runs nothing. */
function isBounded(tx: Uint8Array, facts: TxFacts): boolean {
  try {
    return decodeTx(tx, facts).messages.every((message) => message.isBounded);
  } catch {
    return true;
  }
}
