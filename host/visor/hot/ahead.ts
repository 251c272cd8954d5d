/**
 * What is done before the height of an upgrade: the log says whether the next program is there, and in the last blocks it is
 * checked, and started, held back, so that at the height nothing but opening the home is left to do.
 */
import { messageOf } from "../../base/errors/errors.js";
import type { Height } from "../../base/types/types.js";
import { fingerprint, type Layout, type Program, problemOf } from "../../node/programs/layout.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { RelayHooks } from "./hooks.js";
import type { DuePlan } from "./message.js";
import { commandToPut } from "./succession.js";
import type { Worker } from "./worker.js";

/** Before the height: so many blocks, and as many as are made in such a time where that is more. */
const BLOCKS = 30;
const MILLIS = 60_000;
const LOOK_MILLIS = 1_000;

/** A worker that waits for its turn. */
export interface NextWorker extends Worker {
  /** It waits indeed. */
  readonly isReady: boolean;
}

export interface AheadOptions {
  readonly layout: Layout;
  readonly startStandby: (program: Program) => NextWorker;
  readonly hooks: Pick<RelayHooks, "onPlan" | "isMissingReported">;
  /** Why a program cannot take over; undefined: it can. */
  readonly problemOf: (program: Program) => Promise<string | undefined>;
  readonly log: (level: LogLevel, message: string) => void;
}

interface Checked {
  readonly program: Program;
  readonly print: string;
}

export class Ahead {
  #last: { readonly at: number; readonly height: Height } | undefined;
  /** Blocks before the height of an upgrade. */
  #window = BLOCKS;
  #isLooking = false;
  #said = "";
  /** The file that was asked last. */
  #asked = "";
  #checked: Checked | undefined;
  #next: NextWorker | undefined;
  #isClosed = false;

  constructor(private readonly options: AheadOptions) {}

  /** After a block, of a worker that serves. Never rejects. */
  async look(worker: Worker, height: Height): Promise<void> {
    const at = performance.now();
    const last = this.#last ?? { at: Number.NEGATIVE_INFINITY, height };
    if (this.#isLooking || at - last.at < LOOK_MILLIS) return;
    this.#isLooking = true;
    this.#last = { at, height };
    this.#window = Math.max(BLOCKS, (Number(height - last.height) * MILLIS) / (at - last.at));
    try {
      const plan = await worker.plan();
      this.options.hooks.onPlan(plan);
      if (plan) await this.#prepare(plan, worker.program, height);
      else await this.drop();
    } catch (error) {
      this.options.log("debug", `the next upgrade is not prepared: ${messageOf(error)}`);
    } finally {
      this.#isLooking = false;
    }
  }

  async #prepare(plan: DuePlan, current: Program, height: Height): Promise<void> {
    const { layout, log, startStandby } = this.options;
    const program = layout.of(plan.name);
    if (program.file === current.file) return;
    const print = fingerprint(program.file);
    this.#say(plan, program);
    const key = `${program.file} ${print}`;
    if (print === undefined || Number(plan.height - height) > this.#window || key === this.#asked) return;
    await this.drop();
    this.#asked = key;
    const problem = await this.options.problemOf(program);
    // Its turn came meanwhile, or nobody needs it any more.
    if (this.#isClosed || this.#asked !== key) return;
    if (problem !== undefined) {
      log("warn", `${problem}; it is asked again at height ${plan.height}`);
      return;
    }
    this.#checked = { program, print };
    this.#next = startStandby(program);
  }

  #say(plan: DuePlan, program: Program): void {
    const problem = problemOf(program);
    if (problem !== undefined && this.options.hooks.isMissingReported) return;
    const what = `the upgrade "${plan.name}" is due at height ${plan.height}`;
    const text =
      problem === undefined
        ? `${what}: ${program.file} takes over`
        : `${what}, and ${problem}: put it there before, \`${commandToPut(program)}\``;
    if (text === this.#said) return;
    this.#said = text;
    this.options.log(problem === undefined ? "info" : "warn", text);
  }

  /** Was this file asked in the last blocks, and can it take over? */
  isChecked({ file }: Program): boolean {
    return this.#checked?.program.file === file && this.#checked.print === fingerprint(file);
  }

  /** The worker that waits for this program's turn, which begins. */
  async take(program: Program): Promise<Worker | undefined> {
    const next = this.#next;
    if (next?.isReady && this.isChecked(program)) {
      this.#next = undefined;
      this.#checked = undefined;
      return next;
    }
    await this.drop();
    return undefined;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.drop();
  }

  /** None waits any more. */
  async drop(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    this.#checked = undefined;
    this.#asked = "";
    await next?.stop();
  }
}
