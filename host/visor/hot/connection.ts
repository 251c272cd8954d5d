/**
 * One connection of CometBFT, and the worker's connection that serves it. Requests pass in order and are kept until they have
 * their response, so that a new worker can be given those that have none. Nothing is read from CometBFT while too many wait,
 * or while the worker does not read; nothing from the worker while CometBFT does not read.
 */
import type { Socket } from "node:net";
import { messageOf } from "../../base/errors/errors.js";
import { FrameReader, frame } from "../../node/comet/frames.js";
import { EXCEPTION, FLUSH, messageNumber, REQUEST, requestName } from "./abci-message.js";
import { AbciRequest } from "./abci-request.js";
import type { Replay } from "./comet-state.js";

/** Of one connection: what CometBFT sends ahead is kept in memory. */
const REQUESTS_WAITING_MAX = 1_024;
const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;

export interface ConnectionListener {
  onRequest(request: AbciRequest): void;
  /** CometBFT is given the response. */
  onResponse(request: AbciRequest, response: Uint8Array): void;
  /** Of a request that was given again to be run, not for its response. @throws Halt UPG_HALT_WORKER */
  onReplayed(replay: Replay, response: Uint8Array): void;
  /** The worker's connection is of no more use. */
  onLost(reason: string): void;
  /** An exception was the response to `asked`, which has none for CometBFT yet. The connection is of no more use. */
  onException(response: Uint8Array, asked: AbciRequest | undefined): void;
  /** The new worker must not serve CometBFT. */
  onRefused(error: unknown): void;
}

export class RelayedConnection {
  /** Settles when CometBFT has hung up; never rejects. */
  readonly closed: Promise<void>;
  readonly #queue: AbciRequest[] = [];
  #queuedBytes = 0;
  #worker: Socket | undefined;
  /** Those that the worker is given before CometBFT's. */
  #replays: Replay[] = [];
  /** Until then CometBFT's requests wait. */
  #isReplaying = false;
  #read: Promise<void> = Promise.resolve();
  #hasRoom: () => void = () => undefined;

  constructor(
    private readonly engine: Socket,
    private readonly listener: ConnectionListener,
  ) {
    // What fails is seen where it is read or written.
    engine.on("error", () => undefined);
    engine.setNoDelay(true);
    this.closed = this.#readEngine().then(() => {
      engine.destroy();
      this.detach();
    });
  }

  /** In order; the first one is responded to first. */
  get queue(): readonly AbciRequest[] {
    return this.#queue;
  }

  get isAttached(): boolean {
    return this.#worker !== undefined;
  }

  /** Settles when nothing more comes from the worker; never rejects. */
  untilRead(): Promise<void> {
    return this.#read;
  }

  /** Ends it, also for CometBFT. */
  destroy(): void {
    this.engine.destroy();
    this.detach();
    this.#hasRoom();
  }

  /** Of the oldest request, in place of the worker. */
  respond(response: Uint8Array): void {
    if (this.#queue.length > 0) this.#finish(response);
  }

  /** The worker that serves it from now on. It gets `replays` first and, when they are done, what has no response. */
  attach(worker: Socket, replays: readonly Replay[] = []): void {
    worker.on("error", () => undefined);
    worker.setNoDelay(true);
    this.#worker = worker;
    this.#replays = [...replays];
    this.#isReplaying = replays.length > 0;
    this.#read = this.#readWorker(worker);
    if (this.#isReplaying) this.#giveReplays(worker);
    else this.#giveAll(worker);
  }

  /** What was given and has no response is given to the next worker. */
  detach(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.destroy();
  }

  async #readEngine(): Promise<void> {
    const frames = new FrameReader();
    try {
      for await (const chunk of this.engine) {
        for (const message of frames.take(chunk as Uint8Array)) this.#take(new AbciRequest(message));
        const worker = this.#worker;
        if (worker?.writableNeedDrain) await drained(worker);
        while (this.#isFull && !this.engine.destroyed) await this.#untilRoom();
      }
    } catch {
      // CometBFT is gone, or it does not speak ABCI: what follows cannot be read.
    }
  }

  get #isFull(): boolean {
    return this.#queue.length >= REQUESTS_WAITING_MAX || this.#queuedBytes >= WAITING_BYTES_MAX;
  }

  #take(request: AbciRequest): void {
    this.#queue.push(request);
    this.#queuedBytes += request.message.length;
    this.listener.onRequest(request);
    if (this.#worker && !this.#isReplaying) this.#give(this.#worker, request);
  }

  #giveReplays(worker: Socket): void {
    for (const { message } of this.#replays) for (const part of frame(message)) worker.write(part);
    for (const part of frame(FLUSH)) worker.write(part);
  }

  #giveAll(worker: Socket): void {
    this.#respondOwn();
    worker.cork();
    for (const request of this.#queue) this.#give(worker, request);
    worker.uncork();
  }

  #give(worker: Socket, request: AbciRequest): void {
    if (request.own) return;
    request.isGiven = true;
    for (const part of frame(request.message)) worker.write(part);
  }

  async #readWorker(worker: Socket): Promise<void> {
    const frames = new FrameReader();
    let reason = "it hung up";
    try {
      for await (const chunk of worker) {
        this.engine.cork();
        try {
          for (const message of frames.take(chunk as Uint8Array)) {
            // The relay is done with this worker.
            if (this.#worker !== worker) return;
            this.#takeResponse(message);
          }
        } finally {
          this.engine.uncork();
        }
        if (this.engine.writableNeedDrain) await drained(this.engine);
      }
    } catch (error) {
      reason = messageOf(error);
    }
    if (this.#worker === worker) this.#lose(reason);
  }

  #takeResponse(response: Uint8Array): void {
    const number = messageNumber(response);
    const [request] = this.#queue;
    if (number === EXCEPTION) {
      this.detach();
      this.listener.onException(response, request);
      return;
    }
    if (this.#isReplaying) {
      this.#takeReplayed(number, response);
    } else if (request && number === request.number + 1) {
      this.#finish(response);
    } else {
      const asked = request ? requestName(request.number) : "nothing";
      this.#lose(`it responded to ${requestName(number - 1)}, where it was asked for ${asked}`);
    }
  }

  #takeReplayed(number: number, response: Uint8Array): void {
    const [replay] = this.#replays;
    if (number !== (replay?.number ?? REQUEST.flush) + 1) {
      this.#lose(`it responded to ${requestName(number - 1)}, which it was not asked for`);
    } else if (!replay) {
      this.#isReplaying = false;
      if (this.#worker) this.#giveAll(this.#worker);
    } else {
      this.#replays.shift();
      try {
        this.listener.onReplayed(replay, response);
      } catch (error) {
        this.detach();
        this.listener.onRefused(error);
      }
    }
  }

  /** CometBFT is given the response to its oldest request, and those that the relay has made itself after it. */
  #finish(response: Uint8Array): void {
    const request = this.#queue.shift();
    if (!request) return;
    this.#queuedBytes -= request.message.length;
    for (const part of frame(response)) this.engine.write(part);
    // An exception is no response: what was asked for was not done.
    if (messageNumber(response) !== EXCEPTION) this.listener.onResponse(request, response);
    this.#hasRoom();
    this.#respondOwn();
  }

  #respondOwn(): void {
    for (let own = this.#queue[0]?.own; own; own = this.#queue[0]?.own) this.#finish(own);
  }

  #lose(reason: string): void {
    this.detach();
    this.listener.onLost(reason);
  }

  #untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#hasRoom = resolve;
    });
  }
}

/** The other side has read what was written, or is gone. */
function drained(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      socket.off("drain", over).off("close", over);
      resolve();
    };
    socket.on("drain", over).on("close", over);
  });
}
