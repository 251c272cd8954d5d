/** Asks a node's endpoints, over and over, and takes down how long each answer took. */
import { Agent, request } from "node:http";
import { Client, credentials } from "@grpc/grpc-js";

export interface Poll {
  /** Milliseconds of every answer. */
  readonly millis: number[];
  /** What was asked and how it failed. */
  readonly errors: string[];
  /** Endpoint and milliseconds of the slowest. */
  slowest: { endpoint: string; millis: number };
  /** Milliseconds of the slowest answer with the supply. */
  supplyMillis: number;
  /** Readings of a running upgrade. */
  readonly progress: {
    readonly phase: string;
    readonly store: string;
    readonly done: number;
    readonly total: number;
    /** Pairs a second. */
    readonly rate: number;
    /** Undefined: not known. */
    readonly leftMillis: number | undefined;
  }[];
}

export interface Servers {
  /** `http://host:port` */
  readonly rest: string;
  readonly rpc: string;
  /** `host:port` */
  readonly grpc: string;
}

const REST = [
  "/healthz",
  "/readyz",
  "/metrics",
  "/chain/upgrade/v1beta1/progress",
  "/cosmos/upgrade/v1beta1/current_plan",
  "/cosmos/staking/v1beta1/params",
  "/cosmos/gov/v1/proposals",
  "/cosmos/auth/v1beta1/accounts?pagination.limit=10",
  "/cosmos/base/tendermint/v1beta1/blocks/latest",
];
/** A transaction that is refused is an answer too. */
const RPC = ["/status", "/health", "/block", "/abci_info", "/num_unconfirmed_txs", "/broadcast_tx_sync?tx=0x0a00"];

/** Computed by a walk over all accounts in version 1; once it is known for a height, at once. */
const SUPPLY = ["/cosmos/bank/v1beta1/supply", "/cosmos/bank/v1beta1/supply/by_denom?denom=ustake"];
const GRPC = [
  "/grpc.health.v1.Health/Check",
  "/cosmos.upgrade.v1beta1.Query/CurrentPlan",
  "/chain.upgrade.v1beta1.Query/Progress",
  "/cosmos.base.tendermint.v1beta1.Service/GetLatestBlock",
];
/** The block of an upgrade takes no transactions, and right after it the same ones come again: a refusal is an answer. */
const REFUSED = /UPG_BLOCK_IS_UPGRADE|account sequence mismatch/;
const ANSWER_MILLIS_MAX = 10_000;
const SUPPLY_MILLIS_MAX = 120_000;

/** Several clients at once: one asks REST and RPC, one gRPC, one for the supply, one sends what `nextTx` signs. */
export async function pollWhile(servers: Servers, nextTx: () => Uint8Array, isGoingOn: () => boolean): Promise<Poll> {
  const poll: Poll = { millis: [], errors: [], slowest: { endpoint: "", millis: 0 }, progress: [], supplyMillis: 0 };
  const timed = async <T>(endpoint: string, ask: () => Promise<T>): Promise<T | undefined> => {
    const begun = performance.now();
    const answer = await ask().catch((error: unknown) => {
      poll.errors.push(`${endpoint}: ${String(error)}`);
      return undefined;
    });
    const millis = performance.now() - begun;
    poll.millis.push(millis);
    if (endpoint.startsWith("supply")) poll.supplyMillis = Math.max(poll.supplyMillis, millis);
    else if (millis > poll.slowest.millis) poll.slowest = { endpoint, millis };
    return answer;
  };
  const rounds = async (round: () => Promise<void>) => {
    while (isGoingOn()) await round();
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const client = new Client(servers.grpc, credentials.createInsecure());
  await Promise.all([
    rounds(async () => {
      for (const path of REST) {
        const text = await timed(path, () => askHttp(agent, `${servers.rest}${path}`));
        if (text !== undefined && path.endsWith("/progress")) readProgress(poll, text);
      }
      for (const path of RPC) await timed(path, () => askHttp(agent, `${servers.rpc}${path}`));
    }),
    rounds(async () => {
      for (const path of GRPC) await timed(path, () => callGrpc(client, path));
    }),
    rounds(async () => {
      for (const path of SUPPLY)
        await timed(`supply ${path}`, () => askHttp(agent, `${servers.rest}${path}`, SUPPLY_MILLIS_MAX));
    }),
    rounds(() => sendOne(agent, servers, nextTx(), timed)),
  ]);
  agent.destroy();
  client.close();
  return poll;
}

type Timed = <T>(endpoint: string, ask: () => Promise<T>) => Promise<T | undefined>;

/** Simulates a transaction and sends it; that it is refused is an answer too. */
async function sendOne(agent: Agent, { rest, rpc }: Servers, bytes: Uint8Array, timed: Timed): Promise<void> {
  const tx = Buffer.from(bytes).toString("base64");
  const simulation = JSON.stringify({ tx_bytes: tx });
  await timed("simulate", () => askHttp(agent, `${rest}/cosmos/tx/v1beta1/simulate`, ANSWER_MILLIS_MAX, simulation));
  const sent = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "broadcast_tx_sync", params: { tx } });
  await timed("broadcast_tx_sync", () => askHttp(agent, rpc, ANSWER_MILLIS_MAX, sent));
}

interface ProgressJson {
  readonly phase?: string;
  readonly store?: string;
  readonly done?: string;
  readonly total?: string;
  readonly rate?: string;
  readonly left_ms?: string | null;
}

function readProgress(poll: Poll, text: string): void {
  const { progress } = JSON.parse(text) as { progress?: ProgressJson | null };
  if (!progress) return;
  const { phase = "", store = "", done = "0", total = "0", rate = "0", left_ms: left } = progress;
  const leftMillis = left === undefined || left === null ? undefined : Number(left);
  poll.progress.push({ phase, store, done: Number(done), total: Number(total), rate: Number(rate), leftMillis });
}

export function askHttp(agent: Agent, url: string, millisMax = ANSWER_MILLIS_MAX, body?: string): Promise<string> {
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, timeout: millisMax }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("end", () => {
        if (response.statusCode === 200 || REFUSED.test(text)) resolve(text);
        else reject(new Error(`status ${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    sent.once("timeout", () => sent.destroy(new Error(`no answer in ${millisMax} ms`)));
    sent.once("error", reject);
    sent.end(body);
  });
}

export function callGrpc(client: Client, path: string): Promise<Buffer> {
  const asIs = (bytes: Buffer) => bytes;
  const deadline = Date.now() + ANSWER_MILLIS_MAX;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), { deadline }, (error, answer) => {
      if (answer) resolve(answer);
      else reject(error ?? new Error("no answer"));
    });
  });
}

/** The value below which this share of all lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Readings that show more done than the one before, in the same phase of the same store. */
export function risingReadings({ progress }: Poll): number {
  return progress.filter((reading, at) => {
    const before = progress[at - 1];
    return before?.phase === reading.phase && before.store === reading.store && reading.done > before.done;
  }).length;
}
