/** Serves the page as it was built, with the files of one upgrade beside it, on this machine. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunFiles } from "./client.js";

const FOLDER = "dist/web";
/** How the page names its program, and the hash that it holds it to. */
const PROGRAM = /"(run-[0-9a-f]{16}\.js)",bytes:\d+,integrity:"([^"]+)"/;

export interface Site {
  readonly url: string;
  readonly files: RunFiles;
  close(): void;
}

export async function openSite(witness: Uint8Array, handler: Uint8Array): Promise<Site> {
  const html = readFileSync(`${FOLDER}/index.html`, "utf8");
  const [, program = "", integrity = ""] = PROGRAM.exec(html) ?? [];
  if (program === "") throw new Error("the page names no program");
  const bodies = new Map<string | undefined, readonly [string, string | Uint8Array]>([
    ["/", ["text/html", html]],
    [`/${program}`, ["text/javascript", readFileSync(`${FOLDER}/${program}`)]],
    ["/witness", ["application/octet-stream", witness]],
    ["/handler", ["application/wasm", handler]],
  ]);
  const server = createServer(({ url }, response) => {
    const [type, body] = bodies.get(url) ?? [];
    if (type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bytesMax = Math.max(witness.length, handler.length);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    files: { program, integrity, witness: "witness", handler: "handler", bytesMax },
    close: () => server.close().closeAllConnections(),
  };
}
