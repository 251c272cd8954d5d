/** A client that says over HTTP/2 exactly what a test wants, right or wrong. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { TestNode } from "./test-node.js";

export const CURRENT_PLAN = "/cosmos.upgrade.v1beta1.Query/CurrentPlan";
export const READ_PLAN = "/cosmos.upgrade.v1beta1.Query/AppliedPlan";
export const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders;
}

export function frame(message: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

export class Http2Client {
  readonly session: ClientHttp2Session;

  constructor(address: string, options: { readonly initialWindowSize?: number } = {}) {
    this.session = connect(`http://${address}`, { settings: { enablePush: false, ...options } });
    this.session.on("error", () => undefined);
  }

  open(path: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
    const stream = this.session.request(
      { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...headers },
      { endStream: false },
    );
    return stream.on("error", () => undefined);
  }

  /** What came until the stream closed. @param body parts that are sent one after the other; undefined: nothing is sent, and the request does not end */
  call(path: string, body: Buffer | readonly Buffer[] | undefined, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return new Promise((resolve) => {
      const stream = this.open(path, headers);
      const chunks: Buffer[] = [];
      let head: IncomingHttpHeaders = {};
      let trailers: IncomingHttpHeaders = {};
      stream.on("response", (received) => {
        head = received;
      });
      stream.on("trailers", (received) => {
        trailers = received;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("close", () => {
        resolve({ headers: head, body: Buffer.concat(chunks), trailers });
      });
      void sendParts(stream, body);
    });
  }

  close(): void {
    this.session.destroy();
  }
}

async function sendParts(stream: ClientHttp2Stream, body: Buffer | readonly Buffer[] | undefined): Promise<void> {
  if (body === undefined) return;
  for (const part of Array.isArray(body) ? body : [body]) {
    if (stream.destroyed || stream.closed) return;
    await new Promise<void>((resolve) => stream.write(part, () => resolve()));
  }
  stream.end();
}

export async function withHttp2(
  node: Pick<TestNode, "grpc">,
  use: (client: Http2Client) => Promise<void>,
  options: { readonly initialWindowSize?: number } = {},
): Promise<void> {
  const client = new Http2Client(node.grpc, options);
  try {
    await use(client);
  } finally {
    client.close();
  }
}
