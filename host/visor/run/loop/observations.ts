/** Gathers what the decision needs, and remembers what the run of the application has changed of it. */
import { messageOf } from "../../../base/errors/errors.js";
import { type Program, problemOf } from "../../../node/programs/layout.js";
import {
  type Decision,
  decide,
  type Known,
  operatorsNext,
  type Pending,
  type Reached,
} from "../../decide/decision/decide.js";
import { type Plan, type PlanFile, planIn, readPlanFile } from "../../decide/decision/plan-file.js";
import { isSame, readQueue } from "../../decide/decision/queue.js";
import { returnedHeights } from "../../decide/decision/returned.js";
import { skipHeights } from "../../decide/decision/skips.js";
import { type HaltFacts, readHaltRecord } from "../../decide/heights/halt-record.js";
import { KnownHeight } from "../../decide/heights/known-height.js";
import type { ProcessEnd } from "../../decide/machine.js";
import { TOO_OLD_EXIT, UPGRADE_NEEDED_EXIT } from "../../decide/program-end.js";
import { appliedInState } from "../../stage/plan-in-state.js";
import { lackOf } from "../../stage/plan-way.js";
import type { Shared } from "./options.js";
import { PastPlans } from "./past-plans.js";

const RESTART = "UPG_HALT_RESTART";
const NEEDS_HANDLER = "UPG_HALT_UPGRADE_NEEDED";

export class Observations {
  readonly heights: KnownHeight;
  /** Of the files when the run began. */
  #planPrint = "";
  #isOurs = false;
  #haltPrint = "";
  #hasWrittenPlan = false;
  #silentRuns = 0;
  #end: ProcessEnd | undefined;
  #operatorsNext: Plan | undefined;
  #restartsFor: Plan | undefined;
  #reached: Reached | undefined;
  #switchedAt: Reached | undefined;
  /** The last block in the home when the present run began, until its node responds. */
  #startedAt: Reached | undefined;
  #underWay: Pending | undefined;
  /** As it was read last. */
  #queue: readonly Plan[] = [];
  readonly #said = new Set<string>();
  readonly #passed: PastPlans;

  constructor(private readonly shared: Shared) {
    this.#passed = new PastPlans(shared);
    const { settings, machine, childEnv: env, askRpc, storeHeight, log } = shared;
    this.heights = new KnownHeight({ settings, machine, env, askRpc, storeHeight, log });
  }

  /** What it was before, where the disk does not say. */
  get isOurs(): boolean {
    const { machine, places } = this.shared;
    try {
      this.#isOurs = machine.files.facts(places.database) !== undefined || this.#halt() !== undefined;
    } catch (error) {
      this.shared.log("debug", `${places.database} cannot be looked at: ${String(error)}`);
    }
    return this.#isOurs;
  }

  /** Of the run that ended last; undefined: it left none. */
  get freshHalt(): HaltFacts | undefined {
    const halt = this.#halt();
    return halt && halt.print !== this.#haltPrint ? halt : undefined;
  }

  /** A run, by itself, of the program that is current. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** As of the last look: the current program is not to make its block. */
  get operatorsNext(): Plan | undefined {
    return this.#operatorsNext;
  }

  /** The program is started now for this plan, of which it makes the block after it has opened its stores. */
  get restartsFor(): Plan | undefined {
    return this.#restartsFor;
  }

  /** As of the last look before a start: the run that begins goes on from this block. */
  get startedAt(): Reached | undefined {
    return this.#startedAt;
  }

  /** The plan that brought the current program, which has its block still to make; as of the last look before a start. */
  get underWay(): Pending | undefined {
    return this.#underWay;
  }

  runBegins(): void {
    this.#restartsFor = undefined;
    this.#switchedAt = undefined;
    this.#planPrint = printOf(this.planFile());
    this.#haltPrint = this.#halt()?.print ?? "";
    this.#end = undefined;
    this.heights.runBegins();
    this.#passed.runBegins();
  }

  runEnded(end: ProcessEnd): void {
    const found = this.planFile();
    const hasWritten = found.kind === "plan" && found.print !== this.#planPrint;
    // One that was ended by a signal has not ended for the plan.
    this.#hasWrittenPlan = hasWritten && end.exit !== null && end.exit !== 0;
    this.#silentRuns = this.#hasWrittenPlan && !this.heights.hasSaid ? this.#silentRuns + 1 : 0;
    this.#end = end;
  }

  /** After a switch the runs of another program count; the height is what it was, until something runs. */
  forget(): void {
    this.#hasWrittenPlan = false;
    this.#silentRuns = 0;
    this.#end = undefined;
    this.#switchedAt = this.#reached;
  }

  /** The operator's first plan after this one. */
  operatorsNextAfter({ height }: Plan): Plan | undefined {
    return this.#queue.filter((each) => each.height > height).sort((a, b) => (a.height < b.height ? -1 : 1))[0];
  }

  planFile(): PlanFile {
    const { machine, places, settings } = this.shared;
    return readPlanFile(machine.files, places.planFile, settings.isCaseKept);
  }

  /** While no application runs. */
  async decideBeforeStart(current: Program): Promise<Decision> {
    const { isOurs } = this;
    const { machine, settings } = this.shared;
    const halt = this.#halt();
    // What the run that has just ended has written needs no second witness.
    const fresh = this.#end && this.freshHalt && this.heights.ofRun(isOurs, this.freshHalt);
    const before = fresh ?? this.#switchedAt;
    const reached = before ?? (await this.heights.ofHome(isOurs, halt));
    // A record of an earlier end is none of the present state.
    const isCurrent = halt !== undefined && reached?.height === halt.height && reached.height > halt.lastCommitted;
    // The block of a halt is not made yet.
    this.#startedAt = before || isCurrent ? undefined : reached;
    // The program of the last upgrade is not too old.
    const applied = this.#end?.exit === TOO_OLD_EXIT ? await appliedInState(machine.files, settings) : undefined;
    const known = { ...this.#known(current, isCurrent ? halt : undefined), applied, isOurs, reached, isRunning: false };
    this.#restartsFor = known.restartsFor;
    this.#underWay = upgradeUnderWay(known, halt);
    return this.#decide(known);
  }

  /** While it runs; waits for nothing. */
  decideWhileRunning(current: Program): Decision {
    const { isOurs, freshHalt } = this;
    const reached = this.heights.ofRun(isOurs, freshHalt) ?? this.#startedAt;
    const known = { ...this.#known(current, freshHalt), isOurs, reached, isRunning: true };
    const decision = this.#decide(known);
    if (decision.kind === "switch" && this.#isStaged(decision.plan)) return decision;
    const plan = known.planFile.kind === "plan" ? known.planFile.plan : undefined;
    this.#passed.look(plan && !isSame(plan.name, known.current.name) ? plan : undefined, reached);
    return decision;
  }

  #known(current: Program, halt: HaltFacts | undefined): Omit<Known, "isOurs" | "reached" | "isRunning"> {
    const { machine, settings, places, args } = this.shared;
    const end = this.#end;
    const haltedFor = halt?.code === NEEDS_HANDLER ? halt.plan : undefined;
    const isHandlerThere = haltedFor !== undefined && end === undefined && this.#isMadeByHandler(haltedFor);
    return {
      current: {
        name: folderPlan(current.name),
        plan: planIn(machine.files, places.currentPlan, settings.isCaseKept),
      },
      planFile: this.planFile(),
      haltedFor,
      restartsFor: halt?.code === RESTART || isHandlerThere ? halt?.plan : undefined,
      operatorPlans: this.#queued(),
      skips: [...skipHeights(args), ...returnedHeights(machine.files, places.returnedFile)],
      ended: end && {
        isFailure: end.exit !== 0,
        isTooOld: end.exit === TOO_OLD_EXIT,
        hasWrittenPlan: this.#hasWrittenPlan,
        silentRuns: this.#silentRuns,
      },
      seen: this.heights.seen,
      passed: this.#passed.plans,
      isStaged: (plan: Plan) => this.#isStaged(plan),
    };
  }

  #isStaged(plan: Plan): boolean {
    const { layout, machine } = this.shared;
    return problemOf(layout.of(plan.name), machine.files) === undefined;
  }

  /** The program halted for lack of a handler's file, which is in its place by now: the same program makes the block. */
  #isMadeByHandler(plan: Plan): boolean {
    const { machine, settings, log } = this.shared;
    if (this.#isStaged(plan)) return false;
    try {
      return lackOf(machine.files, settings, plan, "") === undefined;
    } catch (error) {
      log("debug", `the handler of "${plan.name}" cannot be looked at: ${messageOf(error)}`);
      return false;
    }
  }

  #decide(known: Known): Decision {
    const decision = decide(known);
    this.#operatorsNext = operatorsNext(known);
    this.#reached = known.reached;
    if (known.planFile.kind === "torn") {
      this.#sayOnce(
        "warn",
        `${this.shared.places.planFile} cannot be read yet, and is looked at again: ${known.planFile.why}`,
      );
    }
    if (decision.kind === "go-on") for (const note of decision.notes) this.#sayOnce("info", note);
    return decision;
  }

  /** A queue that cannot be read holds up no plan of the chain. */
  #queued(): readonly Plan[] {
    const { machine, settings } = this.shared;
    try {
      const { plans, problems } = readQueue(machine.files, settings);
      for (const problem of problems) this.#sayOnce("warn", problem);
      const read = plans.map(({ name, height, info }) => ({
        name: settings.isCaseKept ? name : name.toLowerCase(),
        ...{ height, info },
      }));
      // What a disk does not show for once is still queued: without it a start would go beyond the height.
      const kept =
        problems.length === 0 ? [] : this.#queue.filter(({ name }) => !read.some((each) => each.name === name));
      this.#queue = [...read, ...kept];
    } catch (error) {
      this.#sayOnce("warn", messageOf(error));
    }
    return this.#queue;
  }

  #sayOnce(level: "info" | "warn", line: string): void {
    if (this.#said.has(line)) return;
    this.#said.add(line);
    this.shared.log(level, line);
  }

  #halt(): HaltFacts | undefined {
    const { machine, places, settings } = this.shared;
    const read = readHaltRecord(machine.files, places.haltFile, settings.isCaseKept);
    return read && read.print !== this.#haltPrint ? read : (this.#haltByExit() ?? read);
  }

  /** Of ours: exit 10 and the plan that it wrote say the same where the record could not be written. */
  #haltByExit(): HaltFacts | undefined {
    if (!this.#hasWrittenPlan || this.#end?.exit !== UPGRADE_NEEDED_EXIT) return undefined;
    const found = this.planFile();
    if (found.kind !== "plan" || !this.shared.machine.files.facts(this.shared.places.database)) return undefined;
    const { plan, print } = found;
    const words = { code: NEEDS_HANDLER, message: `the plan "${plan.name}" is due`, next: "", commands: [] };
    return {
      ...words,
      plan,
      height: plan.height,
      lastCommitted: plan.height - 1n,
      print: `exit ${UPGRADE_NEEDED_EXIT} ${print}`,
    };
  }
}

/**
 * The block is not made when the height before it was committed last. A halt at the height says the same; so may the log of
 * CometBFT, which has the block before the application commits it.
 */
function upgradeUnderWay(known: Known, halt: HaltFacts | undefined): Pending | undefined {
  const { current, planFile, reached, isOurs } = known;
  const { plan } = current;
  if (!plan || !reached) return undefined;
  const isAtHeight = !isOurs || (halt?.height === plan.height && halt.lastCommitted === plan.height - 1n);
  if (reached.height !== plan.height - 1n && !(isAtHeight && reached.height === plan.height)) return undefined;
  const isOfChain = planFile.kind === "plan" && isSame(planFile.plan.name, plan.name);
  return { plan, origin: isOfChain ? "chain" : "operator" };
}

const printOf = (file: PlanFile) => (file.kind === "absent" ? "" : file.print);

/** Folders are named as Go escapes paths. */
function folderPlan(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
