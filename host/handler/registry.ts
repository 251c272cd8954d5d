/** Handlers by the plan that each serves. */
import { compareBytes, utf8 } from "../bytes.js";
import { UpgradeError } from "../errors.js";
import type { WasmHandler } from "./handler.js";

export class HandlerRegistry {
  readonly #handlers = new Map<string, WasmHandler>();

  /** @throws UpgradeError UPG_HANDLER_DUPLICATE for a second handler of one plan, also when it is the same file */
  add(handler: WasmHandler): void {
    const { name } = handler.manifest;
    const other = this.#handlers.get(name);
    if (other) {
      throw new UpgradeError(
        "UPG_HANDLER_DUPLICATE",
        `two handlers claim plan "${name}": SHA-256 ${other.hash} and ${handler.hash}; keep one`,
        { details: { plan: name, first: other.hash, second: handler.hash } },
      );
    }
    this.#handlers.set(name, handler);
  }

  /** The handler of a plan. */
  get(plan: string): WasmHandler | undefined {
    return this.#handlers.get(plan);
  }

  has(plan: string): boolean {
    return this.#handlers.has(plan);
  }

  /** Names of the plans, ascending by bytes. */
  get plans(): readonly string[] {
    return [...this.#handlers.keys()].sort((a, b) => compareBytes(utf8(a), utf8(b)));
  }
}
