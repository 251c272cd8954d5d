/** Requests of one collection: they end when the caller says so, and what is kept of them has a bound. */

import { messageOf, UpgradeError } from "../base/errors/errors.js";
import { utf8 } from "../base/text/bytes.js";
import { EVIDENCE_BYTES_MAX, JsonView, malformed } from "./json.js";
import type { Ask, EvidenceRecord, Json } from "./types.js";

/** How many requests are under way at a time: browsers and public RPCs allow few for each client. */
const AT_ONCE_MAX = 8;

/** For the document's own members, beside what is counted. */
const OWN_BYTES = 65_536;

/** How a collection asks. */
export interface AskingOptions {
  /** Ends the collection: what it asks then has UPG_REMOTE_UNAVAILABLE. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of requests that were made, and the bytes of evidence that are kept. */
  readonly onProgress?: ((requests: number, bytes: number) => void) | undefined;
}

export class Asking {
  readonly #ask: Ask;
  readonly #options: AskingOptions;
  #requests = 0;
  #bytes = 0;
  #underWay = 0;
  /** Those that wait for a turn, the first one first. */
  readonly #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(ask: Ask, options: AskingOptions) {
    this.#ask = ask;
    this.#options = options;
  }

  /**
   * A few requests are under way at a time; more wait for their turn.
   * @throws UpgradeError UPG_REMOTE_UNAVAILABLE when the caller has ended it, and what `ask` throws
   */
  async view(method: Parameters<Ask>[0], params: Parameters<Ask>[1]): Promise<JsonView> {
    if (this.#underWay >= AT_ONCE_MAX) await new Promise<void>((begin) => this.#waiting.push(begin));
    else this.#underWay++;
    try {
      if (this.#isOver || this.#options.signal?.aborted) throw this.#stopped();
      this.#requests++;
      this.#options.onProgress?.(this.#requests, this.#bytes);
      return new JsonView(await this.#untilStopped(this.#ask(method, params)), method);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay--;
    }
  }

  /** What still waits for its turn is not asked: the collection is over. */
  end(): void {
    this.#isOver = true;
  }

  /** Counts what goes into the document. @throws UpgradeError UPG_PROOF_MALFORMED beyond the bound of a document */
  keep<T extends Json | EvidenceRecord>(json: T): T {
    this.#bytes += utf8(JSON.stringify(json)).length + 1;
    if (this.#bytes <= EVIDENCE_BYTES_MAX - OWN_BYTES) return json;
    throw malformed(`what the server sends is more than the ${EVIDENCE_BYTES_MAX} bytes that evidence may have`);
  }

  #untilStopped<T>(asked: Promise<T>): Promise<T> {
    const { signal } = this.#options;
    if (!signal) return asked;
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.#stopped());
      signal.addEventListener("abort", stop, { once: true });
      asked.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }

  #stopped(): UpgradeError {
    const cause: unknown = this.#options.signal?.reason;
    const what = `stopped after ${this.#requests} requests, before all evidence was there: ${messageOf(cause)}`;
    return new UpgradeError("UPG_REMOTE_UNAVAILABLE", what, { cause });
  }
}

/** Names that were expected and not read, after which nothing begins ahead. */
const WRONG_MAX = 64;

/** A failure is reported where the result is awaited: so the first one in the order of the document is. */
export function begun<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/** Responses by the text that names their request. */
export class Ahead<Response> {
  #expected: readonly string[] = [];
  #wrong = 0;
  readonly #begun = new Map<string, Promise<Response>>();

  constructor(private readonly request: (name: string) => Promise<Response>) {}

  /** What will be read next, in this order. A few of these begin at once. */
  expect(names: readonly string[]): void {
    this.#expected = names;
    for (const name of names.slice(0, AT_ONCE_MAX)) {
      if (!this.#begun.has(name)) this.#begun.set(name, begun(this.request(name)));
    }
  }

  /** Expected names may be wrong, and others missing. What begins for nothing is bounded, since a server may mislead. */
  read(name: string): Promise<Response> {
    const response = this.#begun.get(name) ?? this.request(name);
    const at = this.#expected.slice(0, WRONG_MAX).indexOf(name);
    this.#wrong += Math.max(at, 0);
    if (at >= 0) this.expect(this.#wrong < WRONG_MAX ? this.#expected.slice(at + 1) : []);
    return response;
  }
}
