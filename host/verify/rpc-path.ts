/** Calls of CometBFT's RPC as paths of GET, for who has `fetch` and no JSON-RPC. */
import { argument } from "./form.js";
import type { AskedMethod, AskedParams } from "./types.js";

/**
 * Path and query of a call, to be appended to the RPC's address: texts in quotation marks, bytes in hex.
 *
 * @example
 * const params = { path: "/store/upgrade/key", data: "00", height: "19", prove: true };
 * console.log(rpcPath("commit", { height: "20" })); // → commit?height=20
 * console.log(rpcPath("abci_query", params)); // → abci_query?path=%22%2Fstore%2Fupgrade%2Fkey%22&data=0x00&height=19&prove=true
 */
export function rpcPath(method: AskedMethod, params: AskedParams): string {
  argument(params, {}, "params");
  const pairs = Object.entries(params).map(([name, value]) => `${name}=${encodeURIComponent(formOf(name, value))}`);
  return pairs.length === 0 ? method : `${method}?${pairs.join("&")}`;
}

function formOf(name: string, value: string | boolean): string {
  if (typeof value !== "boolean") argument(value, "text", name);
  if (name === "path") return `"${value}"`;
  return name === "data" ? `0x${value}` : String(value);
}
