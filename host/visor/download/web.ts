/** One response of a server: redirects followed within bounds, proxies of the environment used, no byte for too long is an end. */
import type { Dispatcher } from "undici";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { TryAgain } from "./retry.js";

export interface WebRequest {
  readonly url: string;
  /** The bytes before it are had already; 0: all of it is asked for. */
  readonly from: number;
  /** Of the bytes that are had: its ETag or time; the server sends all when it is another file by now. */
  readonly validator: string | undefined;
  /** What comes is compared with a digest, so that a redirect from https to http can do no harm. */
  readonly isPinned: boolean;
  /** Of a file that was refused before: `get` throws `Unchanged` if the server still has the same one. */
  readonly unless: Revision | undefined;
  readonly signal: AbortSignal;
}

/** What a server calls this state of a file, for a conditional request: its ETag, else the time it was changed. */
export interface Revision {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface WebResponse {
  /** Offset of the first byte that comes: `from` of the request, or 0. */
  readonly from: number;
  /** Of the whole file; undefined: the server does not say. */
  readonly total: number | undefined;
  readonly validator: string | undefined;
  readonly revision: Revision | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The server returned 304: the file is the one that `unless` names. */
export class Unchanged extends Error {}

/** The part that was asked for is none of this file: it is to be fetched from its beginning. */
export class OtherRange extends TryAgain {}

const REDIRECTS_MAX = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const NOT_MODIFIED = 304;
/** Times of HTTP count seconds: a file changed this long before the response is not changed again in the same second. */
const SETTLED_MILLIS = 60_000;
/** Besides those of 500 and more. */
const PASSING: ReadonlySet<number> = new Set([408, 416, 425, 429]);
/** Go sends no request to these through a proxy either. */
const NEVER_PROXIED = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

type Undici = typeof import("undici");

export class Web {
  readonly #undici: Promise<Undici> = import("undici");
  #agents: readonly Dispatcher[] = [];

  /** @param stallMillis without a byte, while it connects too */
  constructor(private readonly stallMillis: number) {}

  /** @throws TryAgain; UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_INVALID_PLAN_INFO where another attempt has no use */
  async get(request: WebRequest): Promise<WebResponse> {
    let { url } = request;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const response = await this.#ask(url, request);
      const location = headerOf(response, "location");
      if (!REDIRECTS.has(response.statusCode) || location === undefined) return responseOf(response, url, request);
      await response.body.dump().catch(() => undefined);
      url = redirected(url, location, request.isPinned);
    }
    throw unavailable(request.url, `more than ${REDIRECTS_MAX} redirects`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.destroy()));
  }

  async #ask(url: string, { from, validator, unless, signal }: WebRequest): Promise<Dispatcher.ResponseData> {
    const { request } = await this.#undici;
    const headers: Record<string, string> = { "accept-encoding": "identity", "user-agent": "chainvisor" };
    if (from > 0) headers["range"] = `bytes=${from}-`;
    if (from > 0 && validator !== undefined) headers["if-range"] = validator;
    if (from === 0 && unless?.etag !== undefined) headers["if-none-match"] = unless.etag;
    else if (from === 0 && unless?.lastModified !== undefined) headers["if-modified-since"] = unless.lastModified;
    try {
      return await request(url, { headers, signal, dispatcher: await this.#agentFor(new URL(url)) });
    } catch (cause) {
      throw new TryAgain(causeOf(cause), { cause });
    }
  }

  async #agentFor({ hostname }: URL): Promise<Dispatcher> {
    if (this.#agents.length === 0) {
      const { Agent, EnvHttpProxyAgent } = await this.#undici;
      const timeout = this.stallMillis;
      const options = { headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout } };
      this.#agents = [new Agent(options), new EnvHttpProxyAgent(options)];
    }
    return this.#agents[NEVER_PROXIED.test(hostname) ? 0 : 1] as Dispatcher;
  }
}

function redirected(url: string, location: string, isPinned: boolean): string {
  const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (!next || !/^https?:$/.test(next.protocol))
    throw unavailable(url, `it leads to ${location}, which is no https URL`);
  if (url.startsWith("https:") && next.protocol === "http:" && !isPinned) {
    throw new UpgradeError(
      "UPG_INVALID_PLAN_INFO",
      `${url} leads to ${next.href}: from https to http only with a checksum in the plan`,
    );
  }
  return next.href;
}

function responseOf(response: Dispatcher.ResponseData, url: string, request: WebRequest): WebResponse {
  const { statusCode } = response;
  const isPart = statusCode === 206 && request.from > 0;
  const refusal = statusCode === 200 || isPart ? encodingRefusal(response) : `the server returned ${statusCode}`;
  if (refusal !== undefined) {
    response.body.on("error", () => undefined).destroy();
    if (statusCode === NOT_MODIFIED && request.unless) throw new Unchanged(refusal);
    if (statusCode === 416 && request.from > 0) throw new OtherRange(refusal);
    if (statusCode >= 500 || PASSING.has(statusCode)) throw new TryAgain(refusal);
    throw unavailable(url, refusal);
  }
  const range = isPart ? rangeOf(response, request.from) : undefined;
  const etag = headerOf(response, "etag");
  return {
    from: range ? request.from : 0,
    total: range ? range.total : lengthOf(headerOf(response, "content-length")),
    validator: etag !== undefined && !etag.startsWith("W/") ? etag : headerOf(response, "last-modified"),
    revision: revisionOf(response),
    body: bodyOf(response.body),
  };
}

function revisionOf(response: Dispatcher.ResponseData): Revision | undefined {
  const etag = headerOf(response, "etag");
  if (etag !== undefined) return { etag };
  const lastModified = headerOf(response, "last-modified");
  const age = Date.parse(headerOf(response, "date") ?? "") - Date.parse(lastModified ?? "");
  return lastModified !== undefined && age >= SETTLED_MILLIS ? { lastModified } : undefined;
}

/** The checksum is of the file as it is, so it must come as it is. */
function encodingRefusal(response: Dispatcher.ResponseData): string | undefined {
  const encoding = headerOf(response, "content-encoding") ?? "identity";
  return encoding === "identity"
    ? undefined
    : `the server sends it in the encoding ${encoding}, which was not asked for`;
}

function rangeOf(response: Dispatcher.ResponseData, from: number): { readonly total: number | undefined } {
  const text = headerOf(response, "content-range") ?? "";
  const [, first, , total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(text) ?? [];
  if (Number(first) === from) return { total: lengthOf(total) };
  response.body.on("error", () => undefined).destroy();
  throw new OtherRange(`the server sent another range than was asked for: ${text || "none"}`);
}

async function* bodyOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new TryAgain(causeOf(cause), { cause });
  }
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

const lengthOf = (text: string | undefined) =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** What the system says, where the library wraps it. */
function causeOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  return messageOf(inner ?? error) || "the connection failed";
}

function unavailable(url: string, why: string): UpgradeError {
  return new UpgradeError("UPG_REMOTE_UNAVAILABLE", `could not download url "${url}": ${why}`);
}
