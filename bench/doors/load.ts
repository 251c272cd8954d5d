/** Clients that ask one after the other, as fast as answers come, for a while. */
import { Agent, request } from "node:http";
import { Client, credentials } from "@grpc/grpc-js";

export interface LoadResult {
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
  return { requestsPerSecond: (good / (performance.now() - begun)) * 1_000, errors };
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

export async function loadGrpc(address: string, path: string, clients: number, millis: number): Promise<LoadResult> {
  const options = { "grpc.use_local_subchannel_pool": 1 };
  const own = Array.from({ length: clients }, () => new Client(address, credentials.createInsecure(), options));
  const asks = own.map(
    (client): Ask =>
      () =>
        new Promise((resolve) => {
          client.makeUnaryRequest(
            path,
            () => Buffer.alloc(0),
            (bytes: Buffer) => bytes,
            null,
            (error) => resolve(error === null),
          );
        }),
  );
  const result = await load(asks, millis);
  for (const client of own) client.close();
  return result;
}
