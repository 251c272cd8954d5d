/** One instance of a handler: instantiated fresh, called, dropped. Whatever a call throws ends the run. */

import { assert, isUpgradeError } from "../../../base/errors/errors.js";
import { FAIL_MESSAGE_BYTES_MAX } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import { guestText } from "../../wasm/guest-text.js";
import { HOST_PRICES } from "../meter/schedule.js";
import { engineFailure, failed, runFailure, stopped } from "./failures.js";
import type { GasCounter } from "./gas-counter.js";
import type { GuestMemory } from "./guest-memory.js";

type GuestFunction = (...args: number[]) => number | undefined;

/** handler_err() → { u32 code, u32 msg_len, u8 msg[] } */
const ERROR_HEADER_BYTES = 8;

export class Guest {
  readonly memory: GuestMemory;
  readonly exports: WebAssembly.Exports;
  readonly #functions = new Map<string, GuestFunction>();
  readonly #gas: GasCounter;

  /** @throws UpgradeError UPG_HANDLER_ENGINE when the engine cannot instantiate it: the checks leave no other reason */
  constructor(module: WebAssembly.Module, imports: WebAssembly.Imports, memory: GuestMemory, gas: GasCounter) {
    let exports: WebAssembly.Exports;
    try {
      exports = new WebAssembly.Instance(module, imports).exports;
    } catch (cause) {
      throw engineFailure("the engine could not instantiate the handler", cause);
    }
    const { memory: exported } = exports;
    assert(exported instanceof WebAssembly.Memory, "a checked handler has no memory");
    memory.bind(exported);
    this.memory = memory;
    this.exports = exports;
    gas.bind(exports);
    this.#gas = gas;
    for (const [name, value] of Object.entries(exports)) {
      if (typeof value === "function") this.#functions.set(name, value as GuestFunction);
    }
  }

  has(name: string): boolean {
    return this.#functions.has(name);
  }

  /**
   * Calls an export; the answer is an i32, 0 for none.
   *
   * @throws UpgradeError UPG_MIGRATION_OUT_OF_GAS, UPG_HANDLER_STACK, UPG_HANDLER_TRAP, UPG_MIGRATION_FAILED (fail,
   *   abort), UPG_HANDLER_ENGINE (the engine gave up)
   */
  call(name: string, ...args: number[]): number {
    const entry = this.#functions.get(name);
    assert(entry, `a checked handler does not export ${name}`);
    this.#gas.charge(HOST_PRICES.hostCall, name);
    let answer: number;
    try {
      answer = entry(...args) ?? 0;
    } catch (cause) {
      throw stopped(cause, this.#gas, name) ?? runFailure(cause, name);
    }
    this.#gas.requireRest(name);
    return answer;
  }

  /** The same for the exports that answer with a length. @throws UpgradeError UPG_MIGRATION_FAILED below 0 */
  callForLength(name: string, ...args: number[]): number {
    const answer = this.call(name, ...args);
    if (answer >= 0) return answer;
    const code = String(-answer);
    const record = this.#errorRecord();
    throw failed(`${name} returned -${code}${record ? `: ${record.message} (code ${record.code})` : ""}`, {
      call: name,
      answer: code,
      ...record,
    });
  }

  /** What `handler_err` says; undefined without it, and when it breaks too: the answer below 0 is the failure. */
  #errorRecord(): { code: string; message: string } | undefined {
    if (!this.has("handler_err")) return undefined;
    try {
      const ptr = this.call("handler_err");
      const head = this.memory.range(ptr, ERROR_HEADER_BYTES, "the record of handler_err");
      const code = readU32(head, 0);
      const text = this.memory.range((ptr >>> 0) + ERROR_HEADER_BYTES, readU32(head, 4), "the message of handler_err");
      return { code: String(code), message: guestText(text, FAIL_MESSAGE_BYTES_MAX) };
    } catch (error) {
      if (!isUpgradeError(error) || error.code === "UPG_HANDLER_ENGINE") throw error;
      return undefined;
    }
  }
}
