/** A site of somebody else: a few texts, and the page's folder below /page/. */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { DIST } from "../e2e/chaind.js";

export interface OtherSite {
  /** With a slash at the end. */
  readonly url: string;
  close(): void;
}

export async function otherSite(texts: Readonly<Record<string, string>>): Promise<OtherSite> {
  const server = createServer(({ url = "/" }, response) => {
    const [path = "/"] = url.split("?");
    const file = join(DIST, "web", basename(path));
    const isFile = path.startsWith("/page/") && existsSync(file);
    const body = isFile ? readFileSync(file) : texts[path];
    const type = path.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(body === undefined ? 404 : 200, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close().closeAllConnections() };
}
