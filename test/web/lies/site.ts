/** A server of the page and of a made chain, which lies as a test says: about its chain, its status, or how it responds. */
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DIST } from "../../dist.js";
import type { MadeChain } from "../../unit/verify/made-chain.js";

// biome-ignore lint/suspicious/noExplicitAny: responses are changed at places
export type Loose = any;

/** What a server does otherwise than an honest one. */
export interface Lies {
  readonly chain?: MadeChain;
  /** Changes a response of the RPC. */
  readonly rpc?: (method: string, result: Loose, params: Readonly<Record<string, string>>) => unknown;
  /** Changes the status, or takes its place. */
  readonly status?: (honest: Loose) => unknown;
  readonly proposals?: readonly unknown[];
  /** Responds by itself to a path. */
  readonly raw?: Readonly<Record<string, (response: ServerResponse) => void>>;
}

export interface Site {
  /** With a slash at the end. */
  readonly url: string;
  readonly host: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  close(): void;
}

const PAGE = join(DIST, "web");
const FILES = JSON.parse(readFileSync(join(PAGE, "files.json"), "utf8")) as readonly {
  readonly path: string;
  readonly file: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}[];
const ANYBODY = { "access-control-allow-origin": "*" };

export async function lyingSite(honest: MadeChain, lies: Lies = {}): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://site.test");
    asked.push(pathname);
    const file = FILES.find(({ path }) => path === pathname);
    const raw = Object.entries(lies.raw ?? {}).find(([path]) => pathname.startsWith(path));
    if (raw) raw[1](response);
    else if (file) response.writeHead(200, { "content-type": file.type, ...file.headers }).end(bytesOf(file.file));
    else void answer(honest, lies, pathname, search).then((body) => sendJson(response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}/`, host, asked, close: () => server.close().closeAllConnections() };
}

const bytesOf = (file: string) => readFileSync(join(PAGE, file));

function sendJson(response: ServerResponse, body: unknown): void {
  const status = body === undefined ? 404 : 200;
  // A lie may be a text that is no JSON.
  const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
  response.writeHead(status, { "content-type": "application/json", ...ANYBODY }).end(text);
}

async function answer(honest: MadeChain, lies: Lies, path: string, search: string): Promise<unknown> {
  const chain = lies.chain ?? honest;
  if (path === "/chain/upgrade/v1/status") return (lies.status ?? ((status) => status))(statusOf(chain));
  if (path === "/cosmos/gov/v1/proposals") return { proposals: lies.proposals ?? [] };
  if (!path.startsWith("/rpc/")) return undefined;
  const method = path.slice("/rpc/".length);
  const params = Object.fromEntries(
    [...new URLSearchParams(search)].map(([name, value]) => [name, value.replace(/^"|"$|^0x/g, "")]),
  );
  const result = await chain.ask(method as Loose, params as Loose).catch(() => undefined);
  const changed = lies.rpc ? lies.rpc(method, result, params) : result;
  return typeof changed === "string" || (changed as Loose)?.error ? changed : { result: changed };
}

/** As a node of ours has it. */
function statusOf(chain: MadeChain): Loose {
  const last = chain.blocks.length;
  const { seconds } = chain.timeAt(last);
  return {
    ...{ phase: "waiting", chain_id: chain.chainId, height: String(last) },
    block_time: new Date(Number(seconds) * 1_000).toISOString(),
    block_seconds: [{ blocks: "10", seconds: 5 }],
    plan: { name: "v3", height: "50", info: "" },
    last_upgrade: { name: "v2", height: "6", info: "" },
  };
}
