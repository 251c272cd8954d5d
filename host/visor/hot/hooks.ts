/** Where others take part in what the relay does: what is shown of it, and what is done before an upgrade. */

import type { Height } from "../../base/types/types.js";
import type { Program } from "../../node/programs/layout.js";
import type { Plan } from "../decide/decision/plan-file.js";
import type { Worker } from "./worker.js";

export interface RelayHooks {
  /** A worker is about to be started, or called. */
  beforeWorker(): void;
  /** It was started, or called. */
  onWorker(worker: Worker): void;
  /** Where the chain of a worker is that is about to serve. */
  onLastBlock(height: Height): void;
  /** CometBFT knows a block to be committed. */
  onCommitted(height: Height): void;
  /** What is scheduled, after a block, a second apart at least; undefined: nothing is. */
  onPlan(plan: Plan | undefined): void;
  /** A worker has ended for a plan. */
  onDue(plan: Plan): void;
  /** The upgrade cannot be made yet: why, with the command that puts the program in its place; undefined: it is fetched. */
  onHold(problem: string, command: string | undefined): void;
  /** A worker that crashed is started again. */
  onAgain(): void;
  /**
   * Prepares the next program before the height, and reports what it lacks. `isChecked` returns true if it has asked this file of the
   * program, and the program can take over. Where `preparation` is undefined, the hot switch prepares the program.
   */
  readonly preparation: { isChecked(program: Program): boolean } | undefined;
  /** Is the plan's program fetched, so that nobody has to put it in its place? */
  isFetched(plan: Plan): boolean;
  /** At the height the relay asks the plan's program by its `pre-upgrade`: nobody else does when this has resolved. */
  beforePreUpgrade(): Promise<void>;
  /**
   * While no worker runs; when it rejects, nothing is started, and the relay ends with the error.
   * @param signal aborted when the relay is to stop
   */
  beforeUpgrade(plan: Plan, signal: AbortSignal): Promise<void>;
  /** Makes the program the one that runs first from now on. @throws what the system says */
  link(plan: Plan, program: Program, ended: Program): void;
}
