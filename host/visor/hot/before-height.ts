/**
 * What is done before the height of an upgrade: the log says whether the next program is there, and in the last blocks it is
 * checked, and started, held back.
 */
import { messageOf } from "../../base/errors/errors.js";
import type { Height } from "../../base/types/types.js";
import { type Layout, type Program, problemOf } from "../../node/programs/layout.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { Plan } from "../decide/decision/plan-file.js";
import { StandbyProgram, type UpcomingProgram } from "../stage/standby-program.js";
import type { RelayHooks } from "./hooks.js";
import { commandToPut } from "./next-program.js";
import type { Worker } from "./worker.js";

const LOOK_MILLIS = 1_000;
/** A worker's arguments are the same in every run. */
const ARGS: readonly string[] = [];

/** A worker that waits for its turn. */
export interface StandbyWorker extends Worker {
  /** It waits indeed. */
  readonly isReady: boolean;
}

export interface BeforeHeightOptions {
  readonly layout: Layout;
  readonly startStandby: (program: Program) => StandbyWorker;
  readonly hooks: Pick<RelayHooks, "onPlan" | "preparation" | "isFetched">;
  /** Why a program cannot take over; undefined: it can. */
  readonly problemOf: (program: Program) => Promise<string | undefined>;
  readonly log: (level: LogLevel, message: string) => void;
}

export class BeforeHeight {
  readonly #standby: StandbyProgram<StandbyWorker>;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #said = "";

  constructor(private readonly options: BeforeHeightOptions) {
    const { startStandby, hooks } = options;
    this.#standby = new StandbyProgram({
      now: () => performance.now(),
      isChecked: (program) => hooks.preparation?.isChecked(program) ?? true,
      isStartable: async (upcoming) => hooks.preparation !== undefined || this.#isGood(upcoming),
      start: ({ program, at }) => {
        const worker = startStandby(program);
        const what = `process ${worker.pid ?? "none"} of ${program.file}`;
        this.options.log(
          "info",
          `worker ${program.name} is loaded before its turn, ${what}, and waits for height ${at}`,
        );
        return worker;
      },
      stop: (worker) => worker.stop(),
    });
  }

  /** After a block, of a worker that serves. Never rejects. */
  async look(worker: Worker, height: Height): Promise<void> {
    const at = performance.now();
    if (this.#isLooking || at - this.#lookedAt < LOOK_MILLIS) return;
    this.#isLooking = true;
    this.#lookedAt = at;
    try {
      const plan = await worker.plan();
      this.options.hooks.onPlan(plan);
      if (plan) await this.#prepare(plan, worker.program, height);
      else await this.#standby.drop();
    } catch (error) {
      this.options.log("debug", `the next upgrade is not prepared: ${messageOf(error)}`);
    } finally {
      this.#isLooking = false;
    }
  }

  async #prepare(plan: Plan, current: Program, height: Height): Promise<void> {
    const program = this.options.layout.of(plan.name);
    if (program.file === current.file) return;
    this.#say(plan, program);
    await this.#standby.look({ program, at: plan.height, height, args: ARGS });
  }

  async #isGood({ program, at }: UpcomingProgram): Promise<boolean> {
    const problem = await this.options.problemOf(program);
    if (problem !== undefined) this.options.log("warn", `${problem}; it is asked again at height ${at}`);
    return problem === undefined;
  }

  #say(plan: Plan, program: Program): void {
    const problem = problemOf(program);
    const { preparation, isFetched } = this.options.hooks;
    if (problem !== undefined && (preparation || isFetched(plan))) return;
    const what = `the upgrade "${plan.name}" is due at height ${plan.height}`;
    const text =
      problem === undefined
        ? `${what}: ${program.file} takes over`
        : `${what}, and ${problem}: put it there before, \`${commandToPut(program)}\``;
    if (text === this.#said) return;
    this.#said = text;
    this.options.log(problem === undefined ? "info" : "warn", text);
  }

  /** Was the program asked, as its file is now, and can it take over? */
  isChecked(program: Program): boolean {
    return this.options.hooks.preparation?.isChecked(program) ?? this.#standby.isAsked(program);
  }

  /** The worker that waits for this program's turn, which begins. */
  async take(program: Program): Promise<Worker | undefined> {
    const waiting = this.#standby.take(program, ARGS);
    if (!waiting) await this.#standby.drop();
    return waiting;
  }

  close(): Promise<void> {
    return this.#standby.close();
  }
}
