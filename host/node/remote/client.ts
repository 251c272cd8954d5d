/** Asks a node over CometBFT's JSON-RPC. Every wait ends, every answer is bounded, every failure says which node. */

import http from "node:http";
import https from "node:https";
import { ERROR_KINDS, type ErrorCode, UpgradeError } from "../../base/errors/errors.js";
import { decodeLossy } from "../../base/text/text.js";

const ANSWER_BYTES_MAX = 64 * 1_048_576;
const TIMEOUT_MILLIS = 10_000;

export class RpcClient {
  readonly url: string;

  /** `tcp://host:port`, `http(s)://host:port` or `host:port`. @throws UpgradeError UPG_INVALID_ARGUMENT */
  constructor(
    readonly node: string,
    private readonly timeoutMillis: number = TIMEOUT_MILLIS,
    /** What to do when it cannot be reached. */
    private readonly advice: string = "is it running? --node names another",
  ) {
    this.url = httpUrl(node);
  }

  /** The `result` of a call. @throws UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_REMOTE_REFUSED */
  async call(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = this.#parsed(await this.#post(body));
    if (answer.error !== undefined) throw this.#refused(method, answer.error);
    if (answer.result === undefined) throw this.#notANode("its answer has neither result nor error");
    return answer.result;
  }

  async #post(body: string): Promise<string> {
    try {
      return await post(new URL(this.url), body, this.timeoutMillis);
    } catch (cause) {
      throw this.#unavailable(cause);
    }
  }

  #parsed(text: string): { result?: unknown; error?: unknown } {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null) return value;
    } catch {
      // reported below
    }
    throw this.#notANode("its answer is not JSON");
  }

  #refused(method: string, error: unknown): UpgradeError {
    const { message = "", data = "" } = (typeof error === "object" && error !== null ? error : {}) as {
      message?: string;
      data?: unknown;
    };
    const text = [message, typeof data === "string" ? data : JSON.stringify(data)].filter(Boolean).join(": ");
    // A node of this program puts its code after the message.
    const [, words = text, named = ""] = /^([\s\S]*?) ?\[(UPG_[A-Z_]+)\]$/.exec(text) ?? [];
    const code = named in ERROR_KINDS ? (named as ErrorCode) : "UPG_REMOTE_REFUSED";
    return new UpgradeError(code, `${method}: ${words.slice(0, 1_000)}`);
  }

  #notANode(what: string): UpgradeError {
    return new UpgradeError("UPG_REMOTE_REFUSED", `${this.node} does not answer as a node's RPC does: ${what}`);
  }

  #unavailable(cause: unknown): UpgradeError {
    return new UpgradeError(
      "UPG_REMOTE_UNAVAILABLE",
      `cannot reach the node at ${this.node}: ${reason(cause)}; ${this.advice}`,
      { cause },
    );
  }
}

/** One request, one connection: no port is refused beforehand, and nothing is left open. */
function post(url: URL, body: string, timeoutMillis: number): Promise<string> {
  const { request } = url.protocol === "https:" ? https : http;
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMillis);
    const call = request(url, { method: "POST", headers, signal, agent: false }, (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on("data", (part: Buffer) => {
        size += part.length;
        parts.push(part);
        if (size > ANSWER_BYTES_MAX) call.destroy(new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`));
      });
      response.once("end", () => resolve(decodeLossy(Buffer.concat(parts))));
      response.once("error", reject);
    });
    call.once("error", reject);
    call.end(body);
  });
}

function reason(cause: unknown): string {
  const { name, code, message } = cause as NodeJS.ErrnoException;
  if (name === "TimeoutError" || name === "AbortError") return "no answer in time";
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "no such host";
  if (code === "ECONNRESET") return "the connection was cut";
  return message || code || "no connection";
}

/** Does an address of an RPC name this machine, so that nothing comes from the network? */
export function isOfThisMachine(node: string): boolean {
  const { hostname } = new URL(httpUrl(node));
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/**
 * The URL of a node's RPC: `tcp://host:port`, `http://host:port` or `host:port`.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
export function httpUrl(node: string): string {
  const text = node.replace(/^tcp:\/\//, "http://");
  const url = /^[a-z]+:\/\//.test(text) ? text : `http://${text}`;
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // reported below
  }
  if (!parsed || !["http:", "https:"].includes(parsed.protocol) || parsed.hostname === "") {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `"${node}" is no address of a node: write tcp://host:port`);
  }
  return parsed.href;
}
