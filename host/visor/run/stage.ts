/** What is made ready while the old program still runs, so that nothing is left to do at the height but to switch. */
import { messageOf } from "../../errors.js";
import { fingerprint, type Program, problemOf } from "../../programs/layout.js";
import type { Shared } from "./options.js";
import type { Plan } from "./plan-file.js";
import { staged } from "./switching.js";

/** Between two attempts, and two log lines of one and the same problem. */
const AGAIN_MILLIS = 60_000;
const PROBE_MILLIS = 10_000;
const NO_SUCH_COMMAND = 1;
/** Two bytes that begin a script, which may do what it is asked without looking at --help. */
const SCRIPT = [0x23, 0x21];

export class Stage {
  #fetching: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #said = "";
  /** Of files that were asked: is there no `pre-upgrade`? By what changes with the file. */
  readonly #probed = new Map<string, boolean>();

  constructor(private readonly shared: Shared) {}

  get canFetch(): boolean {
    return this.shared.settings.isDownloadAllowed;
  }

  /** Its height is ahead. */
  prepare(plan: Plan): void {
    const program = this.shared.layout.of(plan.name);
    const problem = problemOf(program, this.shared.machine.files);
    this.#show(program, problem);
    if (problem !== undefined) this.#fetch(plan, problem);
    else this.#probe(program);
  }

  /** Its height is reached, and the application, which makes no more blocks, serves until it is ended. */
  isReady(plan: Plan): boolean {
    const program = this.shared.layout.of(plan.name);
    const problem = problemOf(program, this.shared.machine.files);
    if (problem === undefined && !this.#fetching) return true;
    this.#show(program, problem);
    this.shared.board.update({ phase: this.#fetching ? "downloading" : "halted" });
    if (problem !== undefined) this.#fetch(plan, problem);
    return false;
  }

  isWithoutPreUpgrade(program: Program): boolean {
    const print = fingerprint(program.file, this.shared.machine.files);
    return print !== undefined && this.#probed.get(print) === true;
  }

  #show({ file }: Program, problem: string | undefined): void {
    const next = problem === undefined ? null : `chainvisor add-upgrade NAME PROGRAM # becomes ${file}`;
    const { board } = this.shared;
    const others = board.current.readiness.filter(({ what }) => what !== "program");
    const state = problem === undefined ? "ready" : "missing";
    board.update({ readiness: [{ what: "program", state, detail: problem ?? file, next }, ...others] });
  }

  #fetch(plan: Plan, problem: string): void {
    const { machine, log } = this.shared;
    if (this.#fetching || machine.clock.now() - this.#triedAt < AGAIN_MILLIS) return;
    this.#triedAt = machine.clock.now();
    if (!this.canFetch) {
      log("warn", `the program of "${plan.name}", at height ${plan.height}, is missing: ${problem}`);
      return;
    }
    this.#fetching = staged(this.shared, plan)
      .then(() => undefined)
      .catch((error: unknown) => log("warn", `${messageOf(error)}; tried again in ${AGAIN_MILLIS / 1_000} s`))
      .finally(() => {
        this.#fetching = undefined;
      });
  }

  /** Once for each file. */
  #probe(program: Program): void {
    const { machine } = this.shared;
    const print = fingerprint(program.file, machine.files);
    if (print === undefined || this.#said === print) return;
    this.#said = print;
    void this.#ask(program, print);
  }

  async #ask({ file }: Program, print: string): Promise<void> {
    const { machine, settings, childEnv: env } = this.shared;
    const { files, processes } = machine;
    try {
      const [first, second] = files.readPart(file, 0, SCRIPT.length);
      if (first === SCRIPT[0] && second === SCRIPT[1]) return;
      const args = ["pre-upgrade", "--help"];
      const end = await processes.run(file, { args, env, cwd: settings.root, output: "keep", millisMax: PROBE_MILLIS });
      const isUnknown = end.exit === NO_SUCH_COMMAND && /unknown command/i.test(end.stderr + end.stdout);
      this.#probed.set(print, isUnknown);
    } catch {
      // It is asked at the height.
    }
  }
}
