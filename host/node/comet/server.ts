/**
 * The application on ABCI 2.0 sockets, for CometBFT 0.38 in another process. It dials four connections and says on none
 * which it is: the first request that belongs to one kind names it. One engine is served at a time: blocks of two would
 * drop and commit each other's runs.
 */
import { createServer, type Server, type Socket } from "node:net";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { removeOldSocket } from "../../base/files/old-socket.js";
import { type AbciAddress, addressText, listenOptions } from "./address.js";
import { type ConnectionKind, ENDING, kindOf } from "./calls.js";
import { AbciConnection } from "./connection.js";
import type { Answer, Call } from "./messages.js";

/** CometBFT has four; the rest are for people who look. */
const CONNECTIONS_MAX = 64;
/** An engine on another machine that is gone without a word is noticed after this and ten seconds more. */
const KEEP_ALIVE_MILLIS = 10_000;

export interface AbciServerOptions {
  readonly answer: (call: Call) => Promise<Answer>;
  /** Name of the chain's program, in errors with commands to type. */
  readonly program: string;
  /** A call of consensus has failed, so that the application makes no more blocks: its exception is written afterwards. */
  readonly onFailed: (error: unknown) => void | Promise<void>;
  /** Another call of consensus has failed: the application goes on, but CometBFT ends when it reads the exception. */
  readonly onException?: (error: unknown) => void;
  /** A connection that was of a kind is gone. */
  readonly onGone?: (kind: ConnectionKind) => void;
  readonly frameBytesMax?: number;
  /** Called when the client does not speak ABCI over this transport. */
  readonly onForeign?: (error: UpgradeError) => void;
}

export class AbciServer {
  readonly #connections = new Map<AbciConnection, ConnectionKind | undefined>();
  /** The connection whose blocks are made. */
  #consensus: AbciConnection | undefined;
  /** Calls of consensus, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly server: Server,
    private readonly options: AbciServerOptions,
    private readonly given: AbciAddress,
  ) {
    server.maxConnections = CONNECTIONS_MAX;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
  static async listen(address: AbciAddress, options: AbciServerOptions): Promise<AbciServer> {
    if (address.kind === "unix") await removeOldSocket(address.path);
    const server = createServer({ allowHalfOpen: true });
    const made = new AbciServer(server, options, address);
    await new Promise<void>((resolve, reject) => {
      // Also of a connection that the system could not give, later: that ends nothing.
      server.on("error", (cause) => reject(cannotListen(address, cause)));
      server.listen(listenOptions(address), resolve);
    });
    return made;
  }

  /** With the port that it has, where any was asked for. */
  get address(): string {
    const bound = this.server.address();
    const isTcp = this.given.kind === "tcp" && bound !== null && typeof bound !== "string";
    return addressText(isTcp ? { ...this.given, port: bound.port } : this.given);
  }

  /** Kinds of the connections that are open, in no order. */
  get kinds(): ConnectionKind[] {
    return [...this.#connections.values()].flatMap((kind) => kind ?? []);
  }

  /** Ends the connections. What is under way is given up. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.#connections.keys()) connection.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    socket.setKeepAlive(true, KEEP_ALIVE_MILLIS);
    const connection: AbciConnection = new AbciConnection(socket, {
      program: this.options.program,
      answer: (call, from) => this.#answer(call, from),
      ...(this.options.onForeign ? { onForeign: this.options.onForeign } : {}),
      ...(this.options.frameBytesMax === undefined ? {} : { frameBytesMax: this.options.frameBytesMax }),
    });
    this.#connections.set(connection, undefined);
    void connection.closed.then(() => this.#forget(connection));
  }

  #forget(connection: AbciConnection): void {
    const kind = this.#connections.get(connection);
    this.#connections.delete(connection);
    if (this.#consensus === connection) this.#consensus = undefined;
    if (kind) this.options.onGone?.(kind);
  }

  #answer(call: Call, connection: AbciConnection): Promise<Answer> {
    const kind = kindOf(call);
    if (kind && !this.#connections.get(connection)) this.#connections.set(connection, kind);
    if (kind === "consensus") return this.#inTurn(call, connection);
    const result = this.options.answer(call);
    return ENDING.has(call.case) ? this.#sayIfFailed(result) : result;
  }

  /** Rejects after it was said, so that what is written down is there when the engine reads the exception. */
  #sayIfFailed(result: Promise<Answer>): Promise<Answer> {
    return result.catch(async (error: unknown) => {
      await this.options.onFailed(error);
      throw error;
    });
  }

  /** Also of one engine only one call at a time, whatever comes ahead. */
  #inTurn(call: Call, connection: AbciConnection): Promise<Answer> {
    this.#consensus ??= connection;
    if (this.#consensus !== connection) {
      return Promise.reject(
        new UpgradeError(
          "UPG_INVALID_CONFIG",
          "another engine is connected, and this application serves one at a time",
        ),
      );
    }
    const result = this.#last.then(() => this.options.answer(call));
    this.#last = result.catch(async (error: unknown) => {
      if (ENDING.has(call.case)) await this.options.onFailed(error);
      else this.options.onException?.(error);
    });
    // After `onFailed`, so that what it writes down is there when the engine reads the exception.
    return this.#last.then(() => result);
  }
}

export function cannotListen(address: AbciAddress, cause: Error): UpgradeError {
  return new UpgradeError("UPG_INVALID_CONFIG", `cannot listen at ${addressText(address)}: ${messageOf(cause)}`, {
    cause,
  });
}
