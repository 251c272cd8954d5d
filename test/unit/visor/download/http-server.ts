/** A server of files that does what the network may do. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served {
  readonly bytes: Uint8Array;
  readonly etag?: string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse, times: number) => void;

export class HttpServer {
  readonly answers = new Map<string, Answer>();
  /** `GET /path bytes=…`, in order. */
  readonly requests: string[] = [];
  readonly #times = new Map<string, number>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HttpServer> {
    const server = createServer((request, response) => {
      response.on("error", () => undefined);
      self.#serve(request, response);
    });
    const self = new HttpServer(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return self;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  on(path: string, answer: Answer): string {
    this.answers.set(path, answer);
    this.#times.delete(path);
    return this.url(path);
  }

  /** Files that may be asked for in parts. */
  file(path: string, bytes: Uint8Array | string, etag?: string): string {
    const served = { bytes: Buffer.from(bytes), ...(etag === undefined ? {} : { etag }) };
    return this.on(path, (request, response) => sendFile(request, response, served));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const [path = ""] = (request.url ?? "").split("?", 1);
    this.requests.push(`${request.url} ${request.headers.range ?? "all"}`);
    const answer = this.answers.get(path);
    const times = this.#times.get(path) ?? 0;
    this.#times.set(path, times + 1);
    if (answer) answer(request, response, times);
    else response.writeHead(404).end("not found");
  }
}

/** @param cutAfter bytes of the body, then the connection is cut */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, etag }: Served,
  cutAfter = Number.POSITIVE_INFINITY,
): void {
  const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  const condition = request.headers["if-range"];
  const isPart = first !== undefined && (condition === undefined || condition === etag);
  const from = isPart ? Number(first) : 0;
  if (etag !== undefined) response.setHeader("etag", etag);
  if (isPart && from >= bytes.length) {
    response.statusCode = 416;
    response.end();
    return;
  }
  response.statusCode = isPart ? 206 : 200;
  if (isPart) response.setHeader("content-range", `bytes ${from}-${bytes.length - 1}/${bytes.length}`);
  response.setHeader("content-length", bytes.length - from);
  const body = bytes.subarray(from);
  if (body.length <= cutAfter) response.end(body);
  else if (cutAfter === 0) {
    response.flushHeaders();
    setImmediate(() => response.destroy());
  } else response.write(body.subarray(0, cutAfter), () => setImmediate(() => response.destroy()));
}
