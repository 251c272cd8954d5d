/**
 * Keeps which plans the running program has gone beyond. A program that needs the upgrade makes no block after its height, so one that
 * does has made it otherwise, or was to skip it: no later restart may switch for it.
 */
import { messageOf } from "../../../base/errors/errors.js";
import type { Reached } from "../../decide/decision/decide.js";
import { readPassed, writePassed } from "../../decide/decision/past-plans-file.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { isSamePlan } from "../../decide/decision/queue.js";
import type { Shared } from "./options.js";

export class PastPlans {
  #plans: readonly Plan[] | undefined;
  /** The first height that was known of this run: blocks up to it may be another program's. */
  #from: bigint | undefined;

  constructor(private readonly shared: Pick<Shared, "machine" | "places" | "log">) {}

  get plans(): readonly Plan[] {
    this.#plans ??= this.#read();
    return this.#plans;
  }

  runBegins(): void {
    this.#from = undefined;
  }

  /** @param plan of the chain, whose program is not the one that runs @param reached by that one */
  look(plan: Plan | undefined, reached: Reached | undefined): void {
    if (!reached) return;
    this.#from ??= reached.height;
    if (!plan || reached.height <= this.#from || reached.height <= plan.height) return;
    if (!this.plans.some((each) => isSamePlan(each, plan))) this.#keep([...this.plans, plan]);
  }

  /** Kept in memory also where the disk refuses: the next start then decides without it. */
  #keep(plans: readonly Plan[]): void {
    const { machine, places, log } = this.shared;
    this.#plans = plans;
    try {
      writePassed(machine.files, places.passedFile, plans);
    } catch (error) {
      log("warn", `${places.passedFile} cannot be written: ${messageOf(error)}`);
    }
  }

  #read(): readonly Plan[] {
    const { machine, places, log } = this.shared;
    try {
      return readPassed(machine.files, places.passedFile);
    } catch (error) {
      log("warn", messageOf(error));
      return [];
    }
  }
}
