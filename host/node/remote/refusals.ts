/** Maps the errors of CometBFT's RPC, which are messages without a code, to errors with our codes. */
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";

const isRefusal = (error: unknown, pattern: RegExp): boolean =>
  isUpgradeError(error) && error.code === "UPG_REMOTE_REFUSED" && pattern.test(error.message);

/** Messages of CometBFT 0.38. */
const NAMED = [
  [/\btx \([0-9A-Fa-f]*\) not found/, "UPG_NOT_FOUND_TX"],
  [/tx already exists in cache/, "UPG_TX_IN_MEMPOOL"],
  [/mempool is full/, "UPG_TX_MEMPOOL_FULL"],
  // More than `mempool.max_tx_bytes`, or more than a block takes.
  [/Tx too large|tx size is too big/, "UPG_TX_TOO_LARGE"],
  [
    /is not available, lowest height is|must be less than or equal to|could not find validator set/,
    "UPG_NOT_FOUND_BLOCK",
  ],
  [/indexing is disabled/, "UPG_NOT_FOUND_METHOD"],
  [/failed to parse query|error parsing query/, "UPG_INVALID_ARGUMENT"],
] as const;

/** Returns the error of a call with our code, if CometBFT's message has one; otherwise the error itself. */
export function named(error: unknown): unknown {
  const [, code] = NAMED.find(([pattern]) => isRefusal(error, pattern)) ?? [];
  return code && isUpgradeError(error) ? new UpgradeError(code, error.template, { cause: error }) : error;
}
