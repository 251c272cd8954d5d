/**
 * How a run ends when it does not succeed. What the guest did is the same on every node and has a class; what the engine
 * or the machine could not do is not, and must never be taken for a result: it says so and halts this node alone.
 */
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { STACK_BUDGET } from "../meter/schedule.js";
import type { GasCounter } from "./gas-counter.js";

/** Classes of WebAssembly traps, found in the words of V8, SpiderMonkey and JavaScriptCore. First match wins. */
const TRAP_CLASSES: readonly (readonly [words: RegExp, name: string])[] = [
  [/unreachable/i, "unreachable"],
  [/\btable\b|indirect|signature|null function/i, "bad indirect call"],
  [/memory|out of bounds/i, "memory out of bounds"],
  [/unrepresentable|overflow/i, "integer overflow"],
  [/zero/i, "division by zero"],
];

/** The guest broke a rule of the interface: the run ends, and the guest cannot catch it. */
export function trap(what: string): UpgradeError {
  return new UpgradeError("UPG_HANDLER_TRAP", `the handler broke its interface: ${what}`, { details: { trap: what } });
}

/** The handler said no. */
export function failed(what: string, details: Readonly<Record<string, string>> = {}): UpgradeError {
  return new UpgradeError("UPG_MIGRATION_FAILED", `the handler failed: ${what}`, { details });
}

export function engineFailure(what: string, cause: unknown): UpgradeError {
  const reason = messageOf(cause);
  const advice = "another node may not see it; free memory or use another machine, and start again";
  const message = `${what}: ${reason}. This is a limit of this engine or machine, not a result of the handler: ${advice}`;
  return new UpgradeError("UPG_HANDLER_ENGINE", message, { cause });
}

/** The error of a call that the meter ended; undefined when it was something else. */
export function stopped(cause: unknown, gas: GasCounter, call: string): UpgradeError | undefined {
  if (!(cause instanceof WebAssembly.RuntimeError)) return undefined;
  switch (gas.stopReason) {
    case "gas":
      return gas.outOfGas(call, cause);
    case "stack":
      return new UpgradeError(
        "UPG_HANDLER_STACK",
        `the handler called itself too deeply in ${call}: ${STACK_BUDGET} abstract bytes of stack are used up; loop instead of recursing`,
        { cause, details: { call } },
      );
    case "memory":
      return engineFailure(`the engine had no memory for the handler in ${call}`, cause);
    default:
      return undefined;
  }
}

/** What a call into the guest threw, as the error that the run ends with. */
export function runFailure(cause: unknown, call: string): unknown {
  if (cause instanceof WebAssembly.RuntimeError) {
    const name = TRAP_CLASSES.find(([words]) => words.test(cause.message))?.[1] ?? "trap";
    const message = `the handler trapped in ${call}: ${name}`;
    return new UpgradeError("UPG_HANDLER_TRAP", message, { cause, details: { trap: name, call } });
  }
  // Stack overflow and failed allocation: RangeError, in SpiderMonkey InternalError.
  if (cause instanceof Error && (cause instanceof RangeError || cause.name === "InternalError")) {
    return engineFailure(`the engine gave up in ${call}`, cause);
  }
  // Thrown by an import, or by a store or a callback beneath it.
  return cause;
}
