/** Limits of a server: sizes, times and counts. */
/** Bounds of one server. */
export interface ServerLimits {
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
