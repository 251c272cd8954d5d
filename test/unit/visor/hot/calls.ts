/** What tests of the relay ask of it, as CometBFT does. */
import { toHex } from "../../../../host/base/text/bytes.js";
import { Chain } from "../../../scenario/chain.js";
import type { AbciClient, RequestInit } from "../../node/comet/client.js";
import { COMMIT, finalize } from "../../node/comet/served.js";

/** Ends with 1, as a program without `pre-upgrade` does. */
export const V2 = new Map([["v2", "/bin/false"]]);
export const CHECK = { case: "checkTx" as const, value: { tx: Uint8Array.of(1, 2, 3) } };
export const RECHECK = { case: "checkTx" as const, value: { tx: Uint8Array.of(1, 2, 3), type: 1 } };
export const QUERY = { case: "query" as const, value: { path: "somewhere" } };
export const proposal = (height: bigint) => ({
  case: "prepareProposal" as const,
  value: { height, maxTxBytes: 1_000n },
});

/** A chain with a plan at its height 4, and blocks up to 2. */
export function planned(): Chain {
  const chain = new Chain();
  const process = chain.start();
  process.block();
  process.schedule({ name: "v2", height: 4n });
  return chain;
}

/** @throws Error: the response is another one */
export async function call<K extends RequestInit["case"]>(engine: AbciClient, request: RequestInit & { case: K }) {
  const response = await engine.call(request);
  if (response.case !== request.case) throw new Error(`${request.case}: ${JSON.stringify(response)}`);
  return response.value as never as Record<string, unknown>;
}

export async function block(engine: AbciClient, height: bigint): Promise<string> {
  const { appHash } = await call(engine, finalize(height));
  await call(engine, COMMIT);
  return toHex(appHash as Uint8Array);
}
