/** The side of CometBFT: the sockets that it dials, its process, and what it has learned of the application. */
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, type UpgradeError } from "../../base/errors/errors.js";
import { removeOldSocket } from "../../base/files/old-socket.js";
import type { Log } from "../../base/text/log-line.js";
import { type AbciAddress, addressText, listenOptions } from "../../node/comet/address.js";
import { engineEnded, engineFailed } from "../../node/comet/engine/halts.js";
import { type CometFiles, prepareCometHome } from "../../node/comet/engine/home-files.js";
import { cometFields } from "../../node/comet/engine/log-line.js";
import { CometProcess } from "../../node/comet/engine/process.js";
import { cannotListen } from "../../node/comet/server.js";
import { exceptionText, type LastBlock, REQUEST } from "./abci-message.js";
import type { AbciRequest } from "./abci-request.js";
import { CometState, type Resumption } from "./comet-state.js";
import { RelayedConnection } from "./connection.js";
import type { Worker } from "./worker.js";

/** What a connection's worker has written before its end is read by then. */
const LAST_READ_MILLIS = 1_000;
/** CometBFT closes its connections at once when it reads an exception. */
const HANG_UP_MILLIS = 1_000;

/** Requests of the connection whose blocks are made. */
const OF_BLOCKS: ReadonlySet<number> = new Set([
  ...[REQUEST.initChain, REQUEST.prepareProposal, REQUEST.processProposal],
  ...[REQUEST.extendVote, REQUEST.verifyVoteExtension, REQUEST.finalizeBlock, REQUEST.commit],
]);

export interface EngineSideOptions {
  readonly address: AbciAddress;
  readonly comet: { readonly program: string; readonly args: readonly string[]; readonly files: CometFiles };
  readonly log: Log;
  /** CometBFT knows a block to be committed. */
  readonly onCommitted: () => void;
}

/** Why a worker serves no more. */
export interface Loss {
  readonly reason: string;
  /** It must not: CometBFT knows another state. */
  readonly error?: unknown;
  /** An exception, with the request that it is the response to. */
  readonly refusal?: { readonly asked: AbciRequest; readonly respond: () => void };
}

export class EngineSide {
  readonly known = new CometState();
  /** Settles when CometBFT ends and was not asked to; never rejects. */
  readonly ended: Promise<UpgradeError>;
  readonly #server: Server = createServer();
  readonly #connections = new Set<RelayedConnection>();
  #consensus: RelayedConnection | undefined;
  #comet: CometProcess | undefined;
  #worker: Worker | undefined;
  #isStopping = false;
  #onEnded: (end: UpgradeError) => void = () => undefined;
  #onLost: (loss: Loss) => void = () => undefined;

  constructor(private readonly options: EngineSideOptions) {
    this.ended = new Promise((resolve) => {
      this.#onEnded = resolve;
    });
    this.#server.on("connection", (socket) => this.#accept(socket));
  }

  /** @throws UpgradeError UPG_INVALID_CONFIG */
  async listen(): Promise<void> {
    const { address, log } = this.options;
    if (address.kind === "unix") await removeOldSocket(address.path);
    await new Promise<void>((resolve, reject) => {
      this.#server.on("error", (cause) => reject(cannotListen(address, cause)));
      this.#server.listen(listenOptions(address), resolve);
    });
    log("info", `relay open at ${addressText(address)}`);
  }

  get hasComet(): boolean {
    return this.#comet !== undefined;
  }

  /** @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_CORRUPT, UPG_STORE_IO: what it wants to find in the home is absent */
  startComet(isNew: boolean): void {
    const { address, comet, log } = this.options;
    prepareCometHome(comet.files, isNew, log);
    const child = new CometProcess(comet.program, [...comet.args, "--proxy_app", addressText(address)], (line) =>
      log(line.level, line.message, cometFields(line)),
    );
    this.#comet = child;
    log("info", `CometBFT started: ${comet.program}, process ${child.pid ?? "none"}`);
    const { databases } = comet.files;
    const facts = { databases, nextHeight: () => this.nextHeight, isRestored: () => this.known.isRestoring };
    void child.failed.then((failure) => {
      if (!this.#isStopping) this.#onEnded(engineFailed(facts, failure));
    });
    void child.ended.then((how) => {
      if (!this.#isStopping) this.#onEnded(engineEnded(facts, how));
    });
  }

  get nextHeight(): bigint {
    return this.known.heightUnderWay ?? (this.known.lastBlock?.height ?? 0n) + 1n;
  }

  /**
   * Serves CometBFT by this worker. Settles when it serves no more.
   * @throws Halt UPG_HALT_WORKER
   */
  async serve(worker: Worker, lastBlock: LastBlock): Promise<Loss> {
    const { replays, isCommitted } = this.#resume(lastBlock);
    const [commit] = this.#consensus?.queue ?? [];
    if (isCommitted) commit?.wasCommitted();
    const lost = new Promise<Loss>((resolve) => {
      this.#onLost = resolve;
    });
    this.#worker = worker;
    const { log } = this.options;
    for (const { number } of replays) {
      if (number === REQUEST.finalizeBlock) log("info", `block ${this.nextHeight} run again, before its Commit`);
    }
    // Blocks first: a transaction that is checked while an upgrade's block is made is refused, and may be sent again.
    if (this.#consensus) await this.#attach(this.#consensus, worker, replays);
    const others = [...this.#connections].filter((each) => each !== this.#consensus);
    await Promise.all(others.map((each) => this.#attach(each, worker)));
    return lost;
  }

  #resume(lastBlock: LastBlock): Resumption {
    const [first] = this.#consensus?.queue ?? [];
    return this.known.resume(lastBlock, first?.number === REQUEST.commit && first.isGiven);
  }

  /** The requests that wait for a response, of blocks alone. */
  get waitingForBlocks(): readonly AbciRequest[] {
    return this.#consensus?.queue ?? [];
  }

  /** The worker has ended: what it has written is read, and what it has left is kept for the next one. */
  async workerEnded(isCrash: boolean): Promise<void> {
    this.#worker = undefined;
    await this.#untilRead();
    for (const connection of this.#connections) {
      connection.detach();
      for (const request of connection.queue) request.workerEnded(isCrash);
    }
  }

  async #untilRead(): Promise<void> {
    const late = new AbortController();
    const read = Promise.all([...this.#connections].map((each) => each.untilRead()));
    await Promise.race([read, sleep(LAST_READ_MILLIS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  }

  #accept(socket: Socket): void {
    const connection: RelayedConnection = new RelayedConnection(socket, {
      onRequest: ({ number, message }) => {
        if (OF_BLOCKS.has(number)) this.#consensus ??= connection;
        this.known.request(number, message);
      },
      onResponse: ({ number }, response) => {
        this.known.response(number, response);
        if (number === REQUEST.commit) this.options.onCommitted();
      },
      onReplayed: (replay, response) => this.known.checkReplay(replay, response),
      onLost: (reason) => this.#onLost({ reason }),
      onException: (response, asked) => {
        const respond = () => connection.respond(response);
        this.#onLost({ reason: exceptionText(response), ...(asked ? { refusal: { asked, respond } } : {}) });
      },
      onRefused: (error) => this.#onLost({ reason: messageOf(error), error }),
    });
    this.#connections.add(connection);
    void connection.closed.then(() => {
      this.#connections.delete(connection);
      if (this.#consensus === connection) this.#consensus = undefined;
    });
    if (this.#worker) void this.#attach(connection, this.#worker);
  }

  async #attach(connection: RelayedConnection, worker: Worker, replays: Resumption["replays"] = []): Promise<void> {
    try {
      const socket = await worker.connect();
      // Meanwhile CometBFT may have dialed, which is served at once.
      if (this.#worker === worker && !connection.isAttached) connection.attach(socket, replays);
      else socket.destroy();
    } catch {
      if (this.#worker === worker) this.#onLost({ reason: "it takes no connection" });
    }
  }

  /** The exception of a worker becomes CometBFT's, which ends by it: for its own log, and as without a relay. */
  async refuse({ refusal }: Loss): Promise<void> {
    if (!refusal) return;
    this.#isStopping = true;
    refusal.respond();
    const late = new AbortController();
    const closed = Promise.all([...this.#connections].map((each) => each.closed));
    await Promise.race([closed, sleep(HANG_UP_MILLIS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  }

  /** Ends CometBFT, and what dials. @param isServed its requests have responses: it ends in order */
  async stop(isServed: boolean): Promise<void> {
    this.#isStopping = true;
    const hangUp = () => {
      for (const connection of this.#connections) connection.destroy();
    };
    if (!isServed) hangUp();
    await this.#comet?.stop();
    hangUp();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
