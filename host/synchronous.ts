/**
 * Calls of functions that a caller gave. What runs in a block is synchronous: what an `async` function does after its first
 * `await` would be lost in silence.
 */
import { UpgradeError } from "./errors.js";

/**
 * What a function of somebody else's returned.
 * @param what the function, for the message
 * @param kind what all of its kind are called
 * @throws UpgradeError UPG_INVALID_ARGUMENT when it is a promise
 */
export function synchronous<T>(what: string, returned: T, kind = "it"): T {
  if (!isThenable(returned)) return returned;
  // It is refused here and now; how it ends by itself is nobody's concern, and must not end the process.
  returned.then(ignore, ignore);
  throw new UpgradeError("UPG_INVALID_ARGUMENT", `${what} returned a promise; ${kind} is synchronous`);
}

/** Calls a log or progress callback, which has no effect on results: drops what it throws, or what its promise rejects with. */
export function bestEffort(callback: () => unknown): void {
  try {
    const returned = callback();
    if (isThenable(returned)) returned.then(ignore, ignore);
  } catch {
    // Dropped: another node's callback may not throw.
  }
}

/** A callback that has no effect on results, called with {@link bestEffort}. */
export function withoutEffect<Args extends readonly unknown[]>(callback: (...args: Args) => unknown) {
  return (...args: Args): void => bestEffort(() => callback(...args));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function ignore(): void {}
