/** The loop of decision, run and end; visor.ts says what its errors become. */

import { messageOf } from "../../../base/errors/errors.js";
import { interruptedRollback } from "../../../node/home/kept-data.js";
import { type Program, problemOf } from "../../../node/programs/layout.js";
import { BackupAhead } from "../../backup/ahead.js";
import { endRestore } from "../../backup/restoring.js";
import { type Decision, firstOf, type Pending } from "../../decide/decision/decide.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { returnedHeights } from "../../decide/decision/returned.js";
import type { AppProcess, ProcessEnd } from "../../decide/machine.js";
import { syncNames } from "../../stage/layout/link-program.js";
import { nextForCurrent } from "../../stage/next-for-current.js";
import type { StandbyProgram, UpcomingProgram } from "../../stage/standby-program.js";
import { Ends } from "../exits/after-exit.js";
import { Ending } from "../exits/stop-app.js";
import { HaltFlag } from "../starts/halt-flag.js";
import { standbyApp } from "../starts/standby-app.js";
import { backUp, backUpBeforeRestart } from "./back-up.js";
import { Look } from "./observations.js";
import type { Shared } from "./options.js";
import { Reports } from "./reports.js";
import { withSkips } from "./returned.js";
import { Scheduled } from "./scheduled.js";
import { StepFailure } from "./scripts.js";
import { Stage } from "./stage.js";
import { type RunResult, supervise } from "./supervise.js";
import { switchProgram, unqueue } from "./switching.js";

type Switch = Extract<Decision, { kind: "switch" }>;

export class VisorLoop {
  readonly #look: Look;
  readonly #ending: Ending;
  readonly #stage: Stage;
  readonly #ends: Ends;
  readonly #reports: Reports;
  readonly #scheduled: Scheduled;
  readonly #backup: BackupAhead;
  readonly #halt: HaltFlag;
  readonly #next: StandbyProgram<AppProcess>;
  #app: AppProcess | undefined;
  /** The application of this run got a SIGHUP, which stops some. */
  #isHungUp = false;

  constructor(private readonly shared: Shared) {
    this.#look = new Look(shared);
    this.#ending = new Ending(shared, () => this.#look.isOurs);
    this.#stage = new Stage(shared);
    this.#ends = new Ends(shared);
    this.#reports = new Reports(shared);
    this.#scheduled = new Scheduled(shared);
    this.#backup = new BackupAhead(shared);
    this.#halt = new HaltFlag(shared);
    this.#next = standbyApp(shared, (program) => this.#stage.isChecked(program));
  }

  async run(): Promise<number> {
    try {
      return await this.#untilEnd();
    } finally {
      this.#look.heights.close();
      await Promise.all([this.#stage.close(), this.#next.close()]);
    }
  }

  async #untilEnd(): Promise<number> {
    await this.#ending.leftBehind();
    this.#endRollback();
    this.#settle();
    while (!this.shared.signal.aborted) {
      const current = this.#current();
      const decision = await this.#look.beforeStart(current);
      let exit: number | undefined;
      if (decision.kind === "switch" && this.#isToBeMade(decision)) {
        if (await this.#hasWaitedFor(decision)) continue;
        exit = await this.#switch(current, decision);
      }
      // Decided again after a wait: the link, a file or the height may be another by then.
      else if (this.#ends.isOpen) exit = await this.#ends.settle();
      else exit = await this.#runOnce(current);
      if (exit !== undefined) return exit;
    }
    return 0;
  }

  /** Nothing is left running, whatever went wrong. */
  async endApp(): Promise<void> {
    if (this.#app) await this.#end(this.#app);
  }

  /** Data and program belong together again before anything is started. */
  #endRollback(): void {
    const { machine, settings, log, board } = this.shared;
    const next = interruptedRollback(machine.files, settings)?.next;
    if (next !== undefined) board.update({ next: [next] });
    const ended = endRestore({ files: machine.files, home: settings.home, root: settings.root });
    if (next !== undefined) board.update({ next: [] });
    if (ended) log("warn", `the rollback to ${ended.note.folder}, which was cut off, is ended`);
  }

  /** What a sidecar that was killed has linked is durable before its program makes a block. */
  #settle(): void {
    const { machine, settings, log } = this.shared;
    try {
      syncNames(machine.files, settings.root, this.#current());
    } catch (error) {
      log("debug", `names below ${settings.root} are not synced: ${messageOf(error)}`);
    }
  }

  #current(): Program {
    const { layout, machine, settings, board } = this.shared;
    if (machine.files.facts(settings.root)?.kind !== "folder")
      throw new StepFailure(`current binary is invalid: there is no folder ${settings.root}`);
    try {
      return layout.current();
    } catch (cause) {
      const next = nextForCurrent(machine.files, settings);
      board.update({ next: [next] });
      throw new StepFailure(`current binary is invalid: ${messageOf(cause)}. Next: ${next}`);
    }
  }

  /**
   * A program that is nowhere is no reason not to start the current one: it says itself whether it needs another, and an old
   * plan may lie in a home that was copied.
   */
  #isToBeMade({ plan }: Switch): boolean {
    const { layout, machine, log } = this.shared;
    const problem = problemOf(layout.of(plan.name), machine.files);
    if (problem === undefined || this.#look.hasEnded || this.#stage.canFetch) return true;
    log(
      "warn",
      `the plan "${plan.name}" is due, but ${problem}: the current program is started, and will end if it has to`,
    );
    return false;
  }

  /**
   * Nothing runs: waits for a program that may be fetched, and for another file in place of one that this machine cannot run.
   */
  async #hasWaitedFor(decision: Switch): Promise<boolean> {
    const { machine, settings, signal, log } = this.shared;
    const { plan, why } = decision;
    if (this.#stage.isReady(plan) || (!this.#stage.canFetch && !this.#stage.isThere(plan))) return false;
    this.#reports.due(decision);
    log("info", `"${plan.name}" is due at height ${plan.height}: ${why}; nothing runs until the program is there`);
    while (!signal.aborted && !this.#stage.isReady(plan)) await machine.clock.sleep(settings.pollInterval, signal);
    return true;
  }

  async #switch(current: Program, decision: Switch): Promise<number | undefined> {
    const { shared } = this;
    const { plan, why } = decision;
    this.#reports.due(decision);
    await this.#stage.close();
    shared.log("info", `"${plan.name}" is due at height ${plan.height}: ${why}`);
    const isOurs = this.#look.isOurs;
    let isAnythingRun = shared.settings.customPreUpgrade !== "";
    const isWithoutPreUpgrade = (program: Program) => {
      const isWithout = this.#stage.isWithoutPreUpgrade(program) || this.#next.isWaiting(program);
      isAnythingRun ||= !isWithout;
      return isWithout;
    };
    const backup = shared.settings.isBackupSkipped ? undefined : (wanted: Plan) => backUp(shared, current, wanted);
    const switching = { shared, current, isOurs, backup, isWithoutPreUpgrade };
    // What a script, or the new program's `pre-upgrade`, has left is no neighbour for the program that runs next.
    await switchProgram(switching, decision).finally(() => isAnythingRun && this.#ending.rest());
    if (decision.origin === "operator") unqueue(shared, plan);
    this.#look.forget();
    this.#ends.forget();
    this.#scheduled.forget();
    this.#reports.switched(decision);
    if (shared.settings.isRestartedAfterUpgrade) {
      shared.log("info", `upgrade detected, relaunching app=${shared.settings.name}`);
      return undefined;
    }
    const off = "upgrade detected, DAEMON_RESTART_AFTER_UPGRADE is off. Verify new upgrade and start chainvisor again.";
    shared.log("info", off);
    return 0;
  }

  /** @returns the sidecar's exit status; undefined: it goes on */
  async #runOnce(current: Program): Promise<number | undefined> {
    const { shared } = this;
    const { restartsFor } = this.#look;
    if (restartsFor) {
      this.#reports.restartsFor(restartsFor);
      await backUpBeforeRestart(shared, current, restartsFor);
    }
    if (shared.settings.isHotSwitch) {
      const { runHot } = await import("../hot/run-hot.js");
      const exit = await runHot(shared, current);
      if (exit !== undefined) return exit;
    }
    const app = this.#start(current);
    const result = await this.#supervised(app, current);
    if (result.kind === "stop") {
      const exit = await this.#ending.bySignal(app);
      this.#app = undefined;
      return exit;
    }
    if (result.kind === "ended") {
      this.#app = undefined;
      this.#reports.ended(current);
      await this.#ending.rest();
      this.#look.runEnded(result.end);
      if (this.#isHungUp && (result.end.exit === 0 || result.end.signal === "SIGHUP")) {
        shared.log("info", "SIGHUP stopped the application, which is started again");
        return undefined;
      }
      const { isOurs, freshHalt: halt } = this.#look;
      const isOwnHeight = !this.#halt.isReason(result.end, halt);
      this.#ends.take(result.end, { isOurs, halt, current, isOwnHeight });
      return undefined;
    }
    if (result.kind === "restart") {
      shared.log("info", "the application is started again, as `chainvisor restart` asks");
      await this.#ended(app, await this.#ending.gently(app));
      return undefined;
    }
    shared.log("info", "daemon shutting down in an attempt to restart");
    shared.board.update({ phase: "halted" });
    await this.#end(app);
    return this.#switch(current, result.decision);
  }

  #start(current: Program): AppProcess {
    const { machine, settings, childEnv, log } = this.shared;
    const env = { ...childEnv, ...this.#ends.runBegins() };
    const args = this.#halt.begin(this.#skipping(), this.#look.operatorsNext);
    this.#look.runBegins();
    this.#scheduled.runBegins(this.#look.startedAt);
    log("info", `running app path=${current.file} args=[${args.join(" ")}]`);
    const waiting = this.#next.take(current, args);
    waiting?.call();
    const app = waiting ?? machine.processes.start(current.file, { args, env, cwd: settings.root });
    this.#app = app;
    this.#reports.resumes(this.#look.underWay);
    this.#reports.started(current, app);
    return app;
  }

  #skipping(): readonly string[] {
    const { args, machine, places } = this.shared;
    return withSkips(args, returnedHeights(machine.files, places.returnedFile));
  }

  /** Of ours alone: others do not know how to wait. */
  #upcoming(pending: Pending | undefined): UpcomingProgram | undefined {
    const look = this.#look;
    const height = pending && look.isOurs ? look.heights.ofRun(true, look.freshHalt)?.height : undefined;
    if (!pending || height === undefined) return undefined;
    const args = this.#halt.with(this.#skipping(), look.operatorsNextAfter(pending.plan));
    return { program: this.shared.layout.of(pending.plan.name), at: pending.plan.height, height, args };
  }

  async #supervised(app: AppProcess, current: Program): Promise<RunResult> {
    const { shared } = this;
    const { onSignal } = shared;
    this.#isHungUp = false;
    const endSignals = onSignal?.((signal) => {
      this.#isHungUp ||= signal === "SIGHUP";
      app.kill(signal);
    });
    try {
      return await supervise({
        ...{ app, current, look: this.#look, shared },
        onLook: (decision) => {
          const scheduled = this.#scheduled.look();
          const pending = firstOf(decision.pending, scheduled);
          this.#stage.prepare(pending?.plan, scheduled?.plan);
          this.#lookAtBackup(pending?.plan);
          this.#reports.look(pending, this.#look);
          this.#halt.look(this.#look.operatorsNext, pending?.plan);
          void this.#next.look(this.#upcoming(pending));
        },
        isReady: ({ plan }) => this.#stage.isReady(plan),
      });
    } finally {
      endSignals?.();
    }
  }

  #lookAtBackup(plan: Plan | undefined): void {
    const { layout, machine } = this.shared;
    if (!plan) this.#backup.forget();
    else this.#backup.look(this.#look.isOurs && problemOf(layout.of(plan.name), machine.files) !== undefined);
  }

  /** At a height, or since something went wrong; with all that it has started. */
  async #end(app: AppProcess): Promise<void> {
    await this.#ended(app, await this.#ending.one(app));
  }

  async #ended(app: AppProcess, end: ProcessEnd): Promise<void> {
    if (this.#app === app) this.#app = undefined;
    this.#look.runEnded(end);
    await this.#ending.rest();
  }
}
