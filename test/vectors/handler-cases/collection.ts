/** Gathers guests, inputs and cases, each guest and input once. */
import { toBase64, toHex } from "../../../host/bytes.js";
import { isUpgradeError } from "../../../host/errors.js";
import { examineHandler } from "../../../host/handler/check/check.js";
import { loadHandler, type WasmHandler } from "../../../host/handler/handler.js";
import { meterModule } from "../../../host/handler/meter/meter.js";
import { sha256 } from "../../guest/build.js";
import { runCase } from "./run-case.js";
import type { CaseInput, GivenRun, GuestFile, HandlerCase, RunOutcome } from "./shapes.js";

function metered(bytes: Uint8Array): { metered?: string } {
  const { module, findings } = examineHandler(bytes);
  return module && findings.length === 0 ? { metered: toBase64(meterModule(module)) } : {};
}

export class Collection {
  readonly guests: GuestFile[] = [];
  readonly inputs: CaseInput[] = [];
  readonly cases: HandlerCase[] = [];
  readonly #handlers = new Map<string, WasmHandler>();
  readonly #names = new Map<string, string>();

  /** Adds a file; the same bytes again are the same guest. Returns its name. */
  guest(name: string, bytes: Uint8Array): string {
    const hash = toHex(sha256(bytes));
    const known = this.#names.get(hash);
    if (known !== undefined) return known;
    this.#names.set(hash, name);
    this.guests.push({ name, wasm: toBase64(bytes), ...metered(bytes) });
    return name;
  }

  /** A guest that is run. */
  handler(name: string, bytes: Uint8Array): string {
    const own = this.guest(name, bytes);
    if (!this.#handlers.has(own)) this.#handlers.set(own, loadHandler(bytes, { sha256 }));
    return own;
  }

  input(input: CaseInput): string {
    const { name, ...rest } = input;
    const text = JSON.stringify(rest);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    this.#names.set(text, name);
    this.inputs.push(input);
    return name;
  }

  /** Adds a run, and returns what came of it. */
  run(given: GivenRun): RunOutcome {
    const handler = this.#handlers.get(given.guest);
    const input = this.inputs.find(({ name }) => name === given.input);
    if (!handler || !input) throw new Error(`${given.label}: no guest ${given.guest}, or no input ${given.input}`);
    const outcome = runCase(handler, input, given);
    this.cases.push({ ...given, ...outcome });
    return outcome;
  }

  /** Adds a file that is refused. */
  refused(label: string, bytes: Uint8Array): void {
    const guest = this.guest(label, bytes);
    try {
      loadHandler(bytes, { sha256 });
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      this.cases.push({ label, guest, error: error.code });
      return;
    }
    throw new Error(`${label}: the file is taken`);
  }
}
