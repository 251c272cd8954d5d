/**
 * What a transaction is refused with: codespace, number and text as the Cosmos SDK's clients know and parse them. The table
 * holds the errors that this chain can return; `sdk` is the Cosmos SDK's common codespace.
 */
import { engineLimit } from "../../base/errors/engine-limit.js";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { briefMessageOf } from "../../base/text/text.js";

export interface AbciError {
  readonly codespace: string;
  readonly code: number;
  readonly text: string;
}

const row = (codespace: string, code: number, text: string): AbciError => Object.freeze({ codespace, code, text });

/** The Cosmos SDK's catch-all, and its result for a crash inside a transaction. */
export const UNDEFINED = "undefined";
const INTERNAL_CODE = 1;
const CRASH_CODE = 111_222;

export const SDK = Object.freeze({
  TX_DECODE: row("sdk", 2, "tx parse error"),
  UNAUTHORIZED: row("sdk", 4, "unauthorized"),
  INSUFFICIENT_FUNDS: row("sdk", 5, "insufficient funds"),
  UNKNOWN_REQUEST: row("sdk", 6, "unknown request"),
  INVALID_ADDRESS: row("sdk", 7, "invalid address"),
  INVALID_PUBKEY: row("sdk", 8, "invalid pubkey"),
  UNKNOWN_ADDRESS: row("sdk", 9, "unknown address"),
  INVALID_COINS: row("sdk", 10, "invalid coins"),
  OUT_OF_GAS: row("sdk", 11, "out of gas"),
  MEMO_TOO_LARGE: row("sdk", 12, "memo too large"),
  INSUFFICIENT_FEE: row("sdk", 13, "insufficient fee"),
  TOO_MANY_SIGNATURES: row("sdk", 14, "maximum number of signatures exceeded"),
  NO_SIGNATURES: row("sdk", 15, "no signatures supplied"),
  INVALID_REQUEST: row("sdk", 18, "invalid request"),
  TX_TOO_LARGE: row("sdk", 21, "tx too large"),
  INVALID_HEIGHT: row("sdk", 26, "invalid height"),
  TIMEOUT_HEIGHT: row("sdk", 30, "tx timeout height"),
  UNKNOWN_EXTENSION: row("sdk", 31, "unknown extension options"),
  WRONG_SEQUENCE: row("sdk", 32, "incorrect account sequence"),
  LOGIC: row("sdk", 35, "internal logic error"),
  NOT_SUPPORTED: row("sdk", 37, "feature not supported"),
  INVALID_GAS_LIMIT: row("sdk", 41, "invalid gas limit"),
  TIMEOUT: row("sdk", 42, "tx timeout"),
});

export const GOV = Object.freeze({
  INACTIVE_PROPOSAL: row("gov", 3, "inactive proposal"),
  INVALID_CONTENT: row("gov", 5, "invalid proposal content"),
  INVALID_VOTE: row("gov", 7, "invalid vote option"),
  NO_HANDLER: row("gov", 9, "no handler exists for proposal type"),
  UNROUTABLE: row("gov", 10, "proposal message not recognized by router"),
  NO_MESSAGES: row("gov", 11, "no messages proposed"),
  INVALID_SIGNER: row("gov", 13, "expected gov account as only signer for proposal message"),
  METADATA_TOO_LONG: row("gov", 15, "metadata too long"),
  DEPOSIT_TOO_SMALL: row("gov", 16, "minimum deposit is too small"),
  INVALID_PROPOSER: row("gov", 18, "invalid proposer"),
  VOTING_ENDED: row("gov", 20, "voting period already ended"),
  INVALID_PROPOSAL: row("gov", 21, "invalid proposal"),
  SUMMARY_TOO_LONG: row("gov", 22, "summary too long"),
  INVALID_DENOM: row("gov", 23, "invalid deposit denom"),
});

export const STAKING = Object.freeze({
  NO_VALIDATOR: row("staking", 3, "validator does not exist"),
  OWNER_EXISTS: row(
    "staking",
    4,
    "validator already exist for this operator address; must use new validator operator address",
  ),
  PUBKEY_EXISTS: row("staking", 5, "validator already exist for this pubkey; must use new validator pubkey"),
  PUBKEY_TYPE: row("staking", 6, "validator pubkey type is not supported"),
  COMMISSION_NEGATIVE: row("staking", 9, "commission must be positive"),
  COMMISSION_HUGE: row("staking", 10, "commission cannot be more than 100%"),
  COMMISSION_ABOVE_MAX: row("staking", 11, "commission cannot be more than the max rate"),
  CHANGE_RATE_NEGATIVE: row("staking", 13, "commission change rate must be positive"),
  CHANGE_RATE_ABOVE_MAX: row("staking", 14, "commission change rate cannot be more than the max rate"),
  SELF_DELEGATION: row("staking", 16, "validator's self delegation must be greater than their minimum self delegation"),
  NO_DELEGATION: row("staking", 19, "no delegation for (address, validator) tuple"),
  INSUFFICIENT_SHARES: row("staking", 22, "insufficient delegation shares"),
  TOO_MANY_ENTRIES: row("staking", 27, "too many unbonding delegation entries for (delegator, validator) tuple"),
  INVALID_RATE: row("staking", 34, "cannot delegate to validators with invalid (zero) ex-rate"),
  NO_PUBKEY: row("staking", 39, "empty validator public key"),
  COMMISSION_BELOW_MIN: row("staking", 40, "commission cannot be less than min rate"),
});

/** The upgrade module's refusal of an authority; its text has the reason already. */
const UPGRADE_SIGNER = row("upgrade", 6, "expected authority account as only signer for proposal message");

/**
 * A transaction, or a message in it, breaks a rule. The message reads `<what>: <text of the table>`.
 *
 * @example
 * const error = new TxError({ codespace: "notes", code: 2, text: "a note has 1 to 280 characters" }, "add note");
 * console.log(error.message); // → add note: a note has 1 to 280 characters
 */
export class TxError extends UpgradeError {
  constructor(
    readonly abci: AbciError,
    what?: string,
    options: { cause?: unknown } = {},
  ) {
    super("UPG_INVALID_TX", what === undefined ? abci.text : `${what}: ${abci.text}`, options);
  }
}

/** An error that the Cosmos SDK never gave a number. */
export function undefinedError(what: string): TxError {
  return new TxError(row(UNDEFINED, INTERNAL_CODE, what));
}

/** The same error with words before it, as the Cosmos SDK wraps. */
export function wrapError(what: string, error: unknown): TxError {
  const { codespace, code, log } = describeError(error);
  return new TxError(row(codespace, code, log), what, { cause: error });
}

export interface ErrorDescription {
  readonly codespace: string;
  readonly code: number;
  readonly log: string;
}

/**
 * What a client gets of an error. Trouble of this machine (its disk, its own bugs that assertions found) is no
 * verdict on a transaction and is thrown again.
 */
export function describeError(error: unknown): ErrorDescription {
  const limit = engineLimit(error);
  if (limit) throw limit;
  // State and events hold it, and UTF-8 cannot write half of a surrogate pair.
  const log = briefMessageOf(error).toWellFormed();
  if (!isUpgradeError(error)) {
    return { codespace: UNDEFINED, code: CRASH_CODE, log: `recovered: ${log}` };
  }
  if (error instanceof TxError) return { ...codeOf(error.abci), log };
  if (error.code === "UPG_UNAUTHORIZED") return { ...codeOf(UPGRADE_SIGNER), log };
  if (error.code.startsWith("UPG_STORE_") || error.code.startsWith("UPG_BUG_")) throw error;
  if (error.code === "UPG_INVALID_NONDETERMINISTIC") {
    return { ...codeOf(SDK.LOGIC), log: `${log}: ${SDK.LOGIC.text} [${error.code}]` };
  }
  if (error.code.startsWith("UPG_INVALID_PLAN_")) return { ...codeOf(SDK.INVALID_REQUEST), log };
  return { codespace: UNDEFINED, code: INTERNAL_CODE, log };
}

const codeOf = ({ codespace, code }: AbciError) => ({ codespace, code });
