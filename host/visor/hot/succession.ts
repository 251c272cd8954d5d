/**
 * Which program is next: the one that the due plan's folder or the operator names. While it is missing, or refuses the home,
 * the relay holds and looks again.
 */
import { readdirSync } from "node:fs";
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
import { appliedInState } from "../stage/plan-in-state.js";
import type { RelayHooks } from "./hooks.js";
import { withPatience } from "./pre-upgrade-wait.js";

const LOOK_MILLIS = 250;
/** Between two log lines of what is missing, and two questions to a program that has refused. */
const MINUTE_MILLIS = 60_000;

export interface SuccessionOptions {
  readonly home: string;
  readonly layout: Layout;
  readonly machine: Pick<Machine, "clock" | "processes">;
  /** Of the workers. */
  readonly flags: readonly string[];
  /** Of the workers, and of their `pre-upgrade`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further questions to a `pre-upgrade` that asks for them; Cosmovisor's DAEMON_PREUPGRADE_MAX_RETRIES. */
  readonly retriesMax: number;
  readonly hooks: Pick<RelayHooks, "beforeUpgrade" | "link" | "onHold" | "isFetched">;
  /** Was the program asked before the height? */
  readonly isChecked: (program: Program) => boolean;
  readonly log: Log;
  /** Aborted when the relay is to stop. */
  readonly signal: AbortSignal;
}

/** Files that a program has run with, by what changes with them. */
export interface Possessions {
  readonly file: string | undefined;
  readonly all: string;
}

export class Succession {
  constructor(private readonly options: SuccessionOptions) {}

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

  /** What a program that starts now has: its file and the handlers of the home. */
  possessions({ file }: Program): Possessions {
    return { file: fingerprint(file), all: `${fingerprint(file)}\n${handlerFiles(this.options.home)}` };
  }

  /**
   * The program that makes the upgrade, checked and linked as the current one; waits until there is one. That may be the one
   * that ended, when its file was replaced or a handler came. Undefined: the relay is to stop.
   * @param had when it started, and why it is not the one, where the plan's program is that file
   */
  async next(plan: Plan, ended: Program, had: Possessions & { readonly why: string }): Promise<Program | undefined> {
    const { layout, signal } = this.options;
    const program = layout.of(plan.name);
    const hold = new Hold(this.options, plan, program, had);
    while (!signal.aborted) {
      if (hold.isToBeAsked(program.file === ended.file ? had.file : undefined)) {
        const problem = this.options.isChecked(program) ? undefined : await this.problem(program);
        if (problem === undefined) return await this.#linked(plan, program, ended);
        hold.refused(problem);
      } else if (hold.hasChanged(this.possessions(ended)) && (await this.#isReady(ended))) {
        await this.options.hooks.beforeUpgrade(plan);
        return ended;
      }
      await sleep(LOOK_MILLIS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #linked(plan: Plan, program: Program, ended: Program): Promise<Program> {
    const { hooks } = this.options;
    await hooks.beforeUpgrade(plan);
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
    const end = await withPatience(run, {
      file,
      say: (passed) =>
        log("warn", `${file} pre-upgrade runs for ${passed}: it is waited for, unless its file is replaced`),
      replaced: () => replaced.abort(),
    });
    if (replaced.signal.aborted) throw new Error(`${file} was replaced while its pre-upgrade ran`);
    return end;
  }
}

/** What the relay waits for, and what it has logged of it. */
class Hold {
  #asked: string | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #saidAt = Number.NEGATIVE_INFINITY;
  #seen: string | undefined;
  #isFirst = true;
  /** What the program that ended has had: when it was asked last, and at the last look. */
  #had: string;
  #hadSeen = "";
  readonly #why: string;

  constructor(
    private readonly options: SuccessionOptions,
    private readonly plan: Plan,
    private readonly program: Program,
    ended: Possessions & { readonly why: string },
  ) {
    this.#had = ended.all;
    this.#why = ended.why;
  }

  /** Once for each change, when it is whole. */
  hasChanged({ all }: Possessions): boolean {
    const isWhole = all === this.#hadSeen;
    this.#hadSeen = all;
    if (!isWhole || all === this.#had) return false;
    this.#had = all;
    return true;
  }

  /** Once when the file is there, whenever it is another one, and once a minute. @param tried the file that ended */
  isToBeAsked(tried: string | undefined): boolean {
    const found = fingerprint(this.program.file);
    // One that is being copied is another one at the next look.
    const isWhole = this.#isFirst || found === this.#seen;
    this.#isFirst = false;
    this.#seen = found;
    if (found === undefined || found === tried) {
      if (performance.now() - this.#saidAt >= MINUTE_MILLIS) this.#sayLacking(found);
      return false;
    }
    if (!isWhole) return false;
    return found !== this.#asked || performance.now() - this.#askedAt >= MINUTE_MILLIS;
  }

  refused(problem: string): void {
    this.#asked = this.#seen;
    this.#askedAt = performance.now();
    this.#say(problem);
  }

  #sayLacking(found: string | undefined): void {
    const { hooks, log } = this.options;
    const { file } = this.program;
    if (found !== undefined || !hooks.isFetched(this.plan)) {
      this.#say(`${file} ${found === undefined ? "is missing" : this.#why}`);
      return;
    }
    this.#saidAt = performance.now();
    const { name, height } = this.plan;
    hooks.onHold(`${file} is not fetched yet`, undefined);
    log("info", `holding at height ${height} for "${name}": ${file} is not fetched yet. CometBFT goes on waiting`);
  }

  #say(problem: string): void {
    this.#saidAt = performance.now();
    const { name, height } = this.plan;
    const command = commandToPut(this.program);
    this.options.hooks.onHold(problem, command);
    this.options.log(
      "warn",
      `holding at height ${height} for "${name}": ${problem}. CometBFT goes on waiting; the upgrade is made as soon as the ` +
        `program is there: \`${command}\`. SIGTERM ends the relay with 10`,
    );
  }
}

/** The command that puts a program in its place, whole from the beginning: a half of one would be started. */
export const commandToPut = ({ file }: Program): string =>
  `mkdir -p ${shellWord(dirname(file))} && cp NEW_PROGRAM ${shellWord(`${file}.new`)} && mv ${shellWord(`${file}.new`)} ${shellWord(file)}`;

function handlerFiles(home: string): string {
  const folders = [join(home, "handlers"), join(home, "handlers/staged")];
  const files = folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
  return files.map((file) => `${file} ${fingerprint(file)}`).join("\n");
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
