/**
 * A worker out of a text. It is a classic worker of a blob: a module worker of a blob never begins where the page is a
 * file, and a saved page has no other place to load it from.
 */
import { until } from "./deadline.js";

function workerOf(text: string): Worker {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
  return worker;
}

interface AskOptions<Progress> {
  /** Ends the worker, whatever it does then. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each message with `kind: "progress"`. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** One question and its response. The worker is gone after it: what it took of memory is, too. */
export function ask<Question, Response, Progress = never>(
  text: string,
  question: Question,
  { signal, onProgress }: AskOptions<Progress> = {},
): Promise<Response> {
  const worker = workerOf(text);
  const response = new Promise<Response>((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => {
      if ((data as { kind: string }).kind === "progress") onProgress?.(data as Progress);
      else resolve(data as Response);
    });
    worker.addEventListener("error", ({ message }) => reject(new Error(message || "the worker did not begin")));
    worker.postMessage(question);
  });
  return until(signal, response).finally(() => worker.terminate());
}
