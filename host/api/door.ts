/** What all doors keep to: bounds of size, time and count, and what they are told of their surroundings. */
import type { Query } from "./query/query.js";

/** Bounds of one door. */
export interface DoorLimits {
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Requests answered at the same time; more are refused at once. */
  readonly concurrency: number;
  readonly connections: number;
  /** Milliseconds in which the head of a request, and the whole of it, must have arrived. */
  readonly headerMillis: number;
  readonly requestMillis: number;
}

export const DOOR_LIMITS: DoorLimits = Object.freeze({
  bodyBytes: 1_048_576,
  concurrency: 2_048,
  connections: 4_096,
  headerMillis: 10_000,
  requestMillis: 30_000,
});

/** What is told about the doors' work, for logs and metrics. */
export interface DoorEvents {
  /** An answer went out: the door, the method or route, the gRPC status number, and how long it took. */
  onAnswer(door: "rest" | "grpc" | "rpc", method: string, status: number, seconds: number): void;
  /** Something that must not happen; the client is told no more than that. */
  onBug(error: unknown): void;
}

export interface DoorOptions {
  readonly query: Query;
  readonly events: DoorEvents;
  readonly limits?: Partial<DoorLimits>;
}

/** Where a door listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface OpenDoor {
  /** The port that it really has. */
  readonly address: Address;
  /** Takes no more requests, ends those under way within `millis`, and is gone then. */
  close(millis: number): Promise<void>;
}
