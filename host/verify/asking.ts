/** Requests of one collection: they end when the caller says so, and what is kept of them has a bound. */
import { utf8 } from "../bytes.js";
import { messageOf, UpgradeError } from "../errors.js";
import { EVIDENCE_BYTES_MAX, JsonView, malformed } from "./json.js";
import type { Ask, Json } from "./types.js";

/** For the document's own members, beside what is counted. */
const OWN_BYTES = 65_536;

/** Hears how far a collection has come: requests that were made, and bytes of evidence that are kept. */
type OnCollect = (requests: number, bytes: number) => void;

export interface AskingOptions {
  /** Ends the collection: what it asks then has UPG_REMOTE_UNAVAILABLE. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnCollect | undefined;
}

export class Asking {
  readonly #ask: Ask;
  readonly #options: AskingOptions;
  #requests = 0;
  #bytes = 0;

  constructor(ask: Ask, options: AskingOptions) {
    this.#ask = ask;
    this.#options = options;
  }

  /** @throws UpgradeError UPG_REMOTE_UNAVAILABLE when the caller has ended it, and what `ask` throws */
  async view(method: Parameters<Ask>[0], params: Parameters<Ask>[1]): Promise<JsonView> {
    this.#requests++;
    this.#options.onProgress?.(this.#requests, this.#bytes);
    return new JsonView(await this.#untilStopped(() => this.#ask(method, params)), method);
  }

  /** Counts what goes into the document. @throws UpgradeError UPG_PROOF_MALFORMED beyond the bound of a document */
  keep<T extends Json>(json: T): T {
    this.#bytes += utf8(JSON.stringify(json)).length + 1;
    if (this.#bytes <= EVIDENCE_BYTES_MAX - OWN_BYTES) return json;
    throw malformed(`what the server sends is more than the ${EVIDENCE_BYTES_MAX} bytes that evidence may have`);
  }

  #untilStopped(ask: () => Promise<unknown>): Promise<unknown> {
    const { signal } = this.#options;
    if (!signal) return ask();
    if (signal.aborted) return Promise.reject(this.#stopped(signal));
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.#stopped(signal));
      signal.addEventListener("abort", stop, { once: true });
      ask()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener("abort", stop));
    });
  }

  #stopped({ reason }: AbortSignal): UpgradeError {
    const what = `stopped after ${this.#requests} requests, before all evidence was there: ${messageOf(reason)}`;
    return new UpgradeError("UPG_REMOTE_UNAVAILABLE", what, { cause: reason });
  }
}
