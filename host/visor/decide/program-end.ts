/**
 * What the exit of one of this project's programs asks for, by the cause of its error code (host/base/errors/errors.ts). The run loop and the
 * systemd unit both decide by it.
 */
import { ERROR_KINDS, type ErrorCause, type ErrorCode } from "../../base/errors/errors.js";

/**
 * `again`: start the program at once, by design. `done`: the operator's own height is reached. `retry`: another start may
 * succeed, later each time. `person`: another start exits the same way until somebody, or another file, changes something.
 */
type Remedy = "again" | "done" | "retry" | "person";

/** Of codes that need no person. All are `local`: what follows from the chain's state, or is a defect, fails again. */
const REMEDIES: ReadonlyMap<ErrorCode, Remedy> = new Map([
  ["UPG_HALT_RESTART", "again"],
  ["UPG_HALT_HEIGHT", "done"],
  ["UPG_HALT_ENGINE", "retry"],
  ["UPG_HALT_WORKER", "retry"],
  // The machine had no memory, or the thread was stopped: it says nothing about the handler.
  ["UPG_HANDLER_ENGINE", "retry"],
]);

export interface ProgramEnd {
  readonly cause: ErrorCause;
  readonly remedy: Remedy;
  /** The upgrade did not go through, or the store refused: CHAINVISOR_ON_REFUSAL applies. */
  readonly isRefusal: boolean;
  /** Undefined: the exit status covers several codes, and no record names the one. */
  readonly code: ErrorCode | undefined;
}

/** Families of codes that a node exits with. Others answer requests. */
const ENDING = /^UPG_(?:INVALID|HALT|MIGRATION|HANDLER|STORE|BUG)_/;
const REFUSAL = /^UPG_(?:MIGRATION|HANDLER|STORE)_/;
const CODES = (Object.keys(ERROR_KINDS) as ErrorCode[]).filter((code) => ENDING.test(code));

const remedyOf = (code: ErrorCode): Remedy => REMEDIES.get(code) ?? "person";

/**
 * @param recorded the code in the record that the program left, if any
 * @returns undefined: no code has this exit status, so it is a crash
 */
export function programEnd(exit: number, recorded: string | undefined): ProgramEnd | undefined {
  const known = CODES.filter((code) => ERROR_KINDS[code].exit === exit);
  const named = known.filter((code) => code === recorded);
  const codes = named.length > 0 ? named : known;
  const [first] = codes;
  if (first === undefined) return undefined;
  const causes = new Set(codes.map((code) => ERROR_KINDS[code].cause));
  const remedies = new Set(codes.map(remedyOf));
  return {
    // Of several it cannot be shown that every node fails alike.
    cause: causes.size === 1 ? ERROR_KINDS[first].cause : "local",
    remedy: remedies.size === 1 ? remedyOf(first) : "person",
    isRefusal: codes.every((code) => REFUSAL.test(code)),
    code: codes.length === 1 ? first : undefined,
  };
}

/** The plan is due, and another program, or a handler, makes its block. */
export const UPGRADE_NEEDED_EXIT = ERROR_KINDS.UPG_HALT_UPGRADE_NEEDED.exit;
/** The program does not know the upgrade that made the state. */
export const TOO_OLD_EXIT = ERROR_KINDS.UPG_HALT_HANDLER_MISSING.exit;

/** Exit statuses after which systemd does not start the sidecar again: the program would exit the same way, or is done. */
export const NO_RESTART: readonly number[] = [...new Set(CODES.map((code) => ERROR_KINDS[code].exit))]
  .filter((exit) => ["person", "done"].includes(programEnd(exit, undefined)?.remedy ?? ""))
  .sort((a, b) => a - b);
