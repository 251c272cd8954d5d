/** A site with a strict Content-Security-Policy that uses `dist/verify*.js`: what it finds is the text of its body. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { DIST } from "../e2e/chaind.js";
import { ROOT } from "../house/sources.js";

const POLICY = ["default-src 'none'", "connect-src 'self'", "base-uri 'none'", "require-trusted-types-for 'script'"];

const MAIN = `
  import * as verify from "/verify.js";
  import { report } from "/program.js";
  const json = await (await fetch("/data.json")).text();
  document.body.textContent = await report(verify, json) + "\\nend";
`;

export interface StrictSite {
  /** Two pages: with `wasm-unsafe-eval`, and without. */
  readonly allowing: string;
  readonly forbidding: string;
  close(): void;
}

export async function strictSite(json: string): Promise<StrictSite> {
  const entryPoints = [join(ROOT, "test/engines/verify/program.ts")];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", write: false });
  const files = new Map<string, string>([
    ...readdirSync(DIST)
      .filter((name) => /^verify.*\.js$/.test(name))
      .map((name) => [`/${name}`, readFileSync(join(DIST, name), "utf8")] as const),
    ["/program.js", outputFiles[0]?.text ?? ""],
    ["/main.js", MAIN],
    ["/data.json", json],
  ]);
  const page = '<!doctype html><title>t</title><body>…<script type="module" src="/main.js"></script>';
  const server = createServer(({ url = "/" }, response) => {
    const isPage = url === "/allowing" || url === "/forbidding";
    const scripts = `script-src 'self'${url === "/allowing" ? " 'wasm-unsafe-eval'" : ""}`;
    const body = isPage ? page : files.get(url);
    response.writeHead(body === undefined ? 404 : 200, {
      "content-type": isPage ? "text/html; charset=utf-8" : "text/javascript; charset=utf-8",
      ...(isPage ? { "content-security-policy": [...POLICY, scripts].join("; ") } : {}),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => server.close().closeAllConnections();
  return { allowing: `${url}/allowing`, forbidding: `${url}/forbidding`, close };
}
