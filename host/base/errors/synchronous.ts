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

interface ModuleCall {
  readonly what: string;
  /** Of the outermost call and all calls inside it. `first` is set whether or not the module caught it. */
  readonly refusals: { first: UpgradeError | undefined };
}

/** The innermost function of a module that is running in this thread. */
let moduleCall: ModuleCall | undefined;

/** Names of functions of modules, by what they threw. */
const throwers = new WeakMap<object, string>();

/** The innermost function of a module that threw this error; while one runs, that one. Undefined: none did. */
export function throwerOf(error: unknown): string | undefined {
  return (typeof error === "object" && error !== null && throwers.get(error)) || moduleCall?.what;
}

/**
 * Calls a function of a chain's module. While it runs, functions whose results differ between nodes throw (chain/determinism/traps.ts).
 * @param what the function, for messages
 * @throws UpgradeError UPG_INVALID_NONDETERMINISTIC after such a call, even if the module caught the error; UPG_INVALID_ARGUMENT when
 *   the function returned a promise; what `run` throws
 */
export function callModule<T>(what: string, run: () => T, kind?: string): T {
  const outer = moduleCall;
  const refusals = outer?.refusals ?? { first: undefined };
  moduleCall = { what, refusals };
  try {
    const returned = synchronous(what, run(), kind);
    if (refusals.first) throw refusals.first;
    return returned;
  } catch (error) {
    const thrown = refusals.first ?? error;
    if (typeof thrown === "object" && thrown !== null && !throwers.has(thrown)) throwers.set(thrown, what);
    throw thrown;
  } finally {
    moduleCall = outer;
  }
}

/** Runs code of the host that a module called, such as a read of the database: it may use clocks and timers. */
export function asHost<T>(run: () => T): T {
  const call = moduleCall;
  moduleCall = undefined;
  try {
    return run();
  } finally {
    moduleCall = call;
  }
}

/** Is a function of a module running? */
export const isInModule = (): boolean => moduleCall !== undefined;

/** The innermost function of a module that is running, for messages; undefined: none is. */
export const moduleFunction = (): string | undefined => moduleCall?.what;

/** @throws UpgradeError UPG_INVALID_NONDETERMINISTIC while a function of a module runs */
export function refuseInModule(name: string, instead: string): void {
  if (!moduleCall) return;
  const message = `${moduleCall.what} used ${name}, whose result differs between nodes: ${instead}`;
  const { refusals } = moduleCall;
  refusals.first ??= new UpgradeError("UPG_INVALID_NONDETERMINISTIC", message);
  throw refusals.first;
}

/** The error of a module that uses what it kept from a call that is over. It fails the call, even if the module catches it. */
export function usedLater(name: string, instead: string): UpgradeError {
  try {
    refuseInModule(name, instead);
  } catch (refused) {
    return refused as UpgradeError;
  }
  return new UpgradeError("UPG_INVALID_NONDETERMINISTIC", `${name} was used: ${instead}`);
}

/** Of a store that a module kept from a hook, a migration or a block. */
export const keptStore = (): UpgradeError =>
  usedLater(
    "a store of a call that is over",
    "only nodes have it that ran the call since their start; take stores from the context of each call",
  );

/** Calls a log or progress callback, which has no effect on results: drops what it throws, or what its promise rejects with. */
export function bestEffort(callback: () => unknown): void {
  try {
    const returned = asHost(callback);
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
