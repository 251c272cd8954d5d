/**
 * Why a handler failed, for its author. The run is made once more: up to the batch that it failed in with batches as the
 * chain has them, from there on with one pair each, so that the pair in hand is known whatever the guest is written in.
 */
import { isUpgradeError, type UpgradeError } from "../../../base/errors/errors.js";
import { BATCH_BYTES } from "../../../base/types/limits.js";
import type { WasmHandler } from "../../handler/handler.js";
import { isMemoryFull, type MemoryUse, memoryUse } from "../../handler/run/full-memory.js";
import type { HandlerInput } from "../../handler/run/sandbox.js";
import { type GuestFrame, guestFrames } from "./guest-stack.js";
import { mapOf } from "./maps.js";

/** Where and with what in hand a handler failed. */
export interface Failure {
  /** `handler_run` (its steps), `scan 0 of store "bank"`, `handler_check` (its invariants), `_initialize` or `loading`. */
  readonly phase: string;
  /** Of a scan: the pair that the handler had in hand, counted from 1; with `isBatch` one of those that follow. */
  readonly pair:
    | { readonly store: string; readonly number: number; readonly key: string; readonly isBatch: boolean }
    | undefined;
  /** Functions of the handler that were running, innermost first. */
  readonly frames: readonly GuestFrame[];
  /** More memory was asked for than it may have: bytes in use, most bytes, and how many it took a pair, where that is known. */
  readonly outOfMemory: MemoryUse | undefined;
}

/** A frame alone. */
const ONE_PAIR = 1;
/** For the calls that a batch of one pair each costs more. */
const SPARE_GAS = 1_000_000_000n;
const FRAMES_MAX = 100;
/** Where a full memory ends a guest: AssemblyScript's and Rust's allocators. */
const ALLOCATORS = /maybeGrowMemory|handle_alloc_error|rust_oom|rdl_oom/;

/**
 * @param error what the run ended with
 * @param again runs the handler on the same state, with these changes, and throws what that ends with
 */
export function explainFailure(
  handler: WasmHandler,
  error: UpgradeError,
  again: (changes: Partial<HandlerInput>) => void,
): Failure {
  const second = secondFailure(handler, error, again);
  const shown = second ?? error;
  const { phase = "loading", store = "", pairs = "0", key, scan } = shown.details;
  const frames = guestFrames(handler, mapOf(handler), shown);
  const isInScan = scan !== undefined && key !== undefined;
  return {
    phase,
    pair: isInScan ? { store, number: Number(pairs) + 1, key, isBatch: second === undefined } : undefined,
    frames,
    outOfMemory: isOutOfMemory(handler, shown, frames) ? memoryUse(handler, shown.details) : undefined,
  };
}

/** The same failure with the pair in hand; undefined when the second run ends elsewhere. */
function secondFailure(
  handler: WasmHandler,
  { code, details }: UpgradeError,
  again: (changes: Partial<HandlerInput>) => void,
): UpgradeError | undefined {
  const { scan, pairs } = details;
  const isHere = (number: number, consumed: number) => String(number) === scan && consumed >= Number(pairs);
  const batchBytes = (number: number, consumed: number) => (isHere(number, consumed) ? ONE_PAIR : BATCH_BYTES);
  const isGas = code === "UPG_MIGRATION_OUT_OF_GAS";
  const gasLimit = BigInt(details["limit"] ?? handler.manifest.gasLimit) + (isGas ? 0n : SPARE_GAS);
  const failed = withLongStacks(() => failureOf(() => again({ batchBytes, gasLimit })));
  return failed?.code === code && failed.details["phase"] === details["phase"] ? failed : undefined;
}

function failureOf(run: () => void): UpgradeError | undefined {
  try {
    run();
  } catch (error) {
    if (isUpgradeError(error)) return error;
    throw error;
  }
  return undefined;
}

function withLongStacks<T>(work: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES_MAX;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = before;
  }
}

function isOutOfMemory(handler: WasmHandler, { details }: UpgradeError, frames: readonly GuestFrame[]): boolean {
  if (details["trap"] !== "unreachable") return false;
  return isMemoryFull(handler, details) || ALLOCATORS.test(frames[0]?.function ?? "");
}
