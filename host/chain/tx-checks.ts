/**
 * Transactions before they are in a block: may one enter the mempool, and what would it do? They are run over what
 * the last block left and the transactions that were let in since. Nothing of it stays after a commit, but the names of
 * those that a proposal left out: how much stack a transaction needs differs from thread to thread with what V8 has compiled, so a
 * check may take what a proposal cannot, and it would wait for ever and hold up its sender's next one.
 */
import { toHex } from "../bytes.js";
import { engineLimit } from "../engine-limit.js";
import { isUpgradeError, type UpgradeError } from "../errors.js";
import type { CacheMultiStore, MultiStore } from "../types.js";
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

/** Names that are remembered; the oldest are forgotten first. */
const LEFT_OUT_MAX = 10_000;

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
  /** Names of transactions that a proposal left out. */
  readonly #leftOut = new Set<string>();
  #onLeftOut: ((names: readonly string[]) => void) | undefined;

  constructor(private readonly options: TxChecksOptions) {}

  check(tx: Uint8Array, kind: CheckKind): TxResult {
    const refused =
      this.#refusedNow(kind === "new") ??
      this.#leftOutRefusal(tx) ??
      (kind === "new" ? this.#feeRefusal(tx) : undefined);
    const mode = kind === "recheck" ? "recheck" : "check";
    // What another thread let in was tried there.
    return refused ?? this.#run(this.#checked(), tx, { mode, isTried: kind === "admitted" });
  }

  simulate(tx: Uint8Array): TxResult {
    return this.#refusedNow(true) ?? this.#run(this.#checked().branch(), tx, { mode: "simulate" });
  }

  /**
   * Those that a block may hold: run one after the other, what needs more stack than a proposal may is left out, and is refused
   * from then on.
   */
  fitting(txs: readonly Uint8Array[]): readonly Uint8Array[] {
    if (!this.options.hasState()) return txs;
    const facts = this.options.facts();
    if ([...facts.router.values()].every(({ isBounded }) => isBounded) || txs.every((tx) => isBounded(tx, facts)))
      return txs;
    const stores = this.options.stores().branch();
    const run = (tx: Uint8Array) => fits(() => this.#run(stores, tx, { mode: "deliver", isProposed: true }));
    const fitting: Uint8Array[] = [];
    const others: Uint8Array[] = [];
    for (const tx of txs) (run(tx) ? fitting : others).push(tx);
    if (others.length > 0) {
      const names = others.map((tx) => toHex(facts.sha256(tx)));
      this.leaveOut(names);
      this.#onLeftOut?.(names);
    }
    return fitting;
  }

  /** Transactions that a proposal left out, perhaps in another thread of this node. @param names SHA-256 in lower-case hex */
  leaveOut(names: readonly string[]): void {
    for (const name of names) this.#leftOut.add(name);
    for (const oldest of this.#leftOut) {
      if (this.#leftOut.size <= LEFT_OUT_MAX) break;
      this.#leftOut.delete(oldest);
    }
  }

  /** Calls back with the names of what a proposal leaves out. */
  onLeftOut(listener: (names: readonly string[]) => void): void {
    this.#onLeftOut = listener;
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

  #leftOutRefusal(tx: Uint8Array): TxResult | undefined {
    if (this.#leftOut.size === 0 || !this.#leftOut.has(toHex(this.options.facts().sha256(tx)))) return undefined;
    const why = "the transaction needs more of the engine's stack or memory than a block may: a proposal left it out";
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
      const limit = `the transaction needs more of the engine's stack or memory than a block may: ${error.code}`;
      return refusal(new TxError(SDK.LOGIC, limit));
    }
  }
}

const isEngineLimit = (error: unknown): error is UpgradeError =>
  isUpgradeError(error) && error.code === "UPG_BUG_ENGINE_LIMIT";

function fits(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (engineLimit(error)) return false;
    throw error;
  }
}

/** What cannot be decoded runs nothing. */
function isBounded(tx: Uint8Array, facts: TxFacts): boolean {
  try {
    return decodeTx(tx, facts).messages.every((message) => message.isBounded);
  } catch {
    return true;
  }
}
