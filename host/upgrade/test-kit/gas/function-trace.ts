/** The gas of each function of a handler, read from the counters of a traced module. */
import { assert } from "../../../base/errors/errors.js";
import type { WasmHandler } from "../../handler/handler.js";
import { readModule } from "../../wasm/decode.js";
import { functionNamer } from "../../wasm/function-names.js";
import type { FunctionBody, WasmModule } from "../../wasm/wasm-module.js";
import { mapOf } from "../failure/maps.js";
import { TRACE_EXPORTS, traceModule } from "./traced-module.js";

export interface FunctionGas {
  /** Of the build's map, of the file's name section, or `func[3]`. */
  readonly function: string;
  /** Where its code begins; null without the map of the build. */
  readonly source: string | null;
  readonly line: number | null;
  readonly calls: string;
  /** What it took itself, with what the host took for its calls. */
  readonly own: string;
  /** With all that it called. */
  readonly total: string;
}

export class FunctionTrace {
  /** The same handler with counters in it: it takes the same gas. */
  readonly handler: WasmHandler;
  readonly #original: WasmHandler;
  readonly #module: WasmModule;
  #exports: WebAssembly.Exports = {};

  constructor(handler: WasmHandler) {
    this.#original = handler;
    this.#module = readModule(handler.bytes);
    this.handler = { ...handler, module: new WebAssembly.Module(traceModule(this.#module)) };
  }

  bind(exports: WebAssembly.Exports): void {
    this.#exports = exports;
  }

  /** One of its functions is running. */
  get isRunning(): boolean {
    const depth = this.#exports[TRACE_EXPORTS.depth] as WebAssembly.Global<"i32"> | undefined;
    return depth !== undefined && depth.value > 0;
  }

  /** Those that were called, the most gas of its own first. */
  functions(): FunctionGas[] {
    const nameOf = functionNamer(this.#module);
    return this.#module.bodies
      .map((body, i) => ({ body, ...this.#countersOf(i) }))
      .filter(({ calls }) => calls > 0n)
      .sort((a, b) => (a.own === b.own ? 0 : a.own < b.own ? 1 : -1))
      .map(({ body, calls, own, total }) => ({
        ...this.#named(body, nameOf),
        calls: String(calls),
        own: String(own),
        total: String(total),
      }));
  }

  #countersOf(body: number) {
    const { own, total, calls } = TRACE_EXPORTS;
    return { own: this.#counter(own(body)), total: this.#counter(total(body)), calls: this.#counter(calls(body)) };
  }

  #counter(name: string): bigint {
    const { [name]: counter } = this.#exports;
    assert(counter instanceof WebAssembly.Global, `a traced handler has no counter "${name}"`);
    return (counter as WebAssembly.Global<"i64">).value;
  }

  #named({ functionIndex, start, end }: FunctionBody, nameOf: (index: number) => string) {
    const map = mapOf(this.#original);
    const place = map?.startOf(start, end);
    return {
      function: map?.functionName(functionIndex) ?? nameOf(functionIndex),
      source: place?.source ?? null,
      line: place?.line ?? null,
    };
  }
}
