/** What is made ready while the old program still runs, so that nothing is left to do at the height but to switch. */
import { fingerprint, type Program, problemOf } from "../../../node/programs/layout.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { Staging } from "../../stage/staging.js";
import type { Shared } from "./options.js";

export class PlanStaging {
  readonly #staging: Staging;
  /** Files that have no `pre-upgrade`, by what changes with the file. */
  readonly #without = new Set<string>();

  constructor(private readonly shared: Shared) {
    this.#staging = new Staging({ ...shared, env: shared.childEnv });
  }

  get canFetch(): boolean {
    return this.shared.settings.isDownloadAllowed;
  }

  /** Its height is ahead; undefined: nothing is scheduled. @param scheduled what the node has, which may come after it */
  prepare(plan: Plan | undefined, scheduled?: Plan): void {
    this.#staging.plan(plan, scheduled);
    if (plan) this.#note(this.shared.layout.of(plan.name));
  }

  /** Its height is reached, and the application, which makes no more blocks, serves until it is ended. */
  isReady(plan: Plan): boolean {
    const program = this.shared.layout.of(plan.name);
    this.#note(program);
    if (problemOf(program, this.shared.machine.files) === undefined) return true;
    this.#staging.plan(plan);
    this.#staging.hurry();
    this.shared.board.update({ phase: this.#staging.isTrying ? "downloading" : "halted" });
    return false;
  }

  /** A file is in its place, whether it can be run or not. */
  isThere(plan: Plan): boolean {
    return this.shared.machine.files.linkFacts(this.shared.layout.of(plan.name).file) !== undefined;
  }

  isWithoutPreUpgrade(program: Program): boolean {
    this.#note(program);
    const print = fingerprint(program.file, this.shared.machine.files);
    return print !== undefined && this.#without.has(print);
  }

  /** Ours was asked, as its file is now, whether it can take over, and can. */
  isChecked(program: Program): boolean {
    this.#note(program);
    return this.#staging.asked(program)?.state === "ready";
  }

  /** Before the switch is made, and at the end. */
  async close(): Promise<void> {
    await this.#staging.close();
  }

  #note(program: Program): void {
    if (this.#staging.asked(program)?.state !== "skipped") return;
    const print = fingerprint(program.file, this.shared.machine.files);
    if (print !== undefined) this.#without.add(print);
  }
}
