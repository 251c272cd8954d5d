/** Asks a node's endpoints one after the other, over and over, and takes down how long each answer took. */
import { Agent, request } from "node:http";

export interface Poll {
  /** Milliseconds of every answer. */
  readonly millis: number[];
  /** What was asked and how it failed. */
  readonly errors: string[];
  /** Endpoint and milliseconds of the slowest. */
  slowest: { endpoint: string; millis: number };
  /** Readings of a running upgrade. */
  readonly progress: {
    readonly phase: string;
    readonly store: string;
    readonly done: number;
    readonly total: number;
  }[];
}

export interface Servers {
  /** `http://host:port` */
  readonly rest: string;
  readonly rpc: string;
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

export async function pollWhile(servers: Servers, isGoingOn: () => boolean): Promise<Poll> {
  const poll: Poll = { millis: [], errors: [], slowest: { endpoint: "", millis: 0 }, progress: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const urls = [...REST.map((path) => `${servers.rest}${path}`), ...RPC.map((path) => `${servers.rpc}${path}`)];
  while (isGoingOn()) {
    for (const url of urls) {
      const begun = performance.now();
      const text = await get(agent, url).catch((error: unknown) => {
        if (isGoingOn()) poll.errors.push(`${url}: ${String(error)}`);
        return undefined;
      });
      if (text === undefined) continue;
      const millis = performance.now() - begun;
      poll.millis.push(millis);
      if (millis > poll.slowest.millis) poll.slowest = { endpoint: new URL(url).pathname, millis };
      if (url.endsWith("/progress")) readProgress(poll, text);
    }
  }
  agent.destroy();
  return poll;
}

function readProgress(poll: Poll, text: string): void {
  const { progress } = JSON.parse(text) as { progress?: Record<string, string> | null };
  if (!progress) return;
  const { phase = "", store = "", done = "0", total = "0" } = progress;
  poll.progress.push({ phase, store, done: Number(done), total: Number(total) });
}

function get(agent: Agent, url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("end", () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`status ${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    sent.once("timeout", () => sent.destroy(new Error("no answer in 10 s")));
    sent.once("error", reject);
    sent.end();
  });
}

/** The value below which this share of all lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
