/** Running an upgrade again, loaded when it is asked for: it needs core.wasm and the sandbox of handlers, which claims do not. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { Sha256 } from "../types.js";
import type { ReExecuted, ReExecuteInput } from "./re-execute.js";

export interface ReExecuteOptions extends Omit<ReExecuteInput, "sha256"> {
  /** Default: in JavaScript. */
  readonly sha256?: Sha256 | undefined;
}

/**
 * Runs the handler of an upgrade again on a witness of the state before it. What it returns is proven by the two headers,
 * provided they are trusted: the whole app hash came out equal.
 *
 * @throws UpgradeError UPG_WITNESS_*, UPG_PROOF_*, UPG_HANDLER_*, UPG_MIGRATION_*
 *
 * @example
 * const headers = { block: { height: 20n }, next: { height: 22n } } as ReExecuteOptions["headers"];
 * const empty = new Uint8Array();
 * const refused = reExecute({ witness: empty, maxBytes: 1_000, handler: empty, headers });
 * console.log(await refused.catch((error: UpgradeError) => error.code)); // → UPG_WITNESS_HEADERS
 */
export async function reExecute(options: ReExecuteOptions): Promise<ReExecuted> {
  const loaded = await import("./re-execute.js");
  return loaded.reExecute({ ...options, sha256: options.sha256 ?? sha256 });
}
