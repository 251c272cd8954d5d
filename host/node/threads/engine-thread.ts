/**
 * The engine's thread as the serving thread sees it: starts it, hears it, hands it transactions, and notices when it is
 * gone. The port is a channel of its own, because it closes as soon as the thread dies: a thread that runs out of memory
 * inside a transaction of the database never comes to its end, and says nothing by itself.
 */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { THREAD_STACK_MIB } from "../../base/errors/engine-limit.js";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { machineProblem } from "../../base/errors/machine.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import type { Answer, Call } from "../comet/messages.js";
import type { UpgradeProgress } from "../embedded/upgrade-progress.js";
import {
  type Committed,
  type EngineFacts,
  type EngineStart,
  EngineStatus,
  type FromEngine,
  type LogLine,
  receiveError,
  sendError,
  type ToEngine,
} from "./engine-port.js";
import type { EngineThreadData } from "./worker-side.js";

/** Transactions on their way to an engine that is in the middle of a block. */
export const QUEUED_TXS_MAX = 10_000;
/** A thread that died says why, if it can, within so long. */
const LAST_WORDS_MILLIS = 1_000;

export interface EngineListener {
  onCommitted(committed: Committed): void;
  /** A transaction that was let in holds no longer. */
  onRefused(id: number): void;
  /** Transactions that a proposal or a recheck left out, by their names. */
  onLeftOut(names: readonly string[]): void;
  onProgress(progress: UpgradeProgress): void;
  onLog(line: LogLine): void;
  /** halt.json was written; of an application whose engine is CometBFT. */
  onRecorded?(record: HaltRecord): void;
}

/** Callers that wait for it learn how it ends; that nobody waits is no error of the process. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** The engine ended by an error; `record` is what it wrote to halt.json. */
export class EngineFailure extends Error {
  constructor(
    readonly error: Error,
    readonly record: HaltRecord | undefined,
    /** The thread died without a word: nobody has written a record. */
    readonly isCrash: boolean,
  ) {
    super(messageOf(error), { cause: error });
  }
}

/** The file whose threads run `runThread`, or in an executable that embeds it its code. */
export type ThreadProgram = { readonly file: string } | { readonly code: string };

export class EngineThread {
  readonly status = new EngineStatus();
  /** Settles when the engine has opened the chain. Rejects with an EngineFailure. */
  readonly opened: Promise<EngineFacts>;
  /** Settles when the engine has stopped. Rejects with an EngineFailure. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #exited: Promise<void>;
  #lastId = 0;
  #lastCall = 0;
  /** Calls that the application has not returned from. */
  readonly #calls = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  /** It has ended by this. */
  #failure: EngineFailure | undefined;
  #isTerminated = false;
  #deathCause: unknown;

  constructor(
    program: ThreadProgram,
    start: EngineStart,
    private readonly listener: EngineListener,
  ) {
    const { port1, port2 } = new MessageChannel();
    const workerData: EngineThreadData = { port: port2, start, status: this.status.memory };
    const resourceLimits = { stackSizeMb: THREAD_STACK_MIB };
    const [source, isCode] = "code" in program ? [program.code, true] : [program.file, false];
    const options = { workerData, transferList: [port2], resourceLimits, name: "engine" };
    this.#worker = new Worker(source, { ...options, eval: isCode });
    this.#port = port1;
    this.#worker.on("error", (error) => {
      this.#deathCause = error;
    });
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    const [opened, ended] = [deferred<EngineFacts>(), deferred<void>()];
    this.opened = opened.promise;
    this.ended = ended.promise;
    const failWith = (failure: EngineFailure) => {
      this.#failure = failure;
      opened.reject(failure);
      ended.reject(failure);
      for (const { reject } of this.#calls.values()) reject(failure);
      this.#calls.clear();
    };
    port1.on("message", (message: FromEngine) => {
      if (message.kind === "opened") opened.resolve(message.facts);
      else if (message.kind === "stopped") ended.resolve();
      else if (message.kind === "failed") {
        failWith(new EngineFailure(receiveError(message.error), message.record, false));
      } else this.#hear(message);
    });
    // A thread that this one has ended is no crash, and no record is written of it.
    port1.once("close", () => this.#isTerminated || void this.#crash().then(failWith));
  }

  /** From now on blocks are made. */
  run(): void {
    this.#send({ kind: "run" });
  }

  /** @throws UpgradeError UPG_TX_MEMPOOL_FULL while the engine has not taken those before; UPG_REMOTE_NOT_READY after its end */
  requireRoom(): void {
    if (this.#failure) throw new UpgradeError("UPG_REMOTE_NOT_READY", "the node has halted and takes no transactions");
    const waiting = this.#lastId - this.status.txsTaken;
    if (waiting < QUEUED_TXS_MAX) return;
    throw new UpgradeError(
      "UPG_TX_MEMPOOL_FULL",
      `the engine is in the middle of a block and ${waiting} transactions wait for it (max: ${QUEUED_TXS_MAX}): try again`,
    );
  }

  /** Hands over a transaction that was let in; returns its number. @throws as `requireRoom` */
  submit(bytes: Uint8Array): number {
    this.requireRoom();
    this.#send({ kind: "tx", id: ++this.#lastId, bytes });
    return this.#lastId;
  }

  /** A call of CometBFT. @throws what the application throws, with what it has to write down on disk; EngineFailure */
  call(call: Call): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#send({ kind: "call", id, call });
    });
  }

  /** The block under way is finished first. `error`: by which the node ends, for halt.json. */
  stop(error?: unknown): void {
    this.#send({ kind: "stop", ...(error === undefined ? {} : { error: sendError(error) }) });
  }

  /** Ends the thread wherever it is; `ended` does not settle then. False: it did not come to its end in that time. */
  async terminate(millis: number): Promise<boolean> {
    this.#isTerminated = true;
    void this.#worker.terminate();
    return this.exited(millis);
  }

  /** Waits until the thread is gone. False: it is not. */
  async exited(millis: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), millis);
    });
    const isGone = await Promise.race([this.#exited.then(() => true), late]);
    clearTimeout(timer);
    return isGone;
  }

  #hear(message: Exclude<FromEngine, { kind: "opened" | "stopped" | "failed" }>): void {
    const { listener } = this;
    if (message.kind === "committed") listener.onCommitted(message);
    else if (message.kind === "refused") listener.onRefused(message.id);
    else if (message.kind === "leftOut") listener.onLeftOut(message.names);
    else if (message.kind === "progress") listener.onProgress(message.progress);
    else if (message.kind === "recorded") listener.onRecorded?.(message.record);
    else if (message.kind === "returned") this.#settled(message.id)?.resolve(message.answer);
    else if (message.kind === "threw") this.#settled(message.id)?.reject(receiveError(message.error));
    else {
      this.status.linesTaken++;
      listener.onLog(message);
    }
  }

  #settled(id: number) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  async #crash(): Promise<EngineFailure> {
    await this.exited(LAST_WORDS_MILLIS);
    const cause = this.#deathCause;
    const problem = machineProblem(cause);
    const why = problem ?? (cause instanceof Error ? cause.message : "it said nothing");
    const what = `the engine's thread ended by itself: ${why}; nothing of the block under way was committed`;
    const code = problem ? "UPG_STORE_IO" : "UPG_BUG_ASSERT";
    return new EngineFailure(new UpgradeError(code, what, { cause }), undefined, true);
  }

  #send(message: ToEngine): void {
    this.#port.postMessage(message);
  }
}
