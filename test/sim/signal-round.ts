/**
 * One round of a process that is asked to end while it applies an upgrade, once or twice. Asked once, it finishes the block
 * and ends with 0; asked twice, it ends at once. Either way the block is whole or not there, and the next process goes
 * on to the same end.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { checkJsonFiles, checkState, type Damage } from "./checks.js";
import type { VerifierProcess } from "./faults/verifier-process.js";
import { inspectDatabase } from "./inspect.js";
import type { Random } from "./random.js";
import { copyHome, type Reference, type Workshop } from "./reference.js";
import { runWorker, type WorkerEnd } from "./worker-process.js";

export interface SignalResult {
  /** Processes that were asked, and ended by it. */
  readonly ended: number;
  readonly damage: readonly Damage[];
}

/** What a process says when the handler is about to run. */
const UPGRADE_BEGINS = "applying upgrade";
/** The second signal comes within this. */
const SECOND_AFTER_MILLIS = 100;
/** The last thing that a process says. */
const RECORD = '"last_committed_height":';
/** Of a process that a second signal ended. */
const TERMINATED_EXIT = 15;

export async function runSignals(
  index: number,
  random: Random,
  reference: Reference,
  shop: Workshop,
  verifier: VerifierProcess,
): Promise<SignalResult> {
  const home = join(shop.root, `signals-${index}`);
  copyHome(reference.prepared, home);
  try {
    const { steps } = reference.scene;
    const isTwice = random.chance(0.5);
    const [step] = steps;
    if (!step) return { ended: 0, damage: [] };
    const millis = reference.steps[0]?.upgradeMillis ?? 0;
    const first = random.fraction() * millis;
    const delays = isTwice ? [first, random.fraction() * SECOND_AFTER_MILLIS] : [first];
    const signals = { after: UPGRADE_BEGINS, delays };
    const { worker, handlers } = shop;
    const end = await runWorker({
      worker,
      home,
      handlers,
      args: step.args,
      env: { SIM_SIGNALS: "each counts" },
      signals,
    });
    const damage = [...checkEnd(end, isTwice, step.exits), ...checkHome(home, reference, end)];
    const rest = steps.map(({ args, exits }) => ({ args, exits }));
    const { after, problem } = await verifier.verify({ home, handlers, steps: rest });
    if (problem !== undefined) damage.push({ kind: "lost", what: problem });
    else if (after.dump !== reference.after.dump) damage.push({ kind: "diverged", what: "the database differs" });
    const times = isTwice ? "twice" : "once";
    return {
      ended: end.exit !== null && step.exits.includes(end.exit) ? 0 : 1,
      damage: damage.map(({ kind, what }) => ({ kind, what: `SIGTERM ${times}, after ${delays} ms: ${what}` })),
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function checkEnd(end: WorkerEnd, isTwice: boolean, exits: readonly number[]): Damage[] {
  const wanted = [0, ...exits, ...(isTwice ? [TERMINATED_EXIT] : [])];
  // A signal that finds the process on its way out ends it by the system's own hand.
  const isLeaving = isTwice || end.log.includes(RECORD);
  const isWanted = end.exit === null ? isLeaving : wanted.includes(end.exit);
  if (!end.isHanging && isWanted) return [];
  return [{ kind: "lost", what: `${end.isHanging ? "hangs" : `ended with ${end.exit}`}:\n${end.log}` }];
}

function checkHome(home: string, reference: Reference, end: WorkerEnd): Damage[] {
  const committed = inspectDatabase(home);
  return [...checkState(reference, reference.before, committed, end.blocks), ...checkJsonFiles(home)];
}
