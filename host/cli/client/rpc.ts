/** Asks a node over CometBFT's JSON-RPC. Every wait ends, every answer is bounded, every failure says which node. */
import { UpgradeError } from "../../errors.js";

const ANSWER_BYTES_MAX = 64 * 1_048_576;
const TIMEOUT_MILLIS = 10_000;

export class RpcClient {
  readonly url: string;

  /** `tcp://host:port`, `http(s)://host:port` or `host:port`. @throws UpgradeError UPG_INVALID_ARGUMENT */
  constructor(
    readonly node: string,
    private readonly timeoutMillis: number = TIMEOUT_MILLIS,
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
    const signal = AbortSignal.timeout(this.timeoutMillis);
    try {
      const response = await fetch(this.url, {
        ...{ method: "POST", body, signal, redirect: "error" },
        headers: { "content-type": "application/json", accept: "application/json" },
      });
      return await this.#read(response);
    } catch (cause) {
      throw cause instanceof UpgradeError ? cause : this.#unavailable(cause);
    }
  }

  async #read(response: Response): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > ANSWER_BYTES_MAX) throw this.#notANode(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString("utf8");
  }

  #parsed(text: string): { result?: unknown; error?: unknown } {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null) return value;
    } catch {
      // told below
    }
    throw this.#notANode("its answer is not JSON");
  }

  #refused(method: string, error: unknown): UpgradeError {
    const { message = "", data = "" } = (typeof error === "object" && error !== null ? error : {}) as {
      message?: string;
      data?: unknown;
    };
    const text = [message, typeof data === "string" ? data : JSON.stringify(data)].filter(Boolean).join(": ");
    return new UpgradeError("UPG_REMOTE_REFUSED", `${method}: ${text.slice(0, 1_000)}`);
  }

  #notANode(what: string): UpgradeError {
    return new UpgradeError("UPG_REMOTE_REFUSED", `${this.node} does not answer as a node's RPC does: ${what}`);
  }

  #unavailable(cause: unknown): UpgradeError {
    return new UpgradeError(
      "UPG_REMOTE_UNAVAILABLE",
      `cannot reach the node at ${this.node}: ${reason(cause)}; is it running? --node names another`,
      { cause },
    );
  }
}

function reason(cause: unknown): string {
  const error = cause as { name?: string; message?: string; cause?: { code?: string; message?: string } };
  if (error.name === "TimeoutError") return "no answer in time";
  const { code, message } = error.cause ?? {};
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "no such host";
  return code ?? message ?? error.message ?? String(cause);
}

function httpUrl(node: string): string {
  const text = node.replace(/^tcp:\/\//, "http://");
  const url = /^[a-z]+:\/\//.test(text) ? text : `http://${text}`;
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // told below
  }
  if (!parsed || !["http:", "https:"].includes(parsed.protocol) || parsed.hostname === "") {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `"${node}" is no address of a node: write tcp://host:port`);
  }
  return parsed.href;
}
