/** A server between a client and a node's RPC that changes what it likes in the node's responses. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { rpcPath } from "../host/verify/rpc-path.js";
import type { AskedMethod } from "../host/verify/types.js";

// biome-ignore lint/suspicious/noExplicitAny: a lie may be about any part of a response
export type Loose = any;

/** Changes the `result` of a call, or returns another one; `ask` asks the node itself. */
export type Lie = (method: string, result: Loose, params: Loose, ask: Ask) => unknown;
type Ask = (method: string, params: Loose) => Promise<Loose>;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** The parameters of a call as GET has them: texts in quotation marks, bytes after 0x. */
function paramsOf({ searchParams }: URL): Loose {
  return Object.fromEntries([...searchParams].map(([name, value]) => [name, value.replace(/^0x|^"|"$/g, "")]));
}

/** Of REST and of an RPC: what is no call of the RPC goes through as it came. */
async function answerGet(base: string, path: string, lie: Lie): Promise<Response> {
  const url = new URL(path, base);
  const response = await fetch(url);
  if (!/json/.test(response.headers.get("content-type") ?? "")) return response;
  const answer = (await response.json()) as Loose;
  const folder = new URL(".", url);
  const ask: Ask = async (method, params) => {
    const other = (await (await fetch(new URL(rpcPath(method as AskedMethod, params), folder))).json()) as Loose;
    return other.result;
  };
  if (answer.result !== undefined) {
    const method = url.pathname.slice(folder.pathname.length);
    answer.result = (await lie(method, answer.result, paramsOf(url), ask)) ?? answer.result;
  }
  return Response.json(answer, { status: response.status });
}

async function answerPost(rpc: string, body: string, lie: Lie): Promise<Response> {
  const post = async (text: string) => (await (await fetch(rpc, { method: "POST", body: text })).json()) as Loose;
  const answer = await post(body);
  const call = JSON.parse(body) as Loose;
  const ask: Ask = async (method, params) => (await post(JSON.stringify({ ...call, method, params }))).result;
  if (answer.result !== undefined) {
    answer.result = (await lie(call.method, answer.result, call.params, ask)) ?? answer.result;
  }
  return Response.json(answer);
}

/** @param base `http://host:port` of a node's RPC, or of its REST; `use` is given the proxy's own, which pages of any site may ask */
export async function withLies<T>(base: string, lie: Lie, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(async (request, response) => {
    const { method, url = "/" } = request;
    const answer =
      method === "POST" ? await answerPost(base, await bodyOf(request), lie) : await answerGet(base, url, lie);
    const type = answer.headers.get("content-type") ?? "";
    response.writeHead(answer.status, { "content-type": type, "access-control-allow-origin": "*" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const WRONG = Buffer.alloc(64, 9).toString("base64");

interface KnownLie {
  readonly name: string;
  readonly lie: Lie;
  /** The codes that it may be refused with. */
  readonly codes: readonly string[];
}

const isAbout = (params: Loose, key: string) => String(params?.data ?? "").startsWith(key);

/** What a server may try; each must be refused. */
export const LIES: readonly KnownLie[] = [
  {
    name: "a header with another app hash",
    lie: (method, result) => {
      if (method === "commit") result.signed_header.header.app_hash = "AB".repeat(32);
    },
    codes: ["UPG_PROOF_HEADER", "UPG_PROOF_TRUST", "UPG_PROOF_ROOT"],
  },
  {
    name: "a header of another time",
    lie: (method, result) => {
      if (method === "commit") result.signed_header.header.time = "2099-01-01T00:00:00Z";
    },
    codes: ["UPG_PROOF_HEADER", "UPG_PROOF_TRUST"],
  },
  {
    name: "no commit",
    lie: (method, result) => {
      if (method === "commit") result.signed_header.commit = null;
    },
    codes: ["UPG_PROOF_MALFORMED"],
  },
  {
    name: "signatures that are not genuine",
    lie: (method, result) => {
      if (method !== "commit") return;
      for (const each of result.signed_header.commit.signatures) if (each.signature) each.signature = WRONG;
    },
    codes: ["UPG_PROOF_COMMIT"],
  },
  {
    name: "a validator twice",
    lie: (method, result) => {
      if (method !== "validators") return;
      result.validators.push(result.validators[0]);
      result.count = String(result.validators.length);
      result.total = result.count;
    },
    codes: ["UPG_PROOF_HEADER", "UPG_PROOF_MALFORMED"],
  },
  {
    name: "a validator with more power",
    lie: (method, result) => {
      if (method === "validators") result.validators[0].voting_power = "999999999";
    },
    codes: ["UPG_PROOF_HEADER"],
  },
  {
    name: "a module that is not there, with the proof that it is absent",
    lie: (method, result, params) => {
      if (method === "abci_query" && isAbout(params, "02")) {
        result.response.value = Buffer.from([0, 0, 0, 0, 0, 0, 0, 99]).toString("base64");
      }
    },
    codes: ["UPG_PROOF_MALFORMED", "UPG_PROOF_KEY", "UPG_PROOF_VALUE"],
  },
  {
    name: "a version map that hides its modules: the gap after them in place of the one before",
    lie: (method, _, params, ask) =>
      method === "abci_query" && isAbout(params, "02") ? ask(method, { ...params, data: "02ffff" }) : undefined,
    codes: ["UPG_PROOF_KEY"],
  },
  {
    name: "no upgrade, with the gap of another key",
    lie: (method, _, params, ask) =>
      method === "abci_query" && isAbout(params, "01") ? ask(method, { ...params, data: "02ffff" }) : undefined,
    codes: ["UPG_PROOF_KEY"],
  },
  {
    name: "no plan, with the proof of another store",
    lie: (method, _, params, ask) =>
      method === "abci_query" && params.data === "00" ? ask(method, { ...params, path: "/store/bank/key" }) : undefined,
    codes: ["UPG_PROOF_KEY", "UPG_PROOF_ROOT"],
  },
  {
    name: "a plan that nobody scheduled",
    lie: (method, result, params) => {
      if (method === "abci_query" && params.data === "00") {
        result.response.value = Buffer.from([10, 2, 118, 57, 24, 100]).toString("base64");
      }
    },
    codes: ["UPG_PROOF_MALFORMED", "UPG_PROOF_KEY", "UPG_PROOF_VALUE"],
  },
  {
    name: "no proofs",
    lie: (method, result) => {
      if (method === "abci_query") result.response.proofOps = null;
    },
    codes: ["UPG_PROOF_MALFORMED"],
  },
  {
    name: "proofs of an older state",
    lie: (method, _, params, ask) => (method === "abci_query" ? ask(method, { ...params, height: "3" }) : undefined),
    codes: ["UPG_PROOF_ROOT"],
  },
  {
    name: "the header of another height",
    lie: (method, result) => {
      if (method === "commit") result.signed_header.header.height = "1";
    },
    codes: ["UPG_PROOF_MALFORMED", "UPG_PROOF_HEADER"],
  },
  {
    name: "a text in place of everything",
    lie: (method) => (method === "status" ? undefined : "yes"),
    codes: ["UPG_PROOF_MALFORMED"],
  },
];
