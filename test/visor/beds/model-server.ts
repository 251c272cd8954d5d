/** Serves the model's programs over HTTP, on a real socket: as a good server does, one whose connections are cut, and a busy one. */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PROGRAMS, type ProgramName, programBytes } from "./model-chain.js";

export type ServerMode = "good" | "cut" | "busy";

const PLATFORM = "linux/amd64";
/** As often a server is busy, or cuts, before it is good: less than the attempts of a download. */
const FAILURES = 2;

/** Virtual time goes on when no connection is open. */
const CLOSE = { connection: "close" };

/** A plan's info that offers a program. */
export function infoFor(program: ProgramName, url: string): string {
  const sha256 = createHash("sha256").update(programBytes(program)).digest("hex");
  return JSON.stringify({ binaries: { [PLATFORM]: `${url}?checksum=sha256:${sha256}` } });
}

export class ModelServer {
  readonly #server: Server;
  readonly #failures = new Map<string, number>();
  /** Of all modes. */
  requests = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => this.#serve(request, response));
  }

  static async start(): Promise<ModelServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new ModelServer(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  url(program: ProgramName, mode: ServerMode): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${mode}/${program}`;
  }

  /** It fails again, as at first. */
  reset(): void {
    this.#failures.clear();
  }

  #serve({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    this.requests++;
    const [path = ""] = url.split("?");
    const [, mode = "", name = ""] = path.split("/");
    const program = PROGRAMS.find((each) => each === name);
    if (!program) return void response.writeHead(404, CLOSE).end();
    const failures = this.#failures.get(path) ?? 0;
    const fails = mode !== "good" && failures < FAILURES;
    if (fails) this.#failures.set(path, failures + 1);
    if (fails && mode === "busy") return void response.writeHead(503, CLOSE).end();
    const bytes = programBytes(program);
    const from = Number(/^bytes=([0-9]+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    const range = from > 0 ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
    const rest = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      "content-length": rest.length,
      etag: `"${program}"`,
      ...range,
      ...CLOSE,
    });
    if (!fails) return void response.end(rest);
    response.write(rest.subarray(0, rest.length >> 1), () => response.destroy());
  }
}
