/**
 * The state machine of the sidecar ("When it switches" in docs/chainvisor.md): each step decides from what is on disk, then switches,
 * acts on the application's exit, or runs the application. visor.ts turns errors into exit statuses.
 */

import { type Program, problemOf } from "../../../node/programs/layout.js";
import { BackupSpaceCheck } from "../../backup/space-check.js";
import { type Decision, firstOf, type Pending } from "../../decide/decision/decide.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { returnedHeights } from "../../decide/decision/returned.js";
import type { AppProcess, ProcessEnd } from "../../decide/machine.js";
import type { StandbyProgram, UpcomingProgram } from "../../stage/standby-program.js";
import { AfterExit, type EndFacts } from "../exits/after-exit.js";
import { AppStopper } from "../exits/stop-app.js";
import { HaltFlag } from "../starts/halt-flag.js";
import { standbyApp } from "../starts/standby-app.js";
import { backUp, backUpBeforeRestart } from "./back-up.js";
import { ChainPlan } from "./chain-plan.js";
import { completeRollback, currentProgram, syncCurrent } from "./current-program.js";
import { Observations } from "./observations.js";
import type { Shared } from "./options.js";
import { PlanStaging } from "./plan-staging.js";
import { StatusReports } from "./reports.js";
import { withSkips } from "./returned.js";
import { type RunResult, supervise } from "./supervise.js";
import { switchProgram, unqueue } from "./switching.js";

type Switch = Extract<Decision, { kind: "switch" }>;

export class VisorLoop {
  /** Reads the home and the node, and decides from both. */
  readonly #observations: Observations;
  /** Stops the application and the processes that it has started. */
  readonly #stopper: AppStopper;
  /** Brings what the plan needs to its place before the height. */
  readonly #staging: PlanStaging;
  /** What follows when the application has exited by itself: another start, a wait, or the end. */
  readonly #afterExit: AfterExit;
  /** What the status board shows. */
  readonly #status: StatusReports;
  /** The plan that the chain has scheduled, as the node reports it. */
  readonly #chainPlan: ChainPlan;
  /** Is there space for the backup? */
  readonly #backupSpace: BackupSpaceCheck;
  /** `--halt-height` of the application, for a plan of the operator's. */
  readonly #haltFlag: HaltFlag;
  /** The next version, started before its height and held back. */
  readonly #standby: StandbyProgram<AppProcess>;
  #app: AppProcess | undefined;
  /** The application of this run got a SIGHUP, which stops some. */
  #isHungUp = false;

  constructor(private readonly shared: Shared) {
    this.#observations = new Observations(shared);
    this.#stopper = new AppStopper(shared, () => this.#observations.isOurs);
    this.#staging = new PlanStaging(shared);
    this.#afterExit = new AfterExit(shared);
    this.#status = new StatusReports(shared);
    this.#chainPlan = new ChainPlan(shared);
    this.#backupSpace = new BackupSpaceCheck(shared);
    this.#haltFlag = new HaltFlag(shared);
    this.#standby = standbyApp(shared, (program) => this.#staging.isChecked(program));
  }

  /** @returns the sidecar's exit status @throws StepFailure, and what the system says */
  async run(): Promise<number> {
    const { shared } = this;
    try {
      await this.#stopper.stopLeftoversOfKilledSidecar();
      completeRollback(shared);
      syncCurrent(shared);
      while (!shared.signal.aborted) {
        const exit = await this.#step();
        if (exit !== undefined) return exit;
      }
      return 0;
    } finally {
      this.#observations.heights.close();
      await Promise.all([this.#staging.close(), this.#standby.close()]);
    }
  }

  /** Stops the application, even after an error. */
  async endApp(): Promise<void> {
    if (this.#app) await this.#stop(this.#app);
  }

  /**
   * Decides what comes next, and does it: switches, or acts on the application's exit, or runs the application until it exits or a plan is
   * due. Decided again after each wait: the link, a file or the height may be another by then.
   * @returns the sidecar's exit status; undefined: another step follows
   */
  async #step(): Promise<number | undefined> {
    const current = currentProgram(this.shared);
    const decision = await this.#observations.decideBeforeStart(current);
    if (decision.kind === "switch" && this.#isSwitchPossible(decision)) {
      const hasWaited = await this.#waitForProgram(decision);
      return hasWaited ? undefined : this.#switch(current, decision);
    }
    if (this.#afterExit.isPending) return this.#afterExit.act();
    return this.#runOnce(current);
  }

  /**
   * A missing program is no reason not to start the current one, which exits if it needs another: an old plan may be in a home that was
   * copied.
   */
  #isSwitchPossible({ plan }: Switch): boolean {
    const { layout, machine, log } = this.shared;
    const problem = problemOf(layout.of(plan.name), machine.files);
    if (problem === undefined || this.#observations.hasEnded || this.#staging.canFetch) return true;
    log(
      "warn",
      `the plan "${plan.name}" is due, but ${problem}: the current program is started, and will end if it has to`,
    );
    return false;
  }

  /**
   * Waits, while nothing runs, for a program that may be fetched, or for another file in place of one that this machine cannot run.
   * @returns whether it has waited
   */
  async #waitForProgram(decision: Switch): Promise<boolean> {
    const { machine, settings, signal, log } = this.shared;
    const { plan, why } = decision;
    if (this.#staging.isReady(plan) || (!this.#staging.canFetch && !this.#staging.isThere(plan))) return false;
    this.#status.due(decision);
    log("info", `"${plan.name}" is due at height ${plan.height}: ${why}; nothing runs until the program is there`);
    while (!signal.aborted && !this.#staging.isReady(plan)) await machine.clock.sleep(settings.pollInterval, signal);
    return true;
  }

  async #switch(current: Program, decision: Switch): Promise<number | undefined> {
    const { shared } = this;
    const { plan, why } = decision;
    this.#status.due(decision);
    await this.#staging.close();
    shared.log("info", `"${plan.name}" is due at height ${plan.height}: ${why}`);
    const isOurs = this.#observations.isOurs;
    let isAnythingRun = shared.settings.customPreUpgrade !== "";
    const isWithoutPreUpgrade = (program: Program) => {
      const isWithout = this.#staging.isWithoutPreUpgrade(program) || this.#standby.isWaiting(program);
      isAnythingRun ||= !isWithout;
      return isWithout;
    };
    const backup = shared.settings.isBackupSkipped ? undefined : (wanted: Plan) => backUp(shared, current, wanted);
    const switching = { shared, current, isOurs, backup, isWithoutPreUpgrade };
    // What a script, or the new program's `pre-upgrade`, has left is no neighbour for the program that runs next.
    await switchProgram(switching, decision).finally(() => isAnythingRun && this.#stopper.stopLeftovers());
    if (decision.origin === "operator") unqueue(shared, plan);
    this.#observations.forget();
    this.#afterExit.forget();
    this.#chainPlan.forget();
    this.#status.switched(decision);
    if (shared.settings.isRestartedAfterUpgrade) {
      shared.log("info", `upgrade detected, relaunching app=${shared.settings.name}`);
      return undefined;
    }
    const off = "upgrade detected, DAEMON_RESTART_AFTER_UPGRADE is off. Verify new upgrade and start chainvisor again.";
    shared.log("info", off);
    return 0;
  }

  /** @returns the sidecar's exit status; undefined: another step follows */
  async #runOnce(current: Program): Promise<number | undefined> {
    const { shared } = this;
    const { restartsFor } = this.#observations;
    if (restartsFor) {
      this.#status.restartsFor(restartsFor);
      await backUpBeforeRestart(shared, current, restartsFor);
    }
    this.#isHungUp = false;
    const held = shared.settings.isHotSwitch ? await this.#runHot(current) : undefined;
    if (held && "exit" in held) return held.exit;
    if (held) {
      await this.#exited(currentProgram(shared), held.end, { isOurs: true, failure: held.failure });
      return undefined;
    }
    const app = this.#start(current);
    const result = await this.#supervised(app, current);
    switch (result.kind) {
      case "stop": {
        const exit = await this.#stopper.passSignal(app);
        this.#app = undefined;
        return exit;
      }
      case "ended":
        await this.#exited(current, result.end);
        return undefined;
      case "restart":
        shared.log("info", "the application is started again, as `chainvisor restart` asks");
        await this.#stopped(app, await this.#stopper.stopGently(app));
        return undefined;
      case "due":
        shared.log("info", "daemon shutting down in an attempt to restart");
        shared.board.update({ phase: "halted" });
        await this.#stop(app);
        return this.#switch(current, result.decision);
    }
  }

  /** @returns undefined: the program, or how it is set, is not for a hot switch */
  async #runHot(current: Program) {
    const { runHot } = await import("../hot/run-hot.js");
    return runHot(this.shared, current, {
      ...{ underWay: this.#observations.underWay?.plan, crashes: this.#afterExit.crashes },
      runBegins: () => {
        this.#afterExit.runBegins();
        this.#observations.runBegins();
        this.#haltFlag.begin(this.shared.args, undefined);
      },
      planned: (plan) => this.#haltFlag.look(undefined, plan),
      switched: () => {
        this.#observations.forget();
        this.#afterExit.forget();
      },
    }).finally(() => this.#stopper.stopLeftovers());
  }

  /** The application has exited by itself: the next step decides what follows. */
  async #exited(current: Program, end: ProcessEnd, known: Partial<EndFacts> = {}): Promise<void> {
    this.#app = undefined;
    this.#status.ended(current);
    await this.#stopper.stopLeftovers();
    this.#observations.runEnded(end);
    if (this.#isHungUp && (end.exit === 0 || end.signal === "SIGHUP")) {
      this.shared.log("info", "SIGHUP stopped the application, which is started again");
      return;
    }
    const { isOurs, freshHalt: halt } = this.#observations;
    const isOwnHeight = !this.#haltFlag.isReason(end, halt);
    this.#afterExit.exited(end, { isOurs, halt, current, isOwnHeight, ...known });
  }

  #start(current: Program): AppProcess {
    const { machine, settings, childEnv, log } = this.shared;
    const env = { ...childEnv, ...this.#afterExit.runBegins() };
    const args = this.#haltFlag.begin(this.#skipping(), this.#observations.operatorsNext);
    this.#observations.runBegins();
    this.#chainPlan.runBegins(this.#observations.startedAt);
    log("info", `running app path=${current.file} args=[${args.join(" ")}]`);
    const waiting = this.#standby.take(current, args);
    waiting?.call();
    const app = waiting ?? machine.processes.start(current.file, { args, env, cwd: settings.root });
    this.#app = app;
    this.#status.resumes(this.#observations.underWay);
    this.#status.started(current, app);
    return app;
  }

  #skipping(): readonly string[] {
    const { args, machine, places } = this.shared;
    return withSkips(args, returnedHeights(machine.files, places.returnedFile));
  }

  /** Of ours alone: others do not know how to wait. */
  #upcoming(pending: Pending | undefined): UpcomingProgram | undefined {
    const look = this.#observations;
    const height = pending && look.isOurs ? look.heights.ofRun(true, look.freshHalt)?.height : undefined;
    if (!pending || height === undefined) return undefined;
    const args = this.#haltFlag.with(this.#skipping(), look.operatorsNextAfter(pending.plan));
    return { program: this.shared.layout.of(pending.plan.name), at: pending.plan.height, height, args };
  }

  async #supervised(app: AppProcess, current: Program): Promise<RunResult> {
    const { shared } = this;
    const endSignals = shared.onSignal?.((signal) => {
      this.#isHungUp ||= signal === "SIGHUP";
      app.kill(signal);
    });
    try {
      return await supervise({
        ...{ app, current, look: this.#observations, shared },
        onLook: (decision) => {
          const scheduled = this.#chainPlan.look();
          const pending = firstOf(decision.pending, scheduled);
          this.#staging.prepare(pending?.plan, scheduled?.plan);
          this.#backupSpace.look(pending?.plan, this.#observations.isOurs);
          this.#status.look(pending, this.#observations);
          this.#haltFlag.look(this.#observations.operatorsNext, pending?.plan);
          void this.#standby.look(this.#upcoming(pending));
        },
        isReady: ({ plan }) => this.#staging.isReady(plan),
      });
    } finally {
      endSignals?.();
    }
  }

  /** At a height, or because something went wrong; with all processes that it has started. */
  async #stop(app: AppProcess): Promise<void> {
    await this.#stopped(app, await this.#stopper.stop(app));
  }

  async #stopped(app: AppProcess, end: ProcessEnd): Promise<void> {
    if (this.#app === app) this.#app = undefined;
    this.#observations.runEnded(end);
    await this.#stopper.stopLeftovers();
  }
}
