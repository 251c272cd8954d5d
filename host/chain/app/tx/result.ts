/** What became of a transaction, and the shapes around it. */

import type { ChainEvent } from "../../values/events.js";
import { describeError } from "../../values/tx-error.js";

export interface TxResult {
  /** 0: success. */
  readonly code: number;
  /** Whose code it is; "" with success. */
  readonly codespace: string;
  /** `cosmos.base.abci.v1beta1.TxMsgData` with the messages' responses. */
  readonly data: Uint8Array;
  readonly log: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly ChainEvent[];
}

export interface GasFigures {
  readonly wanted: bigint;
  readonly used: bigint;
}

const NO_GAS: GasFigures = Object.freeze({ wanted: 0n, used: 0n });

/** A refusal. @throws UpgradeError UPG_STORE_*, UPG_BUG_* when the error is this machine's and no verdict */
export function refusal(error: unknown, gas: GasFigures = NO_GAS, events: readonly ChainEvent[] = []): TxResult {
  const data = new Uint8Array();
  return { ...describeError(error), data, gasWanted: gas.wanted, gasUsed: gas.used, events };
}

/** Codespace and code of a transaction that was in an upgrade block (UPG_BLOCK_IS_UPGRADE). */
const BLOCK_IS_UPGRADE = Object.freeze({ codespace: "upgrade", code: 61 });

/** Nothing is wrong with the transaction: the same one may run in the block after. */
export function isRefusedForUpgrade({ codespace, code }: Pick<TxResult, "codespace" | "code">): boolean {
  return codespace === BLOCK_IS_UPGRADE.codespace && code === BLOCK_IS_UPGRADE.code;
}

export function refusedInUpgradeBlock(): TxResult {
  return {
    ...BLOCK_IS_UPGRADE,
    data: new Uint8Array(),
    log: "UPG_BLOCK_IS_UPGRADE: this block applies an upgrade and runs no transaction; send it again",
    gasWanted: 0n,
    gasUsed: 0n,
    events: [],
  };
}
