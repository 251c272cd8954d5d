/** Web pages of other origins: which may call the RPC or open its websocket, by the headers that browsers ask for (CometBFT's, of rs/cors). */
import type { IncomingMessage } from "node:http";

const METHODS: ReadonlySet<string> = new Set(["HEAD", "GET", "POST"]);
const HEADERS: ReadonlySet<string> = new Set(["origin", "accept", "content-type", "x-requested-with", "x-server-time"]);

type Head = Pick<IncomingMessage, "method" | "headers">;

/** Headers of an answer; a page whose origin is not among `origins` gets none, and its browser hides the answer. */
export function corsHeaders({ headers: { origin } }: Head, origins: readonly string[]): Record<string, string> {
  if (origins.length === 0) return {};
  const isAll = origins.includes("*");
  if (origin === undefined || (!isAll && !origins.includes(origin))) return { vary: "Origin" };
  return { vary: "Origin", "access-control-allow-origin": isAll ? "*" : origin };
}

/** Headers of the answer to a browser's question before a call; undefined: this is none, or no origin may call. */
export function preflightHeaders(request: Head, origins: readonly string[]): Record<string, string> | undefined {
  const { method, headers } = request;
  const wanted = headers["access-control-request-method"];
  if (method !== "OPTIONS" || wanted === undefined || origins.length === 0) return undefined;
  const allowed = corsHeaders(request, origins);
  const vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
  const asked = headers["access-control-request-headers"] ?? "";
  const names = asked.split(",").flatMap((name) => name.trim().toLowerCase() || []);
  const isAllowed = "access-control-allow-origin" in allowed && METHODS.has(wanted);
  if (!isAllowed || !names.every((name) => HEADERS.has(name))) return { vary };
  return {
    ...allowed,
    vary,
    "access-control-allow-methods": wanted,
    ...(names.length > 0 ? { "access-control-allow-headers": names.join(", ") } : {}),
  };
}

/**
 * Of a websocket: browsers say which page asks. Pages on this machine may; those of other places could be anyone's and only may when
 * they are named. Programs say nothing, and may.
 */
export function isOriginAllowed(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes("*") || allowed.includes(origin)) return true;
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/i.test(origin);
}
