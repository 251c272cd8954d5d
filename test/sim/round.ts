/** One round: a copy of a prepared home, processes that are killed, and a look at the home after each of them. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Home } from "../../host/node/home/home.js";
import { checkFiles, checkState, type Damage } from "./checks.js";
import type { Phase } from "./faults/journal.js";
import { faultsEnvironment } from "./faults/library.js";
import { chooseMoment } from "./faults/recording.js";
import { type Committed, inspectDatabase } from "./inspect.js";
import type { Random } from "./random.js";
import { copyHome, type Reference, type StepReference, type Workshop } from "./reference.js";
import type { Step } from "./scenes.js";
import { runWorker, type WorkerEnd } from "./worker-process.js";

export interface RoundResult {
  readonly kills: number;
  readonly restarts: number;
  /** Where the kills came that were drawn from what the process changes on disk. */
  readonly phases: readonly Phase[];
  readonly damage: readonly Damage[];
}

/** Half of the kills come at a change on disk, mostly of the upgrade block; the others at a named step or at a moment. */
const AT_A_CHANGE = 0.5;
const AT_A_MOMENT = 0.2;
/** A process beside others takes longer than the reference, which ran alone. */
const STRETCH = 1.2;
/** Beyond the one that a round is for: the chance of a kill of any other process. */
const ANOTHER_KILL = 0.3;
const KILLS_PER_STEP_MAX = 4;

export async function runRound(
  index: number,
  random: Random,
  reference: Reference,
  shop: Workshop,
): Promise<RoundResult> {
  const home = join(shop.root, `round-${index}`);
  copyHome(reference.prepared, home);
  try {
    return await new Round(home, random, reference, shop).run();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

class Round {
  #kills = 0;
  #restarts = 0;
  readonly #phases: Phase[] = [];
  readonly #damage: Damage[] = [];
  #committed: Committed;
  #torn: string | undefined;

  constructor(
    private readonly home: string,
    private readonly random: Random,
    private readonly reference: Reference,
    private readonly shop: Workshop,
  ) {
    this.#committed = reference.before;
  }

  async run(): Promise<RoundResult> {
    const { scene, steps } = this.reference;
    if (scene.plantsTornInfo) this.#plantTornInfo(scene.upgradeInfo ?? "");
    const main = this.random.below(scene.steps.length);
    for (const [index, step] of scene.steps.entries()) {
      const reference = steps[index] as StepReference;
      const isDone = await (step.isInterrupted
        ? this.#interrupt(step, reference)
        : this.#runStep(step, reference, index === main));
      if (!isDone) break;
    }
    if (this.#damage.length === 0 && this.#committed.dump !== this.reference.after.dump) {
      this.#report("diverged", "the database differs from the undisturbed one");
    }
    return { kills: this.#kills, restarts: this.#restarts, phases: this.#phases, damage: this.#damage };
  }

  /** Runs a step until it ends by itself; false when something is wrong. */
  async #runStep(step: Step, reference: StepReference, isMain: boolean): Promise<boolean> {
    for (let killed = 0; ; killed++) {
      const wantsKill =
        killed < KILLS_PER_STEP_MAX && (killed === 0 && isMain ? true : this.random.chance(ANOTHER_KILL));
      const kill: Kill = wantsKill ? this.#chooseKill(reference) : {};
      const end = await this.#runProcess(step, kill);
      const isKilled = end.exit === null && !end.isHanging;
      this.#look(end, isKilled);
      if (this.#damage.length > 0) return false;
      if (!isKilled) return this.#hasEndedWell(step, end, kill);
      this.#kills++;
      this.#restarts++;
      if (kill.phase) this.#phases.push(kill.phase);
    }
  }

  /** Kills a process before its block is durable; the next step is another one's. */
  async #interrupt(step: Step, { points }: StepReference): Promise<boolean> {
    const kill = { at: `put:${this.random.below(points.get("put") ?? 1)}` };
    const end = await this.#runProcess(step, kill);
    this.#look(end, true);
    if (end.exit !== null) return this.#hasEndedWell({ ...step, exits: [] }, end, kill);
    this.#kills++;
    this.#restarts++;
    return this.#damage.length === 0;
  }

  #chooseKill({ milliseconds, points, recording }: StepReference): Kill {
    const index = recording && this.random.chance(AT_A_CHANGE) ? chooseMoment(recording, this.random) : undefined;
    if (recording && index !== undefined) {
      return { change: recording.changes[index]?.change ?? 0, phase: recording.phases[index] as Phase };
    }
    if (this.random.chance(AT_A_MOMENT)) return { after: this.random.fraction() * milliseconds * STRETCH };
    const [name, count] = this.random.pick([...points]);
    return { at: `${name}:${this.random.below(count)}` };
  }

  #runProcess({ args, env }: Step, { after, at, change }: Kill): Promise<WorkerEnd> {
    const { worker, handlers } = this.shop;
    return runWorker({
      ...{ worker, home: this.home, handlers, args },
      env: {
        ...env,
        ...(at === undefined ? {} : { SIM_KILL: at }),
        ...(change === undefined ? {} : faultsEnvironment({ root: this.home, killAt: change })),
      },
      ...(after === undefined ? {} : { killAfter: after }),
    });
  }

  #look(end: WorkerEnd, isKilled: boolean): void {
    const committed = inspectDatabase(this.home);
    this.#damage.push(...checkState(this.reference, this.#committed, committed, end.blocks));
    this.#damage.push(
      ...checkFiles(this.home, { scene: this.reference.scene, torn: this.#torn, committed, end, isKilled }),
    );
    this.#committed = committed;
  }

  #hasEndedWell({ exits }: Step, end: WorkerEnd, kill: Kill): boolean {
    if (end.exit !== null && exits.includes(end.exit)) return true;
    const how = end.isHanging ? "hangs" : `ended with ${end.exit} instead of ${exits}`;
    this.#report("lost", `a process (kill ${JSON.stringify(kill)}) ${how}:\n${end.log}`);
    return false;
  }

  #plantTornInfo(text: string): void {
    this.#torn = text.slice(0, this.random.below(text.length));
    writeFileSync(join(new Home(this.home).dataFolder, "upgrade-info.json"), this.#torn);
  }

  #report(kind: Damage["kind"], what: string): void {
    this.#damage.push({ kind, what });
  }
}

/** Milliseconds after the start, a named step and which of them, or a change on disk; none of them: no kill. */
interface Kill {
  readonly change?: number;
  readonly phase?: Phase;
  readonly after?: number;
  readonly at?: string;
}
