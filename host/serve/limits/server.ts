/** What all servers keep to: bounds of size, time and count, and what they know of their surroundings. */

import type { ErrorEvents } from "../query/api-error.js";
import type { Query } from "../query/query.js";
import type { ArrivingBytes } from "./arriving.js";
import type { ServerLimits } from "./server-limits.js";
import type { UnreadBytes } from "./unread.js";

export const SERVER_LIMITS: ServerLimits = Object.freeze({
  bodyBytes: 1_048_576,
  arrivingBytes: 134_217_728,
  concurrency: 2_048,
  connections: 4_096,
  headerMillis: 10_000,
  requestMillis: 30_000,
  idleMillis: 300_000,
  answerMillis: 30_000,
  unreadBytes: 134_217_728,
  clientUnreadBytes: 4_194_304,
  batchCalls: 10,
  batchBytes: 33_554_432,
  websockets: 1_024,
  subscriptionClients: 100,
  subscriptionsPerClient: 5,
});

/** What is reported about the servers' work, for logs and metrics. */
export interface ServerEvents extends ErrorEvents {
  /** A response went out: the server, the method or route, the gRPC status number, and how long it took. */
  onAnswer(endpoint: "rest" | "grpc" | "rpc", method: string, status: number, seconds: number): void;
}

export interface ServerOptions {
  readonly query: Query;
  readonly events: ServerEvents;
  readonly limits?: Partial<ServerLimits>;
  /** Each is one for all servers of a node; a server that is given none has its own. */
  readonly unread?: UnreadBytes;
  readonly arriving?: ArrivingBytes;
}

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** As addresses are written: brackets keep the colons of IPv6 apart from that of the port. */
export const hostPort = ({ host, port }: Address) => `${host.includes(":") ? `[${host}]` : host}:${port}`;

export interface OpenServer {
  /** The port that it really has. */
  readonly address: Address;
  /** Takes no more requests, ends those under way within `millis`, and is gone then. */
  close(millis: number): Promise<void>;
}
