/** Writes down the calls that a typed host makes of core.wasm: under `Core`, where bytes have become pointers. */
import { toHex } from "../../../host/base/text/bytes.js";
import type { KVReader } from "../../../host/base/types/types.js";
import { CoreInstance, type Span } from "../../../host/upgrade/core/instance.js";
import { type CallArgument, type GivenCall, type HexPair, pairsOf } from "./call.js";

type Method = "run" | "put" | "call" | "fetch";

/** A call, and what the store held before it; undefined for calls that need none. */
export interface SeenCall extends Omit<GivenCall, "before"> {
  readonly pairs: readonly HexPair[] | undefined;
}

/** The calls that `work` makes, whatever becomes of it. */
export function callsOf(work: () => unknown): SeenCall[] {
  const recorder = new Recorder();
  const restore = recorder.attach();
  try {
    work();
  } finally {
    restore();
  }
  return recorder.calls;
}

class Recorder {
  readonly calls: SeenCall[] = [];
  /** Inputs of the operation that runs, by where they are. */
  #inputs = new Map<number, Uint8Array>();
  #store: KVReader | undefined;
  #isFetching = false;

  /** Returns the function that undoes it. */
  attach(): () => void {
    const own: Pick<CoreInstance, Method> = CoreInstance.prototype;
    const { run, put, call, fetch } = own;
    const recorder = this;
    own.run = function <T>(this: CoreInstance, store: KVReader | undefined, operation: () => T): T {
      recorder.#inputs = new Map();
      recorder.#store = store;
      return run.call(this, store, operation) as T;
    };
    own.put = function (this: CoreInstance, bytes: Uint8Array): Span {
      const span = put.call(this, bytes);
      recorder.#inputs.set(span.ptr, bytes.slice());
      return span;
    };
    own.fetch = function (this: CoreInstance, name: string, ...args: (number | bigint)[]) {
      recorder.#isFetching = true;
      try {
        return fetch.call(this, name, ...args);
      } finally {
        recorder.#isFetching = false;
      }
    };
    own.call = function (this: CoreInstance, name: string, ...args: (number | bigint)[]) {
      recorder.#take(name, args);
      return call.call(this, name, ...args);
    };
    return () => Object.assign(own, { run, put, call, fetch });
  }

  #take(name: string, args: readonly (number | bigint)[]): void {
    this.calls.push({ pairs: this.#store && pairsOf(this.#store), call: name, args: this.#arguments(args) });
  }

  #arguments(args: readonly (number | bigint)[]): CallArgument[] {
    const list: CallArgument[] = [];
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] as number | bigint;
      const input = typeof arg === "number" ? this.#inputs.get(arg) : undefined;
      if (typeof arg === "bigint") list.push(`i64:${arg}`);
      else if (input && args[at + 1] === input.length) {
        list.push(`in:${toHex(input)}`);
        at++;
      } else if (this.#isFetching && at === args.length - 2) {
        list.push(`out:${args[++at]}`);
      } else list.push(`i32:${arg}`);
    }
    return list;
  }
}
