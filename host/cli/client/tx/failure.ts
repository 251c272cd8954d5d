/** A transaction that failed, as an error with what the node reported of it. */
import { type ErrorCode, UpgradeError } from "../../../base/errors/errors.js";

/** Logs stay short in messages. */
const LOG_CHARACTERS_MAX = 500;

/** `ErrPanic` of the Cosmos SDK. */
const PANIC_CODE = 111_222;

/** `ErrInactiveProposal` of the Cosmos SDK's gov. */
const INACTIVE_PROPOSAL_CODE = 3;

interface Reported {
  readonly codespace: string;
  readonly code: number;
  readonly log: string;
}

/** @param what failed, for the message */
export function txFailure(kind: ErrorCode, what: string, { codespace, code, log }: Reported): UpgradeError {
  const text = `${what} failed with code ${code}${shownCodespace(code, codespace)}: ${log.slice(0, LOG_CHARACTERS_MAX)}${explained(codespace, code)}`;
  return new UpgradeError(kind, text, {
    details: { tx_codespace: codespace, tx_code: String(code), tx_log: log },
  });
}

/** The Cosmos SDK names the codespace of errors without one `undefined`; its code 111222 is a recovered panic. */
function shownCodespace(code: number, codespace: string): string {
  if (codespace !== "undefined" && codespace !== "") return ` of ${codespace}`;
  return code === PANIC_CODE ? " (the message's code threw an error that is not a refusal)" : "";
}

/** The Cosmos SDK's log does not say which of the two it is, and that a late vote is refused like an early one. */
function explained(codespace: string, code: number): string {
  if (codespace !== "gov" || code !== INACTIVE_PROPOSAL_CODE) return "";
  return ". Its voting period has not begun or is over: `query gov proposal ID` shows its status and times";
}
