/** What the run loop has on the status board. */
import type { Program } from "../../../node/programs/layout.js";
import type { Pending, Reached } from "../../decide/decision/decide.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import type { AppProcess } from "../../decide/machine.js";
import { isReady } from "../../decide/readiness.js";
import type { Phase } from "../../decide/status.js";
import { planStatus } from "../../decide/unseen-plan.js";
import type { Observations } from "./observations.js";
import type { Shared } from "./options.js";

/** A program that reports no height is taken to run, and to make blocks, after it. */
const UNKNOWN_MILLIS = 30_000;

export class StatusReports {
  /** Whose block the program that is started makes, until it is made. */
  #migrating: Pending | undefined;
  #startedAt = 0;
  /** The last run ended by itself, and this one has not responded yet. */
  #isInDoubt = false;

  constructor(private readonly shared: Shared) {}

  started({ name, file }: Program, { pid }: AppProcess): void {
    this.#startedAt = this.shared.machine.clock.now();
    const phase = this.#migrating ? "migrating" : this.#isInDoubt ? "starting" : "running";
    this.shared.board.update({
      phase,
      program: { name, file, pid: pid ?? null },
      message: "",
      next: [],
      progress: null,
    });
  }

  ended({ name, file }: Program): void {
    this.#isInDoubt = true;
    this.shared.board.update({ program: { name, file, pid: null } });
  }

  due({ plan, origin }: Pending): void {
    this.shared.board.update({ phase: "halted", plan: planStatus({ plan, origin }), eta: null });
  }

  /** The program that runs makes the block, started again. */
  restartsFor(plan: Plan): void {
    this.#migrating = { plan, origin: "chain" };
    this.due(this.#migrating);
  }

  /** A sidecar before this one has switched, and the block was not made since. */
  resumes(underWay: Pending | undefined): void {
    this.#migrating ??= underWay;
  }

  switched({ plan, origin }: Pending): void {
    const { board } = this.shared;
    this.#migrating = { plan, origin };
    this.#isInDoubt = false;
    board.update({ upgrades: board.current.upgrades + 1, eta: null, readiness: [] });
  }

  /** After each look while it runs. */
  look(pending: Pending | undefined, { heights, isOurs, freshHalt }: Observations): void {
    const { board } = this.shared;
    const reached = heights.ofRun(isOurs, freshHalt);
    this.#isInDoubt &&= !heights.hasSaid && !this.#isLongAgo();
    const phase = this.#phase(pending, reached);
    const shown = this.#migrating ?? pending;
    const height = reached && { value: String(reached.height), source: reached.source };
    // A program's `status` is asked while something waits for it alone: what it said then is soon long ago.
    const isOld = reached?.source === "status" && !pending && phase !== "migrating";
    board.update({
      phase,
      ...(height && { height: isOld ? null : height }),
      plan: shown ? planStatus(shown) : null,
    });
  }

  #phase(pending: Pending | undefined, reached: Reached | undefined): Phase {
    const { phase, readiness } = this.shared.board.current;
    if (this.#migrating && !this.#isBeyond(this.#migrating.plan, reached)) return "migrating";
    this.#migrating = undefined;
    if (this.#isInDoubt) return "starting";
    if (!pending) return "running";
    if (phase === "downloading") return phase;
    return isReady(readiness) ? "ready" : "waiting";
  }

  /** Its block was in CometBFT's store before the switch; the next one is made by the new program. */
  #isBeyond({ height }: Plan, reached: Reached | undefined): boolean {
    if (reached) return reached.height > height;
    return this.#isLongAgo();
  }

  #isLongAgo(): boolean {
    return this.shared.machine.clock.now() - this.#startedAt > UNKNOWN_MILLIS;
  }
}
