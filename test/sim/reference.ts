/** How a scene goes when nobody disturbs it: what every round of it is held against. */
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FaultsOfProcess, faultsEnvironment, HAS_FAULTS } from "./faults/library.js";
import { beginRecording, type Recording } from "./faults/recording.js";
import { type Committed, inspectDatabase } from "./inspect.js";
import type { Scene, Step } from "./scenes.js";
import { runWorker, type WorkerEnd } from "./worker-process.js";

export interface Workshop {
  /** Temporary folder for homes. */
  readonly root: string;
  readonly worker: string;
  /** Folder of the program's handlers. */
  readonly handlers: string;
  /** What is broken in the processes that are recorded: the simulator must see it. */
  readonly faults?: FaultsOfProcess;
  readonly env?: Readonly<Record<string, string>>;
}

export interface StepReference {
  /** From start to end. */
  readonly milliseconds: number;
  /** Of them, those of the upgrade block; 0: none. */
  readonly upgradeMillis: number;
  /** How often each named step of the process happens. */
  readonly points: ReadonlyMap<string, number>;
  /** What it changed on disk; undefined on machines where that cannot be seen. */
  readonly recording: Recording | undefined;
}

export interface Reference {
  readonly scene: Scene;
  /** The prepared home; copied for each round, never run. */
  readonly prepared: string;
  readonly before: Committed;
  readonly after: Committed;
  /** App hash and digest of what the stores hold, at every height that the scene makes or finds. */
  readonly hashes: ReadonlyMap<bigint, string>;
  readonly digests: ReadonlyMap<bigint, string>;
  readonly steps: readonly StepReference[];
}

export function copyHome(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

export async function makeReference(scene: Scene, shop: Workshop): Promise<Reference> {
  const prepared = join(shop.root, `${scene.name}-prepared`);
  scene.prepare(prepared, shop.handlers);
  const before = inspectDatabase(prepared, true);
  const home = join(shop.root, `${scene.name}-reference`);
  copyHome(prepared, home);
  const steps: StepReference[] = [];
  for (const step of scene.steps) {
    steps.push(await (step.isInterrupted ? runAside(scene, step, prepared, shop) : runStep(scene, step, home, shop)));
  }
  const after = inspectDatabase(home, true);
  const all = isPruned(scene) ? await unpruned(scene, prepared, shop) : after;
  rmSync(home, { recursive: true });
  return {
    ...{ scene, prepared, before, after, steps },
    hashes: new Map([...before.hashes, ...all.hashes]),
    digests: new Map([...before.digests, ...all.digests]),
  };
}

const KEEP = "--keep-versions";
const isPruned = ({ steps }: Scene) => steps.some(({ args }) => args.includes(KEEP));

/** The same scene with every height kept, for hashes and contents at each. */
async function unpruned(scene: Scene, prepared: string, shop: Workshop): Promise<Committed> {
  const home = join(shop.root, `${scene.name}-unpruned`);
  copyHome(prepared, home);
  for (const step of scene.steps) {
    const args = step.args.filter((arg, index) => arg !== KEEP && step.args[index - 1] !== KEEP);
    await runStep(scene, { ...step, args }, home, shop);
  }
  const committed = inspectDatabase(home, true);
  rmSync(home, { recursive: true });
  return committed;
}

/** What this step would do is not part of the chain; how long it takes and its points are. */
async function runAside(scene: Scene, step: Step, prepared: string, shop: Workshop): Promise<StepReference> {
  const home = join(shop.root, `${scene.name}-aside`);
  copyHome(prepared, home);
  const reference = await runStep(scene, step, home, shop);
  rmSync(home, { recursive: true });
  return reference;
}

async function runStep(scene: Scene, step: Step, home: string, shop: Workshop): Promise<StepReference> {
  const trace = `${home}.trace`;
  const journal = `${home}.journal`;
  const { worker, handlers } = shop;
  const finish = HAS_FAULTS ? beginRecording(home) : undefined;
  const faults = HAS_FAULTS ? faultsEnvironment({ root: home, journal, ...shop.faults }) : {};
  const env = { ...shop.env, ...step.env, SIM_TRACE: trace, ...faults };
  const end = await runWorker({ worker, home, handlers, args: step.args, env });
  requireExit(scene, step, end);
  const recording = finish?.(journal);
  rmSync(journal, { force: true });
  const points = new Map<string, number>();
  for (const name of existsSync(trace) ? readFileSync(trace, "utf8").split("\n") : []) {
    points.set(name, (points.get(name) ?? 0) + 1);
  }
  rmSync(trace, { force: true });
  return { milliseconds: end.milliseconds, upgradeMillis: end.upgradeMillis, points, recording };
}

function requireExit(scene: Scene, step: Step, end: WorkerEnd): void {
  if (end.exit !== null && step.exits.includes(end.exit)) return;
  throw new Error(`scene ${scene.name}, undisturbed, ended with ${end.exit} instead of ${step.exits}:\n${end.log}`);
}
