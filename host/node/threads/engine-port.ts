/**
 * What crosses between the thread that makes blocks and the one that serves clients: plain data in both directions. The
 * serving side reads blocks and state from the database itself; only what is absent there goes through here. An engine in another
 * process would speak the same.
 */

import {
  type ErrorCode,
  type ErrorDetails,
  isUpgradeError,
  messageOf,
  UpgradeError,
} from "../../base/errors/errors.js";
import { stackOf } from "../../base/text/log-line.js";
import type { Height } from "../../base/types/types.js";
import type { EngineName } from "../../chain/app/engine-port.js";
import type { ChainVersion } from "../../chain/app/versions/version.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import type { HandlerState } from "../../upgrade/module/handler-set.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { ChainFacts } from "../blocks/block-maker.js";
import type { MempoolLimits } from "../blocks/mempool.js";
import type { Answer, Call } from "../comet/messages.js";
import type { BlockSettings } from "../embedded/embedded-node.js";
import type { UpgradeProgress } from "../embedded/upgrade-progress.js";
import type { GenesisDigest } from "../home/genesis-record.js";

/** What an engine is started with. */
export interface EngineStart {
  /** `cometbft`: the thread has the application alone, and CometBFT's calls come through the port. */
  readonly engine: EngineName;
  /** The thread waits until it is released before it opens the home, which another process has until then. */
  readonly isStandby?: boolean;
  /** Nobody chose it: the embedded engine begins no chain of several validators that its key cannot decide. */
  readonly isEngineAssumed?: boolean;
  readonly home: string;
  /** Flags that the commands of halt.json must have for this home. */
  readonly startFlags?: readonly string[];
  /** Folder of handlers for the versions that this program knows; undefined: that of the chain. */
  readonly handlers: string | undefined;
  /** Time goes on by so much with each block; undefined: the machine's clock. */
  readonly logicalBlockNanos: bigint | undefined;
  readonly appVersion: bigint | undefined;
  readonly skipHeights: readonly Height[];
  readonly haltHeight: Height | undefined;
  readonly versionsKept: number | undefined;
  /** What is kept of blocks, and indexed. */
  readonly blocks: Partial<BlockSettings>;
  /** One more folder of handlers that wait for their height. */
  readonly staged: string | undefined;
  /** Bytes that a handler may spill to disk; undefined: no limit but the disk's. */
  readonly handlerDiskMax: number | undefined;
  readonly mempool: Partial<MempoolLimits>;
  readonly emptyBlocks: boolean;
  readonly blockMillis: number;
  readonly maxBlocks: number | undefined;
  /** Lines of this level are wanted too. */
  readonly isDebugLogged: boolean;
}

/** What the serving side must know of a chain besides its database. */
export interface EngineFacts {
  readonly chain: ChainFacts;
  readonly bondDenom: string;
  /** `app_state.staking.params` of the genesis document, as JSON. */
  readonly stakingParams: unknown;
  /** Of the genesis document that the chain begins or began with. */
  readonly genesisDigest: GenesisDigest;
  /** The key that signs blocks. */
  readonly address: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly versions: readonly ChainVersion[];
  /** The version that runs. */
  readonly version: bigint;
  readonly lastHeight: Height;
  /** Is the handler of the plan that is scheduled here? Undefined: no plan. */
  readonly handlerState: HandlerState | undefined;
}

/** To the engine. Transactions are numbered from 1 on. */
export type ToEngine =
  | { readonly kind: "run" }
  | { readonly kind: "tx"; readonly id: number; readonly bytes: Uint8Array }
  /** A call of CometBFT; numbered from 1 on. */
  | { readonly kind: "call"; readonly id: number; readonly call: Call }
  /** `error`: by which the node ends, where the application has not failed by itself. */
  | { readonly kind: "stop"; readonly error?: SentError };

export interface Committed {
  readonly kind: "committed";
  readonly height: Height;
  readonly appHash: Uint8Array;
  /** Is the handler of the plan that is scheduled now here? Undefined: no plan. */
  readonly handlerState: HandlerState | undefined;
  /** Did the block apply an upgrade? */
  readonly isUpgrade: boolean;
}

export interface LogLine {
  readonly kind: "log";
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string | number>>;
}

/** From the engine. `opened` or `failed` comes first; `stopped` or `failed` comes last. */
export type FromEngine =
  | { readonly kind: "opened"; readonly facts: EngineFacts }
  | Committed
  /** A transaction that was let in holds no longer. */
  | { readonly kind: "refused"; readonly id: number }
  /** A proposal or a recheck left them out: names of transactions, SHA-256 in lower-case hex. */
  | { readonly kind: "leftOut"; readonly names: readonly string[] }
  | { readonly kind: "progress"; readonly progress: UpgradeProgress }
  | LogLine
  | { readonly kind: "returned"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "threw"; readonly id: number; readonly error: SentError }
  /** Written to halt.json, before `threw` or `stopped`. */
  | { readonly kind: "recorded"; readonly record: HaltRecord }
  | { readonly kind: "stopped" }
  /** `record`: what was written to halt.json. */
  | { readonly kind: "failed"; readonly error: SentError; readonly record: HaltRecord | undefined };

/** An error as it crosses: a message port would leave out its class. */
export interface SentError {
  /** Undefined: an error that is not this project's. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly details: ErrorDetails;
  readonly stack: string | undefined;
  /** Of a system call that failed. */
  readonly syscall: string | undefined;
}

export function sendError(error: unknown): SentError {
  const own = isUpgradeError(error) ? { code: error.code, details: error.details } : { code: undefined, details: {} };
  const { syscall } = (error instanceof Error ? error : {}) as { readonly syscall?: string };
  return { ...own, message: messageOf(error), stack: stackOf(error).stack, syscall };
}

export function receiveError({ code, message, details, stack, syscall }: SentError): Error {
  const error = code === undefined ? new Error(message) : new UpgradeError(code, message, { details });
  if (stack !== undefined) error.stack = stack;
  return syscall === undefined ? error : Object.assign(error, { syscall });
}

/** Counters that both sides see at once, also while the engine is in the middle of a block. */
export class EngineStatus {
  readonly #cells: BigInt64Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(CELLS * 8)) {
    this.#cells = new BigInt64Array(memory);
  }

  /** Height of the block that is being made; 0n: none is. */
  get heightUnderWay(): Height {
    return Atomics.load(this.#cells, HEIGHT_UNDER_WAY);
  }
  set heightUnderWay(height: Height) {
    Atomics.store(this.#cells, HEIGHT_UNDER_WAY, height);
  }

  /** Number of the last transaction that the engine took from its queue. */
  get txsTaken(): number {
    return Number(Atomics.load(this.#cells, TXS_TAKEN));
  }
  set txsTaken(id: number) {
    Atomics.store(this.#cells, TXS_TAKEN, BigInt(id));
  }

  /** Log lines that the serving side took from its queue. */
  get linesTaken(): number {
    return Number(Atomics.load(this.#cells, LINES_TAKEN));
  }
  set linesTaken(count: number) {
    Atomics.store(this.#cells, LINES_TAKEN, BigInt(count));
  }

  /** Blocks that the engine has committed, counted before anybody is notified. */
  get commits(): number {
    return Number(Atomics.load(this.#cells, COMMITS));
  }
  set commits(count: number) {
    Atomics.store(this.#cells, COMMITS, BigInt(count));
  }

  /** Of a thread that is held back (`isStandby`): it opens the home now, or not at all. The first call counts. */
  release(isToOpen: boolean): void {
    Atomics.compareExchange(this.#cells, RELEASED, 0n, isToOpen ? 1n : 2n);
    Atomics.notify(this.#cells, RELEASED);
  }

  /** Waits, with the whole thread, until it was released. False: it is to end. */
  waitForRelease(): boolean {
    Atomics.wait(this.#cells, RELEASED, 0n);
    return Atomics.load(this.#cells, RELEASED) === 1n;
  }
}

const HEIGHT_UNDER_WAY = 0;
const TXS_TAKEN = 1;
const LINES_TAKEN = 2;
const COMMITS = 3;
const RELEASED = 4;
const CELLS = 5;
