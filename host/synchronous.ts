/** What runs in a block is synchronous: what an `async` function does after its first `await` would be lost in silence. */
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

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function ignore(): void {}
