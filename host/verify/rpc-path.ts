/** Calls of CometBFT's RPC by GET, for who has `fetch` and no JSON-RPC: their paths, and what the responses hold. */
import { UpgradeError } from "../base/errors/errors.js";
import { cutText } from "../base/text/text.js";
import { visible } from "../base/text/visible.js";
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

/** Of the server's own explanation. */
const SAID_BYTES = 2_000;

/**
 * Member `result` of the parsed response, for {@link Ask}. CometBFT sends its errors as JSON too, with HTTP status 500.
 *
 * @throws UpgradeError UPG_REMOTE_REFUSED when the response has no result; `details.said` is the server's own explanation
 *
 * @example
 * const response = { error: { code: -32603, message: "Internal error", data: "height 9 is not available" } };
 * try {
 *   rpcResult("commit", response);
 * } catch (error) {
 *   console.log(isUpgradeError(error) && error.details?.said); // → Internal error, height 9 is not available
 * }
 */
export function rpcResult(method: AskedMethod, response: unknown): unknown {
  const { result, error } = membersOf(response);
  if (result !== undefined) return result;
  const { message, data } = membersOf(error);
  const texts = [message, data].filter((each) => typeof each === "string" && each !== "").join(", ");
  const said = visible(cutText(texts, SAID_BYTES));
  const what = `${method}: the server responded without a result${said === "" ? "" : `: ${said}`}`;
  throw new UpgradeError("UPG_REMOTE_REFUSED", what, said === "" ? {} : { details: { said } });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
