/** An application of the scenario chain on a socket of its own, closed after each test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import type { AppQuery, AppQueryResult } from "../../../../host/chain/app/engine-port.js";
import { parseAbciAddress } from "../../../../host/node/comet/address.js";
import { answer } from "../../../../host/node/comet/calls.js";
import { ServedApp } from "../../../../host/node/comet/served-app.js";
import { AbciServer, type AbciServerOptions } from "../../../../host/node/comet/server.js";
import { Chain } from "../../../scenario/chain.js";
import { AbciClient } from "./client.js";

export const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-abci-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export const NONE = new Uint8Array(0);
export const TIME = { seconds: 1_767_225_600n, nanos: 0 };
export const INFO = { case: "info" as const, value: { version: "0.38.25", abciVersion: "2.0.0" } };
export const INIT = {
  case: "initChain" as const,
  value: { chainId: "scenario-1", time: TIME, initialHeight: 1n },
};
export const finalize = (height: bigint) => ({ case: "finalizeBlock" as const, value: { height, time: TIME } });
export const COMMIT = { case: "commit" as const, value: {} };
export const echo = (message: string) => ({ case: "echo" as const, value: { message } });

/** Gives back its path, later when the path says so. */
async function answerQuery({ path, height }: AppQuery): Promise<AppQueryResult> {
  if (path === "bug") throw new TypeError("a bug");
  if (path === "slow") await new Promise((resolve) => setTimeout(resolve, 30));
  const result = { code: 0, codespace: "", log: path, info: "", key: NONE, value: NONE };
  return { ...result, proof: [{ type: "t", key: NONE, data: NONE }], height };
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

export interface Served {
  readonly server: AbciServer;
  readonly chain: Chain;
  readonly failures: unknown[];
  client(): Promise<AbciClient>;
}

export async function serve(address = "tcp://127.0.0.1:0", options: Partial<AbciServerOptions> = {}): Promise<Served> {
  const chain = new Chain();
  const failures: unknown[] = [];
  const port = new ServedApp({ app: chain.start().app, genesis: chain.genesis }, answerQuery);
  const onFailed = (error: unknown) => void failures.push(error);
  const server = await AbciServer.listen(parseAbciAddress(address), {
    program: "chaind",
    answer: (call) => answer(port, call),
    onFailed,
    ...options,
  });
  open.push(server);
  const client = async () => {
    const made = await AbciClient.connect(server.address);
    open.push({ close: () => made.end() });
    return made;
  };
  return { server, chain, failures, client };
}
