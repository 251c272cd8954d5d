/**
 * Every error this project raises has a stable code. A code is never renamed and its number never reused.
 *
 * The numbers are shared with the two Wasm interfaces (a call answers `-number`); `assembly/core/codes.ts` is their
 * AssemblyScript twin and `docs/errors.md` their page. One test holds the three equal.
 */

import { OWN_PROGRAM, PROGRAM } from "../text/program-text.js";
import { briefMessageOf } from "../text/text.js";
import {
  bug,
  type ErrorDetails,
  type ErrorKind,
  halt,
  handler,
  invalid,
  kind,
  migration,
  notFound,
  proof,
  remote,
  store,
} from "./error-kind.js";

export { ABSENT, type ErrorCause, type ErrorDetails, type ErrorKind } from "./error-kind.js";

/**
 * Exit status, HTTP and gRPC status of every code, in the order of docs/errors.md. Number 1 is ABSENT, which is no error.
 *
 * @example
 * console.log(ERROR_KINDS.UPG_STORE_FULL.exit, ERROR_KINDS.UPG_STORE_FULL.http); // → 30 500
 */
export const ERROR_KINDS = Object.freeze({
  UPG_INVALID_PLAN_NAME: invalid(10, "A plan's name is empty, too long, not UTF-8, or holds control characters."),
  UPG_INVALID_PLAN_HEIGHT: invalid(11, "A plan's height is not a positive 64-bit integer."),
  UPG_INVALID_PLAN_IN_PAST: invalid(12, "A plan's height lies below the current block."),
  UPG_INVALID_PLAN_DONE: invalid(13, "An upgrade of that name was applied before; names are used once."),
  UPG_INVALID_PLAN_INFO: invalid(14, "A plan's info is too long, not UTF-8, or not what its checker accepts."),
  UPG_INVALID_PLAN_DEPRECATED: invalid(15, "A plan sets time or upgraded_client_state, which no longer mean anything."),
  UPG_INVALID_PLAN_BYTES: invalid(
    16,
    "The bytes are not a Plan: malformed protobuf, an unknown field, a time out of range.",
  ),
  UPG_INVALID_VERSION_MAP: invalid(17, "A version map is malformed: names not strictly ascending, too long, too many."),
  UPG_INVALID_NAMES: invalid(18, "A list of module names is malformed."),
  UPG_INVALID_ARGUMENT: invalid(19, "An argument is missing, of the wrong type or out of range.", "local"),
  UPG_INVALID_HEIGHT: invalid(20, "A height is no 64-bit integer in the allowed range, or is not reached yet."),
  UPG_INVALID_KEY: invalid(21, "A store key is empty or longer than 65,535 bytes."),
  UPG_INVALID_VALUE: invalid(22, "A store value is longer than 1 MiB."),
  UPG_INVALID_GENESIS: invalid(23, "The genesis document is malformed or names what this process does not know."),
  UPG_INVALID_TX: invalid(24, "A transaction cannot be decoded or breaks a rule."),
  UPG_INVALID_CONFIG: invalid(25, "A configuration file or flag is wrong.", "local"),
  UPG_INVALID_REQUEST_SIZE: kind(26, 2, 413, 8, "local", "A request is larger than this server takes."),
  UPG_INVALID_SNAPSHOT: invalid(27, "A snapshot is not what its peer says, or leads to another app hash.", "local"),
  UPG_INVALID_NONDETERMINISTIC: invalid(28, "A chain's module used a function whose result differs between nodes."),
  UPG_NOT_FOUND_PLAN: notFound(40, "No plan is scheduled."),
  UPG_NOT_FOUND_UPGRADE: notFound(41, "No upgrade of that name was applied."),
  UPG_NOT_FOUND_MODULE: notFound(42, "The version map has no such module."),
  UPG_NOT_FOUND_BLOCK: notFound(
    43,
    "The block was pruned or is in the future; the message names the lowest height kept.",
    "local",
  ),
  UPG_NOT_FOUND_VERSION: notFound(44, "State of that height was pruned or is in the future.", "local"),
  UPG_NOT_FOUND_STORE: notFound(45, "There is no store of that name at that height."),
  UPG_NOT_FOUND_RECEIPT: notFound(46, "No receipt: the upgrade was not applied, or not by a Wasm handler.", "local"),
  UPG_NOT_FOUND_KEY: notFound(47, "The keyring has no such key.", "local"),
  UPG_NOT_FOUND_ACCOUNT: notFound(52, "There is no such account."),
  UPG_NOT_FOUND_PROPOSAL: notFound(48, "There is no such proposal."),
  UPG_NOT_FOUND_TX: notFound(49, "No block holds a transaction of that hash."),
  UPG_NOT_FOUND_RECORD: notFound(50, "Nothing is recorded there: a vote, a deposit, a validator, metadata."),
  UPG_NOT_FOUND_SNAPSHOT: notFound(53, "This home has no such snapshot.", "local"),
  UPG_NOT_FOUND_GENESIS: notFound(
    54,
    "This node does not have the genesis document that its chain began with.",
    "local",
  ),
  UPG_NOT_FOUND_FILE: notFound(55, "The node has no such file: a handler, a witness.", "local"),
  UPG_NOT_FOUND_METHOD: kind(51, 3, 501, 12, "local", "There is no such method, route or query path."),
  UPG_UNAUTHORIZED: kind(60, 4, 403, 7, "state", "The message comes from another account than the authority."),
  UPG_BLOCK_IS_UPGRADE: kind(
    61,
    1,
    503,
    14,
    "state",
    "A transaction was in an upgrade block, or arrived while one is made; nothing of it ran. Send it again.",
  ),
  UPG_TX_IN_MEMPOOL: kind(62, 1, 409, 6, "local", "The node has this transaction already."),
  UPG_TX_MEMPOOL_FULL: kind(63, 1, 503, 8, "local", "The mempool is full: send the transaction again later."),
  UPG_TX_TOO_LARGE: kind(64, 2, 413, 3, "local", "A transaction has more bytes than the mempool or a block takes."),
  UPG_TX_FAILED: kind(65, 1, 500, 2, "state", "A simulated transaction failed; the message says why."),
  UPG_HALT_UPGRADE_NEEDED: halt(
    70,
    10,
    "state",
    "A plan is due and this binary has no handler for it: start the new version.",
  ),
  UPG_HALT_BINARY_TOO_EARLY: halt(
    71,
    11,
    "local",
    "This binary has the handler of a plan that is not due: run the old version until the height.",
  ),
  UPG_HALT_HANDLER_MISSING: halt(
    72,
    12,
    "local",
    "The last applied upgrade is unknown to this binary: it is too old for this state.",
  ),
  UPG_HALT_HEIGHT: halt(73, 13, "local", "The height given by --halt-height is reached."),
  UPG_HALT_RESTART: halt(74, 14, "local", "Start the same binary again; it goes on with the upgrade."),
  UPG_HALT_ENGINE: halt(
    75,
    16,
    "local",
    "CometBFT, which this node had started, exited or stopped making blocks; its log says why.",
  ),
  UPG_HALT_WORKER: halt(
    76,
    17,
    "local",
    "The relay cannot go on with a new application process: the next start does CometBFT's handshake.",
  ),
  UPG_HALT_DIVERGED: halt(77, 18, "local", "This node's state after the last block differs from the network's."),
  UPG_MIGRATION_FAILED: migration(80, "The handler returned an error. Nothing was committed."),
  UPG_MIGRATION_OUT_OF_GAS: migration(81, "The handler used up its gas. Nothing was committed."),
  UPG_MIGRATION_INVARIANT: migration(82, "A check of the handler failed after the migration. Nothing was committed."),
  UPG_MIGRATION_VERSION_MAP: migration(
    83,
    "The version map a handler returned drops a module, lowers a version or is not what was declared.",
  ),
  UPG_MIGRATION_STUCK: migration(84, "A migration step is missing, so the module cannot reach its version."),
  UPG_MIGRATION_PROBE: migration(85, "A probe of a module failed on the upgraded state. Nothing was committed."),
  UPG_MIGRATION_HOOK: migration(86, "A module failed in the upgrade's block. Nothing was committed."),
  UPG_HANDLER_HASH: handler(90, "The handler's bytes are not those that the plan pins, or the receipt names.", "local"),
  UPG_HANDLER_LAYOUT: handler(91, "The stored module versions are not those that the handler accepts."),
  UPG_HANDLER_IMPORT: handler(92, "The module imports something that is not offered, or with another type."),
  UPG_HANDLER_EXPORT: handler(93, "The module lacks an export of the interface, or has it with another type."),
  UPG_HANDLER_OPCODE: handler(
    94,
    "The module uses an instruction or a type that is not allowed (floats, SIMD, threads …).",
  ),
  UPG_HANDLER_LIMIT: handler(95, "The module passes a limit of size, count or depth."),
  UPG_HANDLER_MEMORY: handler(96, "The module's memory is missing, imported, shared, or too large."),
  UPG_HANDLER_MANIFEST: handler(
    97,
    "The manifest is missing, repeated or wrong; the message names the path in the JSON.",
  ),
  UPG_HANDLER_DUPLICATE: handler(98, "Two handlers name the same plan.", "local"),
  UPG_HANDLER_TRAP: handler(99, "The handler broke a rule of its interface while it ran, or trapped."),
  UPG_HANDLER_FORMAT: handler(100, "The bytes are not a well-formed WebAssembly module."),
  UPG_HANDLER_ENGINE: handler(
    101,
    "The run did not complete, by the engine, the machine or its caller; it says nothing about the handler. Try again, or on another machine.",
    "local",
  ),
  UPG_HANDLER_STACK: handler(102, "The handler's calls went deeper than the stack budget of a run allows."),
  UPG_HANDLER_METERED: handler(
    103,
    "The metered module in the handler's file is not made of the module itself. A host that cannot make it found none.",
  ),
  UPG_STORE_CORRUPT: store(110, "Bytes on disk are not what this program writes; the message names them."),
  UPG_STORE_UPGRADE: store(
    111,
    "The store upgrades do not fit the stores on disk; the difference is printed.",
    "state",
  ),
  UPG_STORE_VERSION_MISMATCH: store(112, "The data directory was written by a newer format or another chain."),
  UPG_STORE_IO: store(113, "The disk refused, or a file that was written could not be read back."),
  UPG_STORE_LOCKED: store(114, "Another process has this data directory open."),
  UPG_STORE_FULL: store(115, "No space is left for the database."),
  UPG_STORE_SIGNED: store(
    116,
    "This key has signed that height, or a later one, in another way: signing it again would be signing twice.",
  ),
  UPG_PROOF_MALFORMED: proof(120, "The proof's bytes cannot be decoded, or break the proof specification."),
  UPG_PROOF_KEY: proof(121, "The proof is for another key."),
  UPG_PROOF_VALUE: proof(122, "The proof is for another value."),
  UPG_PROOF_ROOT: proof(123, "The proof leads to another root."),
  UPG_PROOF_EMPTY_VALUE: proof(
    124,
    "No ICS-23 verifier accepts a proof of an empty value or of absence in an empty tree.",
  ),
  UPG_PROOF_COMMIT: proof(
    125,
    "The commit is for another block, or is not signed by more than two thirds of the power.",
  ),
  UPG_PROOF_HEADER: proof(
    126,
    "The header is of another chain, of another block than its commit or validators, or its time is from the future.",
  ),
  UPG_PROOF_TRUST: proof(
    127,
    "Trust does not reach the header: the trusted block is another, too old, or too few of its validators signed.",
    "local",
  ),
  UPG_PROOF_RANGE: proof(128, "The proofs leave a part of the range open, where keys could be hidden."),
  UPG_WITNESS_MALFORMED: proof(150, "The bytes are not a witness, or hold what no tree has."),
  UPG_WITNESS_ROOT: proof(
    151,
    "A witness's nodes hash to another root, or its stores to another app hash than the header's.",
  ),
  UPG_WITNESS_HIDDEN: proof(152, "What runs on a witness asked for a part of a store that the witness does not have."),
  UPG_WITNESS_TOO_LARGE: kind(153, 40, 413, 8, "local", "A witness is larger than the caller takes."),
  UPG_WITNESS_HEADERS: proof(154, "The headers are not those of the witness's block and of the block after it."),
  UPG_WITNESS_PLAN: proof(
    155,
    "The state before the block has another plan than the witness or the handler, or one that is not due.",
  ),
  UPG_WITNESS_RESULT: proof(156, "The handler, run again, leads to another app hash than the block's."),
  UPG_REMOTE_UNAVAILABLE: remote(130, "The node or the network did not respond."),
  UPG_REMOTE_REFUSED: remote(131, "The node returned an error."),
  UPG_REMOTE_BUSY: kind(132, 1, 503, 14, "local", "The node has as many requests as it serves at once: try again."),
  UPG_REMOTE_NOT_READY: kind(133, 1, 503, 14, "local", "The node has no block yet: try again."),
  UPG_REMOTE_SEARCH_CUT: kind(
    134,
    1,
    429,
    8,
    "local",
    "The search was stopped at its limits of time and work before the page was reached: narrow it by heights.",
  ),
  UPG_BUG_PLAN_CHANGED: bug(140, "The plan changed between the hook that decided and the hook that applies."),
  UPG_BUG_CORE_TRAP: bug(141, "core.wasm trapped. Please report it."),
  UPG_BUG_CORE_ABI: bug(142, "core.wasm is not the module that this host was built for."),
  UPG_BUG_ASSERT: bug(143, "An internal check failed. Please report it."),
  UPG_BUG_ENGINE_LIMIT: bug(144, "The chain's code reached a limit of the JavaScript engine (stack or memory)."),
  UPG_BUG_MODULE: bug(145, "A function of a module failed."),
  UPG_BUG_NO_RESULT: bug(146, "A command ended without its result."),
} as const satisfies Record<string, ErrorKind>);

export type ErrorCode = keyof typeof ERROR_KINDS;

const BRAND = Symbol.for("chain-upgrade.UpgradeError");

/**
 * The one error class. Ask with {@link isUpgradeError}; `instanceof` does not work across realms.
 *
 * @example
 * const error = new UpgradeError("UPG_NOT_FOUND_PLAN", "no plan is scheduled");
 * console.log(error.kind.exit, error.kind.http, error.message); // → 3 404 no plan is scheduled
 */
export class UpgradeError extends Error {
  override readonly name = "UpgradeError";
  readonly [BRAND] = true;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: ErrorDetails } = {},
  ) {
    super(message.replaceAll(PROGRAM, OWN_PROGRAM), options.cause === undefined ? undefined : { cause: options.cause });
    this.#template = message;
    this.details = options.details ?? {};
  }
  readonly details: ErrorDetails;
  readonly #template: string;

  /** The message before its completion (base/text/program-text.ts): a report names the program that prints it. */
  get template(): string {
    return this.#template;
  }

  /** Exit status, HTTP and gRPC numbers of this error's code. */
  get kind(): ErrorKind {
    return ERROR_KINDS[this.code];
  }
}

/**
 * Is it an error of this package, also one of another copy of it? Then it has a `code` (docs/errors.md).
 *
 * @example
 * try {
 *   JSON.parse("{");
 * } catch (error) {
 *   console.log(isUpgradeError(error) ? error.code : "of another library"); // → of another library
 * }
 */
export function isUpgradeError(error: unknown): error is UpgradeError {
  try {
    return typeof error === "object" && error !== null && BRAND in error;
  } catch {
    return false; // A proxy that throws.
  }
}

/** Appended to the message of a failed assertion. */
export const BUG_NOTE = " (this is a bug, please report it)";

/** Throws UPG_BUG_ASSERT if `condition` is false. */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new UpgradeError("UPG_BUG_ASSERT", `${what}${BUG_NOTE}`);
}

/** Returns a message for any thrown value, to be completed (`completeText`) where it is printed. Truncates it to the length of a handler's log line, unless it is an UpgradeError. */
export function messageOf(thrown: unknown): string {
  return isUpgradeError(thrown) ? thrown.template : briefMessageOf(thrown);
}
