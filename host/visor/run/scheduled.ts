/**
 * The plan that the chain has scheduled, asked of the node every few seconds: so its program is there before the height. It is
 * never a reason to switch; that is what the application writes at the height.
 */

import type { Pending } from "../../sidecar/decision/decide.js";
import type { Plan } from "../../sidecar/decision/plan-file.js";
import type { Shared } from "./options.js";

const ASK_MILLIS = 5_000;

export class Scheduled {
  #plan: Plan | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;

  constructor(private readonly shared: Shared) {}

  /** As far as the node has returned it. Returns at once. */
  look(): Pending | undefined {
    const { clock } = this.shared.machine;
    if (!this.#isAsking && clock.now() - this.#askedAt >= ASK_MILLIS) void this.#ask();
    return this.#plan && { plan: this.#plan, origin: "chain" };
  }

  /** Another program, or none, runs from now on. */
  forget(): void {
    this.#plan = undefined;
  }

  async #ask(): Promise<void> {
    const { settings, machine, askRpc: ask } = this.shared;
    if (settings.rpcAddress === "") return;
    this.#isAsking = true;
    try {
      const { planByRpc } = await import("./scheduled-plan.js");
      const { plan } = await planByRpc(settings.rpcAddress, ask);
      this.#plan = plan && { ...plan, name: settings.isCaseKept ? plan.name : plan.name.toLowerCase() };
    } catch {
      // A node that does not answer is asked again; what it said last may still be true.
    } finally {
      this.#isAsking = false;
      this.#askedAt = machine.clock.now();
    }
  }
}
