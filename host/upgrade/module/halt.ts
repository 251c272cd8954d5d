/** A halt: the process stops by design. It is thrown through the block and becomes an exit status and a record on disk. */

import {
  ERROR_KINDS,
  type ErrorCause,
  type ErrorCode,
  type ErrorDetails,
  isUpgradeError,
  UpgradeError,
} from "../../base/errors/errors.js";
import { toHex } from "../../base/text/bytes.js";
import type { LogFields } from "../../base/text/log-line.js";
import { completeText, OWN_PROGRAM } from "../../base/text/program-text.js";
import type { Height, Plan } from "../../base/types/types.js";
import { nextStep } from "./halt-next.js";

export type HaltCode = Extract<ErrorCode, `UPG_HALT_${string}`>;

/**
 * The process has to stop, and the message says what it needs: no block is made, and the next start with the same program halts
 * again. End the process with `kind.exit`.
 *
 * @example
 * const halt = new Halt("UPG_HALT_HEIGHT", "halt-height 100 is reached", 100n);
 * console.log(halt.kind.exit, halt.height); // → 13 100n
 */
export class Halt extends UpgradeError {
  /** The plan that is due, too early, or to be gone on with; none for a downgrade or a height. */
  readonly plan: Plan | undefined;

  constructor(
    override readonly code: HaltCode,
    message: string,
    /** Height of the block that was not made. */
    readonly height: Height,
    plan?: Plan,
    /** Further facts for {@link nextStep}. */
    details: ErrorDetails = {},
  ) {
    super(code, message, { details: { ...details, height: String(height), ...(plan ? planDetails(plan) : {}) } });
    this.plan = plan;
  }
}

/** A plugin, as far as an operator has to find it; a function of the program has neither. */
export interface HandlerIdentity {
  /** Where it was read from; undefined for bytes that were given. */
  readonly file?: string | undefined;
  /** SHA-256, lower-case hex. */
  readonly hash: string;
}

/**
 * The same failure, with the plan and the handler that it happened to: an operator needs them most in the upgrade block.
 * Facts that the error carries already stay; what is no error of this project is given back as it is.
 */
export function failureOf(error: unknown, plan: Plan, handler: HandlerIdentity | undefined): unknown {
  if (!isUpgradeError(error)) return error;
  const details = { ...planDetails(plan), ...handlerDetails(handler), ...error.details };
  return new UpgradeError(error.code, error.template, { cause: error, details });
}

/** For the details of an error. */
export function handlerDetails(handler: HandlerIdentity | undefined): ErrorDetails {
  if (!handler) return {};
  return { handler_sha256: handler.hash, ...(handler.file === undefined ? {} : { handler_file: handler.file }) };
}

function planDetails({ name, height, info }: Plan): ErrorDetails {
  return { plan: name, plan_height: String(height), plan_info: info };
}

/** `<home>/data/halt.json`; its message and facts are an error line of the log too. 64-bit integers are strings. */
export interface HaltRecord {
  readonly v: 1;
  readonly code: string;
  /** The scope of the failure (docs/errors.md): all nodes, this machine, or a defect. */
  readonly cause: ErrorCause;
  readonly plan: { readonly name: string; readonly height: string; readonly info: string } | null;
  /** The plugin that ran or was to run; null: none, or one of the program. `file` is null when it is not known. */
  readonly handler: { readonly file: string | null; readonly sha256: string } | null;
  readonly height: string;
  readonly last_committed_height: string;
  /** Upper-case hex. */
  readonly app_hash: string;
  readonly message: string;
  /** What to do, in words, with the commands in backquotes. */
  readonly next: string;
  /** The commands of `next` alone, each to be pasted as it is. */
  readonly commands: readonly string[];
  /** RFC 3339, UTC. */
  readonly time: string;
}

export interface HaltFacts {
  /** 0n before the first block. */
  readonly lastCommittedHeight: Height;
  readonly nextHeight: Height;
  /** Empty before the first block. */
  readonly appHash: Uint8Array;
  readonly time: string;
  /** Folder of the node, for the commands; `<home>` where there is none. */
  readonly home?: string;
  /** Command of the chain's program, for the commands; `chaind` where none is given. */
  readonly program?: string;
  /** Flags that `start` needs for this home besides. */
  readonly startFlags?: readonly string[] | undefined;
  /** All words that start the node, where a sidecar does it. */
  readonly startCommand?: string | undefined;
  /** Starts the service that runs the sidecar; takes no flags. */
  readonly serviceCommand?: string | undefined;
  /** Links the program before the sidecar's last switch. */
  readonly rollbackCommand?: string | undefined;
  /** The plan that state holds for the next height; an error that names one goes before. */
  readonly duePlan?: Plan | undefined;
}

/**
 * The same failure with further facts. Of a state that differs from the network's the message says what this node did about the
 * plan of the last block.
 */
export function withFacts(error: UpgradeError, more: ErrorDetails): UpgradeError {
  if (error.code !== "UPG_HALT_DIVERGED") return error;
  const { skipped_plan: skipped, applied_plan: applied } = more;
  const last = BigInt(error.details["height"] ?? "1") - 1n;
  const what = skipped
    ? `. This node skipped "${skipped}" at ${last}; the network did not`
    : applied
      ? `. This node applied "${applied}" at ${last}`
      : "";
  return new UpgradeError(error.code, `${error.template}${what}`, {
    cause: error,
    details: { ...error.details, ...more },
  });
}

/**
 * The record of a halt, or of any other failure that ended the process.
 *
 * @example
 * const halt = new Halt("UPG_HALT_RESTART", "start the same binary again", 7n);
 * const facts = { lastCommittedHeight: 6n, nextHeight: 7n, appHash: new Uint8Array(32), time: "2026-01-01T00:00:00Z" };
 * const { code, height, last_committed_height } = haltRecord(halt, facts);
 * console.log(code, height, last_committed_height); // → UPG_HALT_RESTART 7 6
 */
export function haltRecord(error: UpgradeError, facts: HaltFacts): HaltRecord {
  const { code, template, details } = error;
  const program = facts.program ?? OWN_PROGRAM;
  const plan = planOf(error) ?? facts.duePlan;
  const height = details["height"] ?? String(facts.nextHeight);
  const hash = toHex(facts.appHash);
  const { handler_file: file, handler_sha256: sha256 } = details;
  return {
    v: 1,
    code,
    cause: ERROR_KINDS[code].cause,
    plan: plan ? { name: plan.name, height: String(plan.height), info: plan.info } : null,
    handler: sha256 === undefined ? null : { file: file ?? null, sha256 },
    height,
    last_committed_height: String(facts.lastCommittedHeight),
    app_hash: hash.toUpperCase(),
    message: completeText(template, program),
    ...nextStep({
      ...{ code, height, details, plan: plan?.name ?? "" },
      ...{ home: facts.home ?? "<home>", program },
      ...{ startFlags: facts.startFlags ?? [], startCommand: facts.startCommand },
      ...{ serviceCommand: facts.serviceCommand, rollbackCommand: facts.rollbackCommand },
    }),
    time: facts.time,
  };
}

/** What an error line of the log has of a record, besides its message. */
export function haltFields(record: HaltRecord): LogFields {
  const { code, cause, plan, handler, height, last_committed_height, app_hash, next } = record;
  const exit = ERROR_KINDS[code as ErrorCode].exit;
  // Of a database that cannot be read no height is known.
  const isUnread = app_hash === "" && code.startsWith("UPG_STORE_");
  const place = isUnread ? {} : { height, last_committed_height, app_hash };
  return {
    ...{ code, exit, plan: plan?.name, cause, ...place, next },
    ...{ plan_height: plan?.height, plan_info: plan?.info || undefined },
    ...{ handler_sha256: handler?.sha256, handler_file: handler?.file ?? undefined },
  };
}

function planOf({ details }: UpgradeError): { name: string; height: string; info: string } | undefined {
  const { plan: name, plan_height: height, plan_info: info = "" } = details;
  return name === undefined || height === undefined ? undefined : { name, height, info };
}
