/** Gathers guests, inputs and cases, each guest and input once. */

import { type ErrorCode, isUpgradeError } from "../../../host/base/errors/errors.js";
import { toBase64, toHex } from "../../../host/base/text/bytes.js";
import { loadHandler, type WasmHandler } from "../../../host/upgrade/handler/handler.js";
import { withMetered } from "../../../host/upgrade/handler/metered-section.js";
import { sha256 } from "../../guest/build.js";
import { runCase } from "./run-case.js";
import type { CaseInput, GivenRun, GuestFile, HandlerCase, LoadCase, RunOutcome } from "./shapes.js";

export class Collection {
  readonly guests: GuestFile[] = [];
  readonly inputs: CaseInput[] = [];
  readonly cases: HandlerCase[] = [];
  readonly byMeter: LoadCase[] = [];
  readonly #handlers = new Map<string, WasmHandler>();
  readonly #names = new Map<string, string>();

  /** Adds a file; the same bytes again are the same guest. Returns its name. */
  guest(name: string, bytes: Uint8Array): string {
    const hash = toHex(sha256(bytes));
    const known = this.#names.get(hash);
    if (known !== undefined) return known;
    this.#names.set(hash, name);
    this.guests.push({ name, wasm: toBase64(bytes) });
    return name;
  }

  /** A guest that is run: its file gets its metered module. */
  handler(name: string, file: Uint8Array): string {
    const bytes = withMetered(file);
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

  /** Adds a run, and returns its outcome. */
  run(given: GivenRun): RunOutcome {
    const handler = this.#handlers.get(given.guest);
    const input = this.inputs.find(({ name }) => name === given.input);
    if (!handler || !input) throw new Error(`${given.label}: no guest ${given.guest}, or no input ${given.input}`);
    const outcome = runCase(handler, input, given);
    this.cases.push({ ...given, ...outcome });
    return outcome;
  }

  /** Adds a file that every host refuses. */
  refused(label: string, bytes: Uint8Array): void {
    this.cases.push({ label, guest: this.guest(label, bytes), error: refusalOf(label, bytes) });
  }

  /** Adds a file that only hosts without a meter refuse. */
  unmetered(label: string, bytes: Uint8Array): void {
    loadHandler(bytes, { sha256 });
    this.cases.push({ label, guest: this.guest(label, bytes), error: "UPG_HANDLER_METERED", without_meter: true });
  }

  /** Adds a file that only hosts with a meter can refuse. */
  refusedByMeter(label: string, bytes: Uint8Array): void {
    this.byMeter.push({ label, guest: this.guest(label, bytes), error: refusalOf(label, bytes) });
  }
}

function refusalOf(label: string, bytes: Uint8Array): ErrorCode {
  try {
    loadHandler(bytes, { sha256 });
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return error.code;
  }
  throw new Error(`${label}: the file is taken`);
}
