/**
 * Which program is next: that of the due plan, in its folder or where the operator named it. While it is missing, or refuses the home,
 * the relay waits and looks again.
 */
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { diskFiles } from "../../base/files/disk-files.js";
import { type Log, programLines } from "../../base/text/log-line.js";
import { shellWord } from "../../base/text/shell-word.js";
import { fingerprint, type Layout, type Program, problemOf } from "../../node/programs/layout.js";
import { type Plan, planIn } from "../decide/decision/plan-file.js";
import { endText, type Machine, type RunEnd } from "../decide/machine.js";
import { askPreUpgrade, type PreUpgradeResult, preUpgradeArgs } from "../decide/pre-upgrade.js";
import { waitForProgram } from "../decide/wait-for-program.js";
import { appliedInState } from "../stage/plan-in-state.js";
import { handlersPrint } from "../stage/watched-files.js";
import type { RelayHooks } from "./hooks.js";

const LOOK_MILLIS = 250;
/** Between two log lines of a program that is waited for. */
export const REMINDER_MILLIS = 15_000;
/** Between two log lines of what is missing, and two questions to a program that has refused. */
const MINUTE_MILLIS = 60_000;

export interface NextProgramOptions {
  readonly home: string;
  readonly layout: Layout;
  readonly machine: Pick<Machine, "clock" | "processes">;
  /** Of the workers. */
  readonly flags: readonly string[];
  /** Of the workers, and of their `pre-upgrade`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further questions to a `pre-upgrade` that asks for them; Cosmovisor's DAEMON_PREUPGRADE_MAX_RETRIES. */
  readonly retriesMax: number;
  readonly hooks: Pick<RelayHooks, "beforePreUpgrade" | "beforeUpgrade" | "link" | "onHold" | "isFetched">;
  /** Was the program asked before the height? */
  readonly isChecked: (program: Program) => boolean;
  readonly log: Log;
  /** Of the sidecar, where it is one that holds CometBFT's connections; undefined: a relay does. */
  readonly startCommand?: string | undefined;
  /** Aborted when the relay is to stop. */
  readonly signal: AbortSignal;
}

/** Fingerprints of the files that a program runs with. */
export interface ProgramFiles {
  /** Of the program itself; undefined: it is missing. */
  readonly file: string | undefined;
  /** Of the program and the handlers of the home. */
  readonly all: string;
}

/** A program that halted for a plan, as it was when it started. */
interface EndedProgram extends ProgramFiles {
  /** Why it is not the program of the plan, where the plan's program is the same file. */
  readonly why: string;
}

export class NextProgram {
  constructor(private readonly options: NextProgramOptions) {}

  get #planFile(): string {
    return join(this.options.home, "data/upgrade-info.json");
  }

  /** The plan that the last worker has halted for. @throws UpgradeError UPG_STORE_IO: nothing says which */
  plan(): Plan {
    const plan = planIn(diskFiles, this.#planFile, true);
    if (plan) return plan;
    throw new UpgradeError("UPG_STORE_IO", `${this.#planFile} names no plan, though a plan is due`);
  }

  /**
   * The program of the upgrade that made the state, else of the last plan, where it is another one than `ended`, which is too old.
   * As without the hot switch, that of the state becomes the current one. Undefined: there is none.
   */
  async newer(ended: Program): Promise<Program | undefined> {
    const { layout, hooks, home } = this.options;
    const applied = await appliedInState(diskFiles, { home, isCaseKept: true });
    const plan = applied ?? planIn(diskFiles, this.#planFile, true);
    const program = plan && layout.of(plan.name);
    if (!program || program.file === ended.file || problemOf(program) !== undefined) return undefined;
    if (applied) hooks.link(applied, program, ended);
    return program;
  }

  /** Of a program that starts now. */
  filesOf({ file }: Program): ProgramFiles {
    return { file: fingerprint(file), all: `${fingerprint(file)}\n${handlersPrint(diskFiles, this.options.home)}` };
  }

  /**
   * Waits until there is a program that makes the upgrade, then checks and links it. That may be the one that ended, when its file was
   * replaced or a handler came.
   * @returns undefined: the relay is to stop
   */
  async next(plan: Plan, program: Program, ended: EndedProgram): Promise<Program | undefined> {
    const { layout, signal } = this.options;
    const next = layout.of(plan.name);
    const wait = new ProgramWait(this.options, plan, next, ended);
    while (!signal.aborted) {
      if (wait.isToBeAsked(next.file === program.file ? ended.file : undefined)) {
        const problem = this.options.isChecked(next) ? undefined : await this.#problemAtHeight(next);
        if (signal.aborted) return undefined;
        if (problem === undefined) return await this.#linked(plan, next, program);
        wait.refused(problem);
      } else if (wait.hasChanged(this.filesOf(program)) && (await this.#isReady(program))) {
        await this.options.hooks.beforeUpgrade(plan, signal);
        return program;
      }
      await sleep(LOOK_MILLIS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #problemAtHeight(program: Program): Promise<string | undefined> {
    await this.options.hooks.beforePreUpgrade();
    return this.problem(program);
  }

  async #linked(plan: Plan, program: Program, ended: Program): Promise<Program | undefined> {
    const { hooks, signal } = this.options;
    await hooks.beforeUpgrade(plan, signal);
    if (signal.aborted) return undefined;
    hooks.link(plan, program, ended);
    return program;
  }

  /** Why the program is not started; undefined: it is ready. */
  async problem(program: Program): Promise<string | undefined> {
    const problem = problemOf(program);
    if (problem !== undefined) return problem;
    const { file } = program;
    try {
      const { verdict, end } = await this.#preUpgrade(program);
      if (verdict === "ready") return undefined;
      if (verdict === "not run") return `${file} cannot be run: pre-upgrade ended with ${endText(end)}`;
      return `${file} pre-upgrade ended with ${end.exit}; its own lines above say why`;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #isReady(program: Program): Promise<boolean> {
    return this.#preUpgrade(program).then(
      ({ end }) => end.exit === 0,
      () => false,
    );
  }

  /** @throws Error: its file was replaced meanwhile */
  #preUpgrade(program: Program): Promise<PreUpgradeResult> {
    const { machine, retriesMax, signal, log } = this.options;
    return askPreUpgrade({ run: () => this.#runPreUpgrade(program), retriesMax, clock: machine.clock, signal, log });
  }

  async #runPreUpgrade({ file }: Program): Promise<RunEnd> {
    const { log, signal, machine, home, flags, env } = this.options;
    const replaced = new AbortController();
    const run = machine.processes.run(file, {
      ...{ args: preUpgradeArgs(home, flags), env, cwd: process.cwd(), onLine: programLines(log) },
      signal: AbortSignal.any([signal, replaced.signal]),
    });
    const end = await waitForProgram(run, {
      ...{ clock: machine.clock, reminderMillis: REMINDER_MILLIS },
      onReminder: (passed) =>
        log("warn", `${file} pre-upgrade runs for ${passed / 1_000} s: it is waited for, unless its file is replaced`),
      replacement: { file, onReplaced: () => replaced.abort() },
    });
    if (replaced.signal.aborted) throw new Error(`${file} was replaced while its pre-upgrade ran`);
    return end;
  }
}

/** What keeps the upgrade waiting: decides when the program is asked again, and reports what is missing once a minute. */
class ProgramWait {
  #refusedPrint: string | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #lastPrint: string | undefined;
  #isFirst = true;
  /** Of the program that ended: those that it was asked with last, and those of the last look. */
  #triedFiles: string;
  #lastFiles = "";

  constructor(
    private readonly options: NextProgramOptions,
    private readonly plan: Plan,
    private readonly program: Program,
    private readonly ended: EndedProgram,
  ) {
    this.#triedFiles = ended.all;
  }

  /** True once for each change, when two looks have found the same: a file that is being copied changes again. */
  hasChanged({ all }: ProgramFiles): boolean {
    const isWhole = all === this.#lastFiles;
    this.#lastFiles = all;
    if (!isWhole || all === this.#triedFiles) return false;
    this.#triedFiles = all;
    return true;
  }

  /** True once when the file is there, whenever it is another one, and once a minute. @param tried the file that ended */
  isToBeAsked(tried: string | undefined): boolean {
    const found = fingerprint(this.program.file);
    const isWhole = this.#isFirst || found === this.#lastPrint;
    this.#isFirst = false;
    this.#lastPrint = found;
    if (found === undefined || found === tried) {
      if (performance.now() - this.#reportedAt >= MINUTE_MILLIS) this.#reportMissing(found);
      return false;
    }
    if (!isWhole) return false;
    return found !== this.#refusedPrint || performance.now() - this.#refusedAt >= MINUTE_MILLIS;
  }

  refused(problem: string): void {
    this.#refusedPrint = this.#lastPrint;
    this.#refusedAt = performance.now();
    this.#report(problem);
  }

  #reportMissing(found: string | undefined): void {
    const { hooks, log } = this.options;
    const { file } = this.program;
    if (found !== undefined || !hooks.isFetched(this.plan)) {
      this.#report(`${file} ${found === undefined ? "is missing" : this.ended.why}`);
      return;
    }
    this.#reportedAt = performance.now();
    const { name, height } = this.plan;
    hooks.onHold(`${file} is not fetched yet`, undefined);
    log("info", `holding at height ${height} for "${name}": ${file} is not fetched yet. CometBFT goes on waiting`);
  }

  #report(problem: string): void {
    this.#reportedAt = performance.now();
    const { name, height } = this.plan;
    const command = commandToPut(this.program);
    this.options.hooks.onHold(problem, command);
    this.options.log(
      "warn",
      `holding at height ${height} for "${name}": ${problem}. CometBFT goes on waiting; the upgrade is made as soon as the ` +
        `program is there: \`${command}\`${this.options.startCommand === undefined ? ". SIGTERM ends the relay with 10" : ""}`,
    );
  }
}

/** The command that puts a program in its place, whole from the beginning: a half of one would be started. */
export const commandToPut = ({ file }: Program): string =>
  `mkdir -p ${shellWord(dirname(file))} && cp NEW_PROGRAM ${shellWord(`${file}.new`)} && mv ${shellWord(`${file}.new`)} ${shellWord(file)}`;
