/**
 * The next version of one of our programs, started in the last blocks before its height and held back (base/terminal/standby.ts): at the
 * height nothing but opening the home is left to do. What does not fit then is ended, and the program is started as any other.
 */

import { LAST_FAILURE_FILE } from "../../../base/terminal/last-failure.js";
import { fingerprint, type Program } from "../../../node/programs/layout.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import type { AppProcess } from "../../decide/machine.js";
import { prefixOf } from "../../decide/program-variables.js";
import type { Shared } from "../loop/options.js";

/** Before the height: so many blocks, and as many as are made in such a time where that is more. */
const BLOCKS = 30;
const MILLIS = 60_000;
/** Two looks may have a block between them and no time: a pace needs some. */
const PACE_MILLIS_MIN = 10_000;
const HELP_MILLIS = 20_000;
const STANDBY = "STANDBY";

export interface NextPlan {
  readonly plan: Plan;
  /** Of the node that runs. */
  readonly height: bigint;
  /** Of the run that begins at the height. */
  readonly args: readonly string[];
  /** It was asked, as the file is now, and can take over. */
  readonly isChecked: (program: Program) => boolean;
}

interface Held {
  /** Of file and arguments. */
  readonly key: string;
  readonly app: AppProcess;
}

export class NextProgram {
  #held: Held | undefined;
  /** Tried with this file and these arguments, whatever came of it. */
  #tried = "";
  #last: { readonly at: number; readonly height: bigint } | undefined;
  #window = BLOCKS;
  #isClosed = false;

  constructor(private readonly shared: Shared) {}

  /** After a look; undefined: no plan is ahead, or nothing is known of its height. Returns at once. */
  look(next: NextPlan | undefined): void {
    if (!next) {
      this.#drop();
      return;
    }
    const program = this.shared.layout.of(next.plan.name);
    const key = this.#keyOf(program, next.args);
    if (this.#held && this.#held.key !== key) this.#drop();
    if (key === undefined || key === this.#tried || !this.#isNear(next) || !next.isChecked(program)) return;
    this.#tried = key;
    void this.#hold(program, next, key);
  }

  /** The one that waits, where it is this program with these arguments: it goes on now. */
  take(program: Program, args: readonly string[]): AppProcess | undefined {
    const held = this.#held;
    if (!held?.app.isReady || held.key !== this.#keyOf(program, args)) return undefined;
    this.#held = undefined;
    held.app.call();
    return held.app;
  }

  /** Does this program wait for its turn? */
  isHeld({ file }: Program): boolean {
    return this.#held?.app.isReady === true && this.#held.key.startsWith(`${file}\0`);
  }

  /** None waits any more when it settles. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const app = this.#held?.app;
    this.#drop();
    await app?.ended;
  }

  #keyOf({ file }: Program, args: readonly string[]): string | undefined {
    const print = fingerprint(file, this.shared.machine.files);
    return print === undefined ? undefined : [file, print, ...args].join("\0");
  }

  #isNear({ plan, height }: NextPlan): boolean {
    const at = this.shared.machine.clock.now();
    const last = this.#last;
    if (!last || at - last.at > MILLIS) this.#last = { at, height };
    else if (at - last.at >= PACE_MILLIS_MIN)
      this.#window = Math.max(BLOCKS, (Number(height - last.height) * MILLIS) / (at - last.at));
    return Number(plan.height - height) <= this.#window;
  }

  async #hold(program: Program, { plan, args }: NextPlan, key: string): Promise<void> {
    const { machine, settings, childEnv, places, log, signal } = this.shared;
    const name = `${prefixOf(settings.name)}${STANDBY}`;
    const help = { args: ["start", "--help"], env: childEnv, cwd: settings.root, millisMax: HELP_MILLIS, signal };
    const { stdout } = await machine.processes.run(program.file, { ...help });
    if (this.#isClosed || signal.aborted || this.#tried !== key || !stdout.includes(name)) return;
    const env = { ...childEnv, [LAST_FAILURE_FILE]: places.appFailureFile, [name]: "1" };
    const app = machine.processes.start(program.file, { args, env, cwd: settings.root, isStandby: true });
    const held = { key, app };
    this.#held = held;
    log("info", `${program.name} is started, process ${app.pid}, and waits for height ${plan.height}`);
    void app.ended.then(() => {
      if (this.#held === held) this.#held = undefined;
    });
  }

  /** It has not opened the home: nothing is lost. */
  #drop(): void {
    this.#tried = "";
    this.#held?.app.kill("SIGKILL");
    this.#held = undefined;
  }
}
