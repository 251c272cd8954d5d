/** Running an upgrade again, loaded when it is asked for: it needs core.wasm and the sandbox of handlers, which claims do not. */
import { sha256 } from "@noble/hashes/sha2.js";
import { UpgradeError } from "../base/errors/errors.js";
import type { Sha256 } from "../base/types/types.js";
import { argument, type Form, formed, HEADER } from "./form.js";
import type { ReExecuted, ReExecuteInput } from "./re-execute.js";

const OPTIONS: Form = {
  ...{ witness: "bytes", maxBytes: "count", handler: "bytes", headers: { block: "any", next: "any" } },
  ...{ sha256: "function?", core: "any", onProgress: "function?", signal: "any", receipt: "any" },
};
const RECEIPT: Form = { handlerSha256: "bytes", gas: "uint64", gasSchedule: "text" };

export interface ReExecuteOptions extends Omit<ReExecuteInput, "sha256"> {
  /** Default: in JavaScript. */
  readonly sha256?: Sha256 | undefined;
}

/**
 * Runs the handler of an upgrade again on a witness of the state before it. What it returns is proven by the two headers,
 * provided they are trusted: the whole app hash came out equal. Give the proven `receipt` too: then no other handler runs, and
 * none for longer than the chain's own run. `signal` stops it between two stages, and in the handler where it reads or
 * writes; a loop without either ends by its gas, so a page that has a Cancel button runs it in a worker.
 *
 * @throws UpgradeError UPG_WITNESS_*, UPG_PROOF_*, UPG_HANDLER_*, UPG_MIGRATION_*, UPG_INVALID_ARGUMENT
 *
 * @example
 * const headers = { block: { height: 20n }, next: { height: 22n } } as ReExecuteOptions["headers"];
 * const empty = new Uint8Array();
 * const refused = reExecute({ witness: empty, maxBytes: 1_000, handler: empty, headers });
 * console.log(await refused.catch((error: UpgradeError) => error.code)); // → UPG_WITNESS_HEADERS
 */
export async function reExecute(options: ReExecuteOptions): Promise<ReExecuted> {
  argument(options, OPTIONS, "options");
  if (options.receipt !== undefined) argument(options.receipt, RECEIPT, "options.receipt");
  const { block, next } = options.headers;
  for (const header of [block, next])
    formed(header, HEADER, "header", (words) => new UpgradeError("UPG_WITNESS_HEADERS", words));
  const loaded = await import("./re-execute.js");
  return await loaded.reExecuteInTurns({ ...options, sha256: options.sha256 ?? sha256 });
}
