/**
 * Runs an upgrade again on what a witness has of the state before it, and believes the result only when the whole app hash is
 * that of the next header. So a reader who trusts two headers and has read the handler knows what the upgrade did.
 */

import { isUpgradeError, UpgradeError } from "../base/errors/errors.js";
import { equalBytes, toHex, toUpperHex } from "../base/text/bytes.js";
import type { Sha256 } from "../base/types/types.js";
import { type Header, headerHash } from "../chain/comet-types/header.js";
import { decodeWitness } from "../state/witness/decode.js";
import type { StoreWrites, Witness, WitnessStore } from "../state/witness/types.js";
import { Core } from "../upgrade/core/core.js";
import { loadHandler, type WasmHandler } from "../upgrade/handler/handler.js";
import { GAS_SCHEDULE } from "../upgrade/handler/meter/schedule.js";
import { decodeReceipt, type Receipt } from "../upgrade/handler/receipt.js";
import { type RanUpgrade, Replay, type Replayed, type ReplayedRoot } from "./replay/replay.js";
import { requireWebAssembly } from "./replay/require-web-assembly.js";
import { witnessState } from "./replay/state-before.js";
import { RunWatch, type WatchOptions } from "./run-watch.js";

/** What a proven receipt says before anything runs. */
export type ReceiptOfRun = Pick<Receipt, "handlerSha256" | "gas" | "gasSchedule">;

/** What an upgrade is run again with. */
export interface ReExecuteInput extends WatchOptions {
  /** The bytes of the witness. */
  readonly witness: Uint8Array;
  /** A longer witness is refused before anything is made of it. */
  readonly maxBytes: number;
  /** The bytes of the handler, as its author published them. */
  readonly handler: Uint8Array;
  /** Headers that are trusted: of the upgrade's block, and of the block after it. */
  readonly headers: { readonly block: Header; readonly next: Header };
  readonly sha256: Sha256;
  /** Default: the one of this package. */
  readonly core?: Core | undefined;
  /**
   * The proven receipt of the upgrade. A handler that is not the receipt's is then refused before it runs, and one that is
   * gets the receipt's gas and no more. Left out: any handler runs, up to the gas limit of its own manifest.
   */
  readonly receipt?: ReceiptOfRun | undefined;
}

/** What an upgrade did, as it was found by running it. */
export interface ReExecuted {
  readonly plan: string;
  readonly gas: bigint;
  /** Roots of all stores after the block, by name, ascending. */
  readonly roots: ReadonlyMap<string, ReplayedRoot>;
  /** What else the same block wrote: neither the handler's writes nor the core's. */
  readonly others: readonly StoreWrites[];
  /** The receipt that state has, made again. */
  readonly receipt: Receipt;
  /** The app hash after the block, equal to that of the next header. */
  readonly appHash: Uint8Array;
  /** How large the witness is, in stores' leaves and in subtrees of which it has the hash alone. */
  readonly leaves: number;
  readonly stubs: number;
}

/**
 * Runs the handler again on a witness. What it returns is proven by the two headers, provided they are trusted.
 *
 * @throws UpgradeError UPG_WITNESS_* when witness, headers and handler do not lead to the app hash; UPG_HANDLER_HASH when the
 *   receipt names another handler; UPG_HANDLER_* and UPG_MIGRATION_* when the handler is refused or fails; UPG_HANDLER_ENGINE
 *   when `signal` stops the run
 *
 * @example
 * function summary(input: ReExecuteInput): string {
 *   const { gas, others, appHash } = reExecute(input);
 *   return `gas ${gas}, other writes in ${others.length} stores, app hash of ${appHash.length} bytes`;
 * }
 * console.log(typeof summary); // → function
 */
export function reExecute(input: ReExecuteInput): ReExecuted {
  const stages = stagesOf(input);
  for (;;) {
    const { done, value } = stages.next();
    if (done) return value;
  }
}

/** The same, with pauses in which this thread may do something else: answer a click on Cancel, which stops the run. */
export async function reExecuteInTurns(input: ReExecuteInput): Promise<ReExecuted> {
  const stages = stagesOf(input);
  for (;;) {
    const { done, value } = stages.next();
    if (done) return value;
    await pause();
  }
}

/** Until this thread has come to its next event. Without channels there is no pause. */
function pause(): Promise<void> {
  if (typeof MessageChannel === "undefined") return Promise.resolve();
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

function* stagesOf(input: ReExecuteInput): Generator<undefined, ReExecuted, undefined> {
  const { sha256, headers, receipt } = input;
  const watch = new RunWatch(input);
  watch.reach("witness");
  requireWebAssembly();
  requireFollowing(sha256, headers);
  const { block, next } = headers;
  if (receipt) requireReceiptOf(receipt, toHex(sha256(input.handler)));
  const handler = loadHandler(input.handler, { sha256 });
  watch.reach("witness", gasLimitOf(handler, receipt));
  yield;
  const witness = decodeWitness(input.witness, { sha256, maxBytes: input.maxBytes, appHash: block.appHash });
  requireSameBlock(witness, block);
  watch.reach("handler");
  yield;
  const replay = replayOf(input, handler, witness, watch);
  const ran = ranWithin(replay, handler, receipt);
  if (ran.plan.name !== witness.plan) throw otherPlan(witness, ran.plan.name);
  watch.reach("trees");
  yield;
  replay.addOthers(ran, witness.others);
  const replayed = replay.finish(ran);
  if (!equalBytes(replayed.appHash, next.appHash)) throw otherResult(replayed, next, handler.hash);
  const { roots, appHash } = replayed;
  return {
    ...{ plan: ran.plan.name, gas: ran.report.gas, roots, others: witness.others, appHash },
    receipt: decodeReceipt(replayed.receipt),
    ...sizesOf(witness),
  };
}

function replayOf(input: ReExecuteInput, handler: WasmHandler, witness: Witness, watch: RunWatch): Replay {
  const { sha256, headers, core = new Core(), receipt } = input;
  const { chainId, height, time } = headers.block;
  const facts = { core, sha256, handler, chainId, height, time, gasLimit: gasLimitOf(handler, receipt) };
  return new Replay({ ...facts, before: witnessState(witness), onProgress: watch.onStore, observer: watch });
}

/** What the chain's own run used is enough, to the last unit. */
function gasLimitOf({ manifest }: WasmHandler, receipt: ReceiptOfRun | undefined): bigint {
  return receipt && receipt.gas < manifest.gasLimit ? receipt.gas : manifest.gasLimit;
}

/** @throws UpgradeError UPG_HANDLER_HASH, UPG_WITNESS_RESULT */
function requireReceiptOf({ handlerSha256, gasSchedule }: ReceiptOfRun, hash: string): void {
  const named = toHex(handlerSha256);
  if (named !== hash) {
    const what = `the handler's file has hash ${hash}, and the receipt names ${named}: it was not run. Use the file that the receipt names`;
    throw new UpgradeError("UPG_HANDLER_HASH", what);
  }
  if (gasSchedule === GAS_SCHEDULE) return;
  const what = `the receipt counts gas by schedule "${gasSchedule}", and this program by "${GAS_SCHEDULE}"`;
  throw new UpgradeError("UPG_WITNESS_RESULT", `${what}: run it with a version of this program that has that schedule`);
}

/** Beyond the gas of the receipt the result would be another one anyway. */
function ranWithin(replay: Replay, { hash }: WasmHandler, receipt: ReceiptOfRun | undefined): RanUpgrade {
  try {
    return replay.run();
  } catch (cause) {
    if (!receipt || !isUpgradeError(cause) || cause.code !== "UPG_MIGRATION_OUT_OF_GAS") throw cause;
    const what = `the handler ${hash}, run again, uses more gas than the ${receipt.gas} that the receipt counts`;
    throw new UpgradeError("UPG_WITNESS_RESULT", what, { cause });
  }
}

/** The second header names the first one, so what is trusted of one holds for the other. */
function requireFollowing(sha256: Sha256, { block, next }: ReExecuteInput["headers"]): void {
  const follows = next.height === block.height + 1n && next.chainId === block.chainId;
  if (follows && equalBytes(next.lastBlockId.hash, headerHash(sha256, block))) return;
  const what = `the header of height ${next.height} does not follow the one of height ${block.height}`;
  throw new UpgradeError("UPG_WITNESS_HEADERS", what);
}

function requireSameBlock({ chainId, height }: Witness, block: Header): void {
  if (chainId === block.chainId && height === block.height) return;
  throw new UpgradeError(
    "UPG_WITNESS_HEADERS",
    `the witness is of block ${height} of ${chainId}, the header of another`,
  );
}

function otherPlan({ plan }: Witness, found: string): UpgradeError {
  return new UpgradeError(
    "UPG_WITNESS_PLAN",
    `the witness says plan "${plan}", the state before the block has "${found}"`,
  );
}

function otherResult({ appHash }: Replayed, next: Header, hash: string): UpgradeError {
  const what = `the handler ${hash}, run again, leads to app hash ${toUpperHex(appHash)}, and the next header has ${toUpperHex(next.appHash)}`;
  return new UpgradeError("UPG_WITNESS_RESULT", `${what}: another handler ran, or other writes are missing`);
}

function sizesOf({ stores }: Witness): { leaves: number; stubs: number } {
  const sum = (of: (store: WitnessStore) => number) => stores.reduce((total, store) => total + of(store), 0);
  return { leaves: sum(({ leaves }) => leaves), stubs: sum(({ stubs }) => stubs) };
}
