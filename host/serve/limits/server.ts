/** What all servers keep to: bounds of size, time and count, and what they know of their surroundings. */

import type { Query } from "../query/query.js";
import type { ArrivingBytes } from "./arriving.js";
import type { UnreadBytes } from "./unread.js";

/** Bounds of one server. */
export interface DoorLimits {
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Bytes of requests that clients of all servers together have sent, and that have no response yet. */
  readonly arrivingBytes: number;
  /** Requests handled at the same time; more are refused at once. */
  readonly concurrency: number;
  readonly connections: number;
  /** Milliseconds in which the head of a request, and the whole of it, must have arrived. */
  readonly headerMillis: number;
  readonly requestMillis: number;
  /** Milliseconds that a connection, or a stream of requests, may be without any; of gRPC. */
  readonly idleMillis: number;
  /** Milliseconds in which a client must have taken an answer. */
  readonly answerMillis: number;
  /** Bytes of responses that clients of all servers together have not read. */
  readonly unreadBytes: number;
  /** The same of one websocket: at a quarter of it nothing more is read from it, beyond it the client is let go. */
  readonly clientUnreadBytes: number;
  /** Calls in one request of the RPC, and bytes of the responses to them. */
  readonly batchCalls: number;
  readonly batchBytes: number;
  /** Websockets, those with subscriptions among them, and subscriptions of one. */
  readonly websockets: number;
  readonly subscriptionClients: number;
  readonly subscriptionsPerClient: number;
}

export const DOOR_LIMITS: DoorLimits = Object.freeze({
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
export interface DoorEvents {
  /** A response went out: the server, the method or route, the gRPC status number, and how long it took. */
  onAnswer(door: "rest" | "grpc" | "rpc", method: string, status: number, seconds: number): void;
  /** Something that must not happen; the client learns no more than that. */
  onBug(error: unknown): void;
}

export interface DoorOptions {
  readonly query: Query;
  readonly events: DoorEvents;
  readonly limits?: Partial<DoorLimits>;
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

export interface OpenDoor {
  /** The port that it really has. */
  readonly address: Address;
  /** Takes no more requests, ends those under way within `millis`, and is gone then. */
  close(millis: number): Promise<void>;
}
