/** Clients that ask one after the other, as fast as answers come, for a while. */
import { Agent, request } from "node:http";

export interface LoadResult {
  /** That were served. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly errors: number;
}

type Ask = () => Promise<boolean>;

async function load(clients: readonly Ask[], millis: number): Promise<LoadResult> {
  const begun = performance.now();
  let good = 0;
  let errors = 0;
  await Promise.all(
    clients.map(async (ask) => {
      while (performance.now() - begun < millis) {
        if (await ask()) good++;
        else errors++;
      }
    }),
  );
  return { requests: good, requestsPerSecond: (good / (performance.now() - begun)) * 1_000, errors };
}

/** Each client keeps a connection of its own. */
export async function loadRest(url: string, clients: number, millis: number): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const ask: Ask = () =>
    new Promise((resolve) => {
      const sent = request(url, { agent }, (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode === 200));
        response.once("error", () => resolve(false));
      });
      sent.once("error", () => resolve(false));
      sent.end();
    });
  const result = await load(
    Array.from({ length: clients }, () => ask),
    millis,
  );
  agent.destroy();
  return result;
}
