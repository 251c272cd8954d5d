/** Runs a module as it came and metered, call by call, and says where they differ. */
import { METER_EXPORTS } from "../../../host/upgrade/handler/meter/meter-exports.js";
import { metered } from "./metering.js";
import type { RandomModule } from "./random-module.js";
import { REFERENCE_GAS, referenceMetered } from "./reference-meter.js";

export type Ending = "done" | "trap" | "stack";

export interface TwinRun {
  /** Undefined: none. */
  readonly difference: string | undefined;
  readonly ending: Ending;
  readonly gas: bigint;
}

const GAS = 1n << 50n;

class Side {
  readonly trace: string[] = [];
  readonly exports: WebAssembly.Exports;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const progress = (a: bigint, b: bigint) => this.trace.push(`${a} ${b}`);
    this.exports = new WebAssembly.Instance(new WebAssembly.Module(bytes), { chain: { progress } }).exports;
  }

  /** The answer, or the class of the trap. */
  call(name: string, args: readonly (number | bigint)[]): string {
    try {
      return String((this.exports[name] as (...args: readonly (number | bigint)[]) => unknown)(...args));
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      return `trap: ${error.message}`;
    }
  }

  global(name: string): bigint {
    return BigInt((this.exports[name] as WebAssembly.Global).value);
  }

  /** Everything that can be seen of an instance. */
  state(globals: readonly string[]): string {
    const bytes = new Uint8Array((this.exports["memory"] as WebAssembly.Memory).buffer);
    let hash = 0x811c9dc5;
    for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
    return [bytes.length, hash, ...globals.map((name) => this.global(name)), ...this.trace].join(" ");
  }
}

/** @param isPlain the module has no bulk memory, so the reference meter can count its gas */
export function runTwins({ bytes, calls, globals }: RandomModule, isPlain: boolean): TwinRun {
  const original = new Side(bytes);
  const twin = new Side(metered(bytes));
  const reference = isPlain ? new Side(referenceMetered(bytes)) : undefined;
  (twin.exports[METER_EXPORTS.gas] as WebAssembly.Global).value = GAS;
  const gas = () => GAS - twin.global(METER_EXPORTS.gas);
  let ending: Ending = "done";
  for (const { name, args } of calls) {
    const due = original.call(name, args);
    const got = twin.call(name, args);
    reference?.call(name, args);
    // Only the metered one has a budget of stack; the other goes on.
    if (twin.global(METER_EXPORTS.stack) < 0n) return { difference: undefined, ending: "stack", gas: gas() };
    if (due !== got) return { difference: `${name}(${args.join(", ")}): ${got}, not ${due}`, ending, gas: gas() };
    if (original.state(globals) !== twin.state(globals))
      return { difference: `state after ${name}`, ending, gas: gas() };
    if (due.startsWith("trap")) {
      ending = "trap";
      break;
    }
    const sum = reference?.global(REFERENCE_GAS) ?? gas();
    if (sum !== gas()) return { difference: `gas after ${name}: ${gas()}, not ${sum}`, ending, gas: gas() };
  }
  return { difference: undefined, ending, gas: gas() };
}
