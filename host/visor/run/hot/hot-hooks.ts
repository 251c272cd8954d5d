/** What the sidecar has to do with a relay: the status board, staging, the script before an upgrade, the links. */

import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { Height } from "../../../base/types/types.js";
import { type Program, problemOf } from "../../../node/programs/layout.js";
import type { CrashLoop } from "../../decide/decision/crash-loop.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { isReady } from "../../decide/readiness.js";
import type { Phase, PlanStatus, VisorStatus } from "../../decide/status.js";
import type { RelayHooks } from "../../hot/hooks.js";
import type { Worker } from "../../hot/worker.js";
import { linkProgram } from "../../stage/layout/link-program.js";
import { hasDownload } from "../../stage/plan-way.js";
import type { Staging } from "../../stage/staging.js";
import type { Shared } from "../loop/options.js";
import { customPreUpgrade, StepFailure } from "../loop/scripts.js";

/** What the run loop keeps of each program that runs, under either switch. */
export interface HotLoop {
  /** Counts restarts, those within a hold too. */
  readonly crashes: CrashLoop;
  /** The plan that brought the program, whose block was not made before this run. */
  readonly underWay?: Plan | undefined;
  /** A program is started. */
  runBegins(): void;
  /** What the chain has scheduled; undefined: nothing. */
  planned(plan: Plan | undefined): void;
  /** Another program is linked, and runs from now on. */
  switched(): void;
}

type Of = Pick<Shared, "settings" | "machine" | "board" | "log" | "childEnv" | "layout">;

export class HotHooks implements RelayHooks {
  /** The plan whose block is to be made. */
  #due: Plan | undefined;
  #plan: Plan | undefined;
  #isPlanKnown = false;
  /** What is before the upgrade is done, and the switch is counted. */
  #hasSwitched = false;
  /** The last run ended by itself, and no block was made since. */
  #isInDoubt = false;

  constructor(
    private readonly of: Of,
    private readonly staging: Pick<Staging, "plan" | "hurry" | "asked" | "close"> | undefined,
    private readonly loop?: HotLoop,
  ) {
    this.preparation = staging && { isChecked: (program) => staging.asked(program)?.state === "ready" };
    this.#resume(of.board.current);
    if (!this.#due && loop?.underWay) this.#goOn(loop.underWay);
  }

  /** A hold before this one has ended, or the loop has switched, and the block of the upgrade was not made since. */
  #resume({ phase, plan, program }: VisorStatus): void {
    this.#isInDoubt = phase === "starting" && program !== null;
    if (!plan || !["halted", "switching", "migrating"].includes(phase)) return;
    this.#due = { name: plan.name, height: BigInt(plan.height), info: plan.info };
    this.#hasSwitched = phase !== "halted";
  }

  /** Another sidecar has switched, which was stopped before the block was made. */
  #goOn(plan: Plan): void {
    this.#due = plan;
    this.#hasSwitched = true;
    this.of.board.update({ plan: planStatus(plan) });
  }

  /** By the staging, which knows too where a handler is enough, or a program is fetched. */
  readonly preparation: RelayHooks["preparation"];

  readonly isFetched = (plan: Plan): boolean =>
    this.staging !== undefined && this.of.settings.isDownloadAllowed && hasDownload(plan);

  beforeWorker(): void {
    this.loop?.runBegins();
  }

  onWorker({ program: { name, file }, pid, ended }: Worker): void {
    const { board } = this.of;
    const before = this.#isInDoubt ? "starting" : "running";
    const phase = this.#hasSwitched ? "migrating" : this.#due ? board.current.phase : before;
    board.update({ phase, program: { name, file, pid: pid ?? null }, message: "", next: [], progress: null });
    void ended.then(() => {
      const { program } = board.current;
      if (program && program.pid === (pid ?? null)) board.update({ program: { ...program, pid: null } });
    });
  }

  onLastBlock(height: Height): void {
    this.of.board.update({ height: heightOf(height) });
  }

  onCommitted(height: Height): void {
    const { board } = this.of;
    const due = this.#due;
    const isBack = this.#isInDoubt;
    this.#isInDoubt = false;
    if (!due || height < due.height) {
      board.update({ height: heightOf(height), ...(isBack && !due && { phase: phaseOf(board.current) }) });
      return;
    }
    this.#due = undefined;
    this.#hasSwitched = false;
    board.update({ height: heightOf(height), phase: "running", plan: null, readiness: [], progress: null });
  }

  onPlan(plan: Plan | undefined): void {
    const { board } = this.of;
    if (this.#due) return;
    if (!board.current.is_plan_read) board.update({ is_plan_read: true, rpc_failure: undefined });
    const isSame = this.#isPlanKnown && plan?.name === this.#plan?.name && plan?.height === this.#plan?.height;
    this.#plan = plan;
    this.#isPlanKnown = true;
    if (!isSame) {
      board.update({ plan: plan ? planStatus(plan) : null });
      this.staging?.plan(plan);
    }
    this.loop?.planned(plan);
  }

  onDue(plan: Plan): void {
    this.#due = plan;
    this.of.board.update({ phase: "halted", plan: planStatus(plan) });
    const { layout, machine } = this.of;
    const next = layout.of(plan.name);
    if (problemOf(next, machine.files) !== undefined) this.#fetch(plan);
  }

  #fetch(plan: Plan): void {
    this.staging?.plan(plan);
    this.staging?.hurry();
  }

  onHold(problem: string, command: string | undefined): void {
    // It may have been there, and ended the staging, before an operator removed it.
    if (command === undefined && this.#due) this.#fetch(this.#due);
    this.of.board.update({ phase: "halted", message: problem, next: command === undefined ? [] : [command] });
  }

  onAgain(): void {
    const { board } = this.of;
    this.#isInDoubt = true;
    board.update({ restarts: board.current.restarts + 1 });
  }

  /** Two at once would take each other's processor. */
  async beforePreUpgrade(): Promise<void> {
    await this.staging?.close();
  }

  /** @throws StepFailure */
  async beforeUpgrade(plan: Plan, signal: AbortSignal): Promise<void> {
    const { settings, machine, childEnv: env, log, board } = this.of;
    board.update({ phase: "switching", message: "", next: [] });
    await this.staging?.close();
    // Without folders the script is another sidecar's, or nobody's.
    if (this.staging) await customPreUpgrade({ settings, machine, env, signal, log }, plan);
    // A script that is stopped may exit with 0.
    if (signal.aborted) {
      board.update({ phase: "halted" });
      throw new StepFailure("stopped before the switch was made", 0);
    }
    if (!this.#hasSwitched) board.update({ upgrades: board.current.upgrades + 1 });
    this.#hasSwitched = true;
  }

  /** Programs that were named by flags are in no folder. */
  link(plan: Plan, program: Program, ended: Program): void {
    const { machine, settings, log } = this.of;
    if (program.folder === undefined) return;
    try {
      linkProgram(machine.files, settings.root, ended, program, plan);
    } catch (cause) {
      throw new UpgradeError("UPG_STORE_IO", `cannot link ${program.file}: ${messageOf(cause)}`, { cause });
    }
    // The same file again, replaced or after a hold, is no other program.
    const what = ended.file === program.file ? program.name : `from ${ended.name} to ${program.name}`;
    log("info", `switched ${what} at height ${plan.height}, with CometBFT's connections held`);
    this.loop?.switched();
  }
}

/** Of a node that makes blocks. */
function phaseOf({ plan, readiness }: VisorStatus): Phase {
  if (!plan) return "running";
  return isReady(readiness) ? "ready" : "waiting";
}

/** CometBFT has it from the application that it is committed. */
const heightOf = (height: Height): VisorStatus["height"] => ({ value: String(height), source: "store" });

const planStatus = ({ name, height, info }: Plan): PlanStatus => ({
  ...{ name, height: String(height), info, origin: "chain" },
});
