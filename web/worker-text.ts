/**
 * A worker out of a text. It is a classic worker of a blob: a module worker of a blob never begins where the page is a
 * file, and a saved page has no other place to load it from.
 */
function workerOf(text: string): Worker {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
  return worker;
}

/** One question and its response. The worker is gone after it: what it took of memory is, too. */
export function ask<Question, Response>(text: string, question: Question): Promise<Response> {
  const worker = workerOf(text);
  return new Promise<Response>((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => resolve(data as Response));
    worker.addEventListener("error", ({ message }) => reject(new Error(message || "the worker did not begin")));
    worker.postMessage(question);
  }).finally(() => worker.terminate());
}
