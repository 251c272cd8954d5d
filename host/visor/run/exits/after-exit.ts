/** What is done after the application has ended by itself and no plan is due: again, later, not at all, or back. */
import { ERROR_KINDS, messageOf } from "../../../base/errors/errors.js";
import { LAST_FAILURE_FILE, type LastFailure } from "../../../base/terminal/last-failure.js";
import { shellWord } from "../../../base/text/shell-word.js";
import type { Program } from "../../../node/programs/layout.js";
import { readAppFailure, removeAppFailure } from "../../decide/app-failure.js";
import { type AfterEnd, afterEnd, isOfOtherVersion } from "../../decide/decision/after-end.js";
import { CrashLoop } from "../../decide/decision/crash-loop.js";
import { type Plan, planIn } from "../../decide/decision/plan-file.js";
import { isSamePlan } from "../../decide/decision/queue.js";
import type { HaltFacts } from "../../decide/heights/halt-record.js";
import { storeHeight } from "../../decide/heights/store-height.js";
import { endText, type ProcessEnd } from "../../decide/machine.js";
import { takeRestartRequest } from "../../decide/restart-request.js";
import { genesisCommand } from "../../stage/doctor/genesis-file.js";
import { linkPrevious } from "../../stage/layout/link-program.js";
import { needsOtherProgram, otherProgram } from "../../stage/other-program.js";
import { replaceCommand } from "../../stage/plan-way.js";
import { besideSidecar, commandsAfter, takeBackStart } from "../../stage/start-command.js";
import { handlersPrint, watchedPrint } from "../../stage/watched-files.js";
import type { Shared } from "../loop/options.js";
import { addReturned } from "../loop/returned.js";
import { StepFailure } from "../loop/scripts.js";

/** The handler returned an error, or a check failed: the one end at which all nodes agree that it was not applied. */
const RETURNABLE = ERROR_KINDS.UPG_MIGRATION_FAILED.exit;
/** Of a disk, or another process on the home: with a record where an upgrade was under way. */
const OUTSIDE = ERROR_KINDS.UPG_STORE_IO.exit;
/** How often files are compared while a failure waits for another one. */
const LOOK_MILLIS = 1_000;

export interface EndFacts {
  readonly isOurs: boolean;
  /** That the application has left. */
  readonly halt: HaltFacts | undefined;
  readonly current: Program;
  /** False: a height that it has ended for was the sidecar's, of a plan that is queued no more. */
  readonly isOwnHeight: boolean;
  /** The error that it exited with; undefined: where it left one, it is in its file. */
  readonly failure?: LastFailure | undefined;
}

interface PendingExit extends EndFacts {
  readonly after: AfterEnd;
}

export class AfterExit {
  /** Restarts after crashes, also of a worker within a hold. */
  readonly crashes: CrashLoop;
  #last: PendingExit | undefined;
  /** Known after an error of the genesis document. */
  #hasBlocks = false;

  constructor(private readonly shared: Shared) {
    this.crashes = new CrashLoop(shared.settings);
  }

  /** @returns the environment in which an application of this project keeps the error that it exits with */
  runBegins(): Readonly<Record<string, string>> {
    const { machine, places } = this.shared;
    removeAppFailure(machine.files, places.appFailureFile);
    return { [LAST_FAILURE_FILE]: places.appFailureFile };
  }

  exited(end: ProcessEnd, given: EndFacts): void {
    const { settings, machine, places } = this.shared;
    const failure = given.failure ?? readAppFailure(machine.files, places.appFailureFile, end.exit);
    const facts = { ...given, failure, isOurs: given.isOurs || failure !== undefined };
    const said = facts.halt ?? failure;
    this.#last = { ...facts, after: afterEnd(end, { ...facts, settings, said, text: endText(end) }) };
  }

  /** Another program runs from now on. */
  forget(): void {
    this.#last = undefined;
    this.crashes.forget();
  }

  /** The application has exited, and nothing was done about it yet. */
  get isPending(): boolean {
    return this.#last !== undefined;
  }

  /** @returns the sidecar's exit status; undefined: the application is to be started again @throws StepFailure */
  async act(): Promise<number | undefined> {
    const last = this.#last;
    this.#last = undefined;
    if (!last) return undefined;
    const { after, halt } = last;
    const { log, settings } = this.shared;
    if (last.failure?.code === "UPG_INVALID_GENESIS") {
      this.#hasBlocks = ((await (this.shared.storeHeight ?? storeHeight)(settings.home)) ?? 0n) > 0n;
    }
    if (after.kind === "finished") {
      log("info", after.why);
      return after.exit;
    }
    if (halt) log("warn", `${halt.message} [${halt.code}]. ${halt.next}`);
    if (after.kind === "failed") throw this.#failure(last, after.why, after.exit);
    if (after.kind === "refused") return this.#refused(last, after);
    await this.#again(last, after);
    return undefined;
  }

  /**
   * The plan of the last switch, until its program has made the block; undefined also while a handler's plan is under way: no program
   * was switched to for that.
   */
  #switchUnderWay(halt: HaltFacts | undefined): Plan | undefined {
    const { machine, settings, places, board } = this.shared;
    const linked = planIn(machine.files, places.currentPlan, settings.isCaseKept);
    if (!linked) return undefined;
    const { phase, plan, height } = board.current;
    const isMigrating = phase === "migrating";
    const shown = isMigrating && plan ? { name: plan.name, height: BigInt(plan.height) } : undefined;
    const failed = halt?.plan ?? shown;
    if (failed) return isSamePlan(failed, linked) ? linked : undefined;
    const isBefore = height !== null && BigInt(height.value) < linked.height;
    return isMigrating || isBefore ? linked : undefined;
  }

  async #again(last: PendingExit, after: AfterEnd): Promise<void> {
    const { machine, board, log, signal, settings } = this.shared;
    const wait = this.crashes.next(machine.clock.now(), { isAsked: after.kind === "again" });
    const exit = after.kind === "crashed" ? after.exit : 1;
    if (wait === undefined) {
      const window = settings.restartWindow / 1_000;
      const often = settings.restartsMax === 0 ? "" : `, after ${settings.restartsMax} restarts in ${window} s`;
      throw this.#failure(last, `the application has ended${often}: ${after.why}`, last.isOurs ? exit : 1);
    }
    board.update({ restarts: board.current.restarts + 1 });
    if (after.kind === "again") {
      log("info", after.why);
      return;
    }
    log("warn", `the application has ended: ${after.why}. It is started again in ${wait / 1_000} s`);
    board.update({ message: `${after.why}; started again in ${wait / 1_000} s` });
    await machine.clock.sleep(wait, signal);
  }

  /** The new version does not apply the upgrade. */
  async #refused(
    last: PendingExit,
    { why, exit, cause }: Extract<AfterEnd, { kind: "refused" }>,
  ): Promise<number | undefined> {
    const { machine, settings, log, board, signal } = this.shared;
    const who =
      (exit === OUTSIDE && !last.halt) || !this.#switchUnderWay(last.halt) ? "the application" : "the new version";
    if (settings.onRefusal === "return" && this.#goBack(last, exit)) return undefined;
    if (settings.onRefusal !== "retry") throw this.#failure(last, `${who} has not gone on: ${why}`, exit);
    if (cause !== "local") {
      await this.#untilChanged(last, `${who} has not gone on: ${why}`);
      return undefined;
    }
    const wait = this.crashes.patient();
    log("warn", `${who} has not gone on: ${why}. It is asked again in ${wait / 1_000} s (CHAINVISOR_ON_REFUSAL)`);
    const next = this.#waysOutNow(last);
    board.update({ phase: "halted", message: why, next, restarts: board.current.restarts + 1 });
    await machine.clock.sleep(wait, signal);
    return undefined;
  }

  /** The same files end the same way: a start is worth it when one of them is another. */
  async #untilChanged(last: PendingExit, why: string): Promise<void> {
    const { machine, log, board, signal, places, settings } = this.shared;
    const message = `${why} It is started again when its program, a handler or its configuration changes, or by \`chainvisor restart\` (CHAINVISOR_ON_REFUSAL)`;
    log("warn", message);
    board.update({ phase: "halted", message, next: this.#waysOutNow(last) });
    const files = () =>
      watchedPrint(machine.files, settings, last.current.file) + handlersPrint(machine.files, settings.home);
    const before = files();
    const isAsked = () => takeRestartRequest(machine.files, places.restartFile);
    while (!signal.aborted && !isAsked() && files() === before) await machine.clock.sleep(LOOK_MILLIS, signal);
    if (!signal.aborted)
      log("info", "a file has changed, or a restart was requested: the application is started again");
    board.update({ restarts: board.current.restarts + 1 });
  }

  /**
   * Without the upgrade, by the old program where another was linked for it: only at the height that was agreed on, since a lone
   * validator would fork.
   */
  #goBack({ halt }: EndFacts, exit: number): boolean {
    const { machine, settings, places, log } = this.shared;
    const linked = planIn(machine.files, places.currentPlan, settings.isCaseKept);
    const plan = halt?.plan ?? linked;
    const { returnHeight } = settings;
    const isAgreed =
      plan !== undefined && plan.height === returnHeight && (halt?.height ?? returnHeight) === returnHeight;
    if (exit !== RETURNABLE || !isAgreed) {
      const agreed = returnHeight === undefined ? "none was agreed on" : `${returnHeight} was agreed on`;
      log(
        "warn",
        `no return: it is for exit 20 at the agreed height alone (exit ${exit}, height ${plan?.height ?? "unknown"}; ${agreed})`,
      );
      return false;
    }
    try {
      // A plan by a handler has no program of its own.
      const isLinked = linked !== undefined && isSamePlan(linked, plan);
      if (isLinked && !machine.files.linkFacts(places.previous)) throw new Error(`there is no ${places.previous}`);
      // The record first: the program without its flag would run the upgrade's block otherwise than agreed.
      addReturned(machine.files, places.returnedFile, returnHeight);
      const how = isLinked ? `returned to ${linkPrevious(machine.files, places.current)}` : "the program goes on";
      log("warn", `${how}: the upgrade "${plan.name}" at height ${plan.height} is skipped from now on`);
    } catch (cause) {
      throw new StepFailure(`cannot return to the old program: ${messageOf(cause)}`, exit);
    }
    this.forget();
    return true;
  }

  #failure(last: PendingExit, why: string, exit: number): StepFailure {
    this.shared.board.update({ next: this.#waysOut(last) });
    return new StepFailure(why, exit === 0 ? 1 : exit);
  }

  /** In the first block after a switch another program leads out, and no start does. */
  #waysOut({ halt, failure, current }: PendingExit): string[] {
    const { settings } = this.shared;
    const plan = this.#switchUnderWay(halt);
    const init = failure ? initCommand(this.shared, current) : [];
    const other = otherProgram(halt ?? failure, { settings, files: this.shared.machine.files });
    const document = this.#genesisWay(failure);
    const starts = [...init, ...document, this.#startAgain(failure)];
    const commands = commandsAfter(halt ?? unfit(failure), starts, other);
    // One that comes too early is the right program at the wrong height.
    const isToBeReplaced = plan && halt?.code !== "UPG_HALT_BINARY_TOO_EARLY";
    return [...new Set([...(isToBeReplaced ? [replaceCommand(plan, settings)] : []), ...commands])];
  }

  /** A home with blocks does not read the document any more. */
  #genesisWay(failure: LastFailure | undefined): string[] {
    if (failure?.code !== "UPG_INVALID_GENESIS" || (this.#hasBlocks && !isOfOtherVersion(failure.message))) return [];
    return [genesisCommand(failure.message, this.shared.settings, this.shared.machine.files)];
  }

  /** Arguments that a program before the last switch took were right, and are kept. */
  #startAgain(failure: LastFailure | undefined): string {
    const { machine, places, settings, starts, board } = this.shared;
    if (failure?.code !== "UPG_INVALID_ARGUMENT" || board.current.upgrades > 0) return starts.start;
    return takeBackStart(machine.files, places.startFile, settings, starts);
  }

  #waysOutNow(last: PendingExit): string[] {
    return besideSidecar(this.#waysOut(last), this.shared);
  }
}

/** An error after which only another program helps; it comes without commands. */
const unfit = (failure: LastFailure | undefined) =>
  failure && needsOtherProgram(failure.code) ? { code: failure.code, commands: [] } : undefined;

/** Where the home has neither a genesis document nor a database. */
function initCommand({ machine, places, settings }: Shared, { file }: Program): string[] {
  const isHome = [places.genesis, places.database].some((each) => machine.files.facts(each) !== undefined);
  return isHome ? [] : [`${shellWord(file)} init NAME --home ${shellWord(settings.home)}`];
}
