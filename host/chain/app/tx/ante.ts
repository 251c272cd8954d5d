/** What runs before the messages of a transaction: checks, the fee, signatures, sequences. A chain brings its own. */
import type { MultiStore } from "../../../base/types/types.js";
import { SDK, TxError } from "../../values/tx-error.js";
import type { ModuleContext } from "../context.js";
import type { DecodedTx } from "./decode.js";

export type TxMode = "check" | "recheck" | "deliver" | "simulate";

export interface AnteOptions {
  readonly mode: TxMode;
  /** Off only where a tool has no coins to pay with. */
  readonly takesFees: boolean;
  /** Gas that a block may use; undefined: no limit. */
  readonly blockGasMax: bigint | undefined;
}

/**
 * Clients simulate first and learn from the gas which fee to name: a simulation without one counts what paying a coin
 * of the payer's costs.
 */
export interface FeeTrial {
  /** Reading these costs nothing. */
  readonly stores: MultiStore;
  /** Charges the transaction's meter; what is written there is dropped. */
  context(): ModuleContext;
}

/** A transaction that it refuses leaves nothing behind, not even its fee. @throws TxError */
export type Ante = (context: ModuleContext, tx: DecodedTx, options: AnteOptions & { readonly trial: FeeTrial }) => void;

/** @throws TxError sdk 41: no block has room for this much gas */
export function requireGasFits(gasLimit: bigint, blockGasMax: bigint | undefined): void {
  if (blockGasMax === undefined || gasLimit <= blockGasMax) return;
  throw new TxError(SDK.INVALID_GAS_LIMIT, `tx gas limit ${gasLimit} exceeds block max gas ${blockGasMax}`);
}
