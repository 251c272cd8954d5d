/** Runs rounds side by side, each with random choices of its own, and sums them up. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { SPLIT_BALANCES } from "../scenario/versions.js";
import type { Damage } from "./checks.js";
import { runInjection } from "./faults/inject-round.js";
import { PHASES, type Phase } from "./faults/journal.js";
import { type FaultsOfProcess, HAS_FAULTS } from "./faults/library.js";
import { runReplay } from "./faults/replay-round.js";
import { VerifierProcess } from "./faults/verifier-process.js";
import { Random } from "./random.js";
import { makeReference, type Reference, type Workshop } from "./reference.js";
import { runRound } from "./round.js";
import { SCENES, type Scene } from "./scenes.js";
import { runSignals } from "./signal-round.js";
import { bundle, bundleWorker } from "./worker-process.js";

/** What happens to a scene in a round. */
export const ROUND_KINDS = ["kill", "replay", "EIO", "ENOSPC", "SIGTERM"] as const;
export type RoundKind = (typeof ROUND_KINDS)[number];

/** Rounds out of a hundred. Without the library of faults all are kills. */
const KINDS: Readonly<Record<RoundKind, number>> = HAS_FAULTS
  ? { kill: 38, replay: 42, EIO: 7, ENOSPC: 7, SIGTERM: 6 }
  : { kill: 94, replay: 0, EIO: 0, ENOSPC: 0, SIGTERM: 6 };

export interface SimulationOptions {
  readonly rounds: number;
  readonly seed: string;
  /** This round alone. */
  readonly only?: number | undefined;
  /** Rounds side by side; as many as there are processors without. */
  readonly lanes?: number;
  /** Rounds of this kind alone, of these scenes alone. */
  readonly kind?: RoundKind;
  readonly scenes?: readonly string[];
  /** What is broken in the processes that are recorded. */
  readonly faults?: FaultsOfProcess;
  readonly env?: Readonly<Record<string, string>>;
  readonly onDamage: (text: string) => void;
  /** Begins no further round once one has found damage of which the text is like this. */
  readonly endsAt?: RegExp;
  /** After each round: rounds that ended, in any order. */
  readonly onRound?: (ended: number) => void;
}

interface Summary {
  readonly rounds: number;
  readonly kills: number;
  readonly restarts: number;
  /** Rounds in which something committed or written was gone, or the chain could not go on. */
  readonly lost: number;
  /** Rounds in which state differed from the undisturbed run. */
  readonly diverged: number;
  readonly seed: string;
  /** Disks that were made of a journal. */
  readonly replays: number;
  /** Processes that ended by a failing or a full disk. */
  readonly refusals: number;
  /** Processes that LMDB aborted when the system refused it a write. */
  readonly aborts: number;
  /** Processes that ended by SIGTERM, sent once or twice while they applied the upgrade. */
  readonly stopped: number;
  /** Where kills, replays and faults came: of those that were drawn from what a process changes on disk. */
  readonly moments: Readonly<Record<Phase, number>>;
}

export interface Simulation {
  readonly summary: Summary;
  readonly roundsByScene: ReadonlyMap<string, number>;
  readonly roundsByKind: ReadonlyMap<RoundKind, number>;
  readonly milliseconds: number;
}

export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const begun = performance.now();
  const root = mkdtempSync(join(tmpdir(), "chain-upgrade-sim-"));
  const [worker, verifier] = await Promise.all([bundleWorker(), bundle("verifier", "test/sim/faults/verifier.ts")]);
  try {
    const handlers = join(root, "handlers");
    mkdirSync(handlers);
    copyFileSync(SPLIT_BALANCES, join(handlers, "split-balances.wasm"));
    const { faults, env } = options;
    const shop = { root, worker: worker.file, handlers, ...(faults ? { faults } : {}), ...(env ? { env } : {}) };
    const rounds = new Rounds(options, shop);
    const lanes = Array.from({ length: options.lanes ?? availableParallelism() }, () => rounds.runLane(verifier.file));
    await Promise.all(lanes);
    return { ...rounds.result(), milliseconds: performance.now() - begun };
  } finally {
    worker.remove();
    verifier.remove();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Result {
  readonly kind: RoundKind;
  readonly kills: number;
  readonly restarts: number;
  readonly refusals: number;
  readonly aborts: number;
  readonly stopped: number;
  readonly phases: readonly Phase[];
  readonly damage: readonly Damage[];
}

class Rounds {
  readonly #indices: number[];
  readonly #references = new Map<string, Promise<Reference>>();
  readonly #results: Result[] = [];
  readonly #byScene = new Map<string, number>();

  constructor(
    private readonly options: SimulationOptions,
    private readonly shop: Workshop,
  ) {
    const all = Array.from({ length: options.rounds }, (_, index) => index);
    this.#indices = options.only === undefined ? all : [options.only];
  }

  async runLane(script: string): Promise<void> {
    const verifier = new VerifierProcess(script);
    try {
      for (let index = this.#indices.shift(); index !== undefined; index = this.#indices.shift()) {
        const random = new Random(`${this.options.seed} round ${index}`);
        const kind = this.options.kind ?? choose(random, ROUND_KINDS, (each) => KINDS[each]);
        const scene = this.#chooseScene(random, kind);
        const result = await this.#run(index, kind, random, await this.#reference(scene), verifier);
        this.#results.push(result);
        this.options.onRound?.(this.#results.length);
        this.#byScene.set(scene.name, (this.#byScene.get(scene.name) ?? 0) + 1);
        for (const { kind: damaged, what } of result.damage) {
          const text = `round ${index} (${kind}, ${scene.name}), ${damaged}: ${what}`;
          this.options.onDamage(text);
          if (this.options.endsAt?.test(text)) this.#indices.length = 0;
        }
      }
    } finally {
      verifier.stop();
    }
  }

  async #run(
    index: number,
    kind: RoundKind,
    random: Random,
    reference: Reference,
    verifier: VerifierProcess,
  ): Promise<Result> {
    const { shop } = this;
    if (kind === "kill")
      return { kind, refusals: 0, aborts: 0, stopped: 0, ...(await runRound(index, random, reference, shop)) };
    if (kind === "SIGTERM") {
      const { ended, damage } = await runSignals(index, random, reference, shop, verifier);
      return { kind, kills: 0, restarts: 0, refusals: 0, aborts: 0, stopped: ended, phases: [], damage };
    }
    const isReplay = kind === "replay";
    const { phase, damage, ended, aborts } = isReplay
      ? { ...(await runReplay(index, random, reference, shop, verifier)), ended: 0, aborts: 0 }
      : await runInjection(index, kind, random, reference, shop, verifier);
    return { kind, kills: 0, restarts: 0, refusals: ended, aborts, stopped: 0, phases: phase ? [phase] : [], damage };
  }

  result(): Omit<Simulation, "milliseconds"> {
    const results = this.#results;
    const sum = (value: (result: Result) => number) => results.reduce((total, each) => total + value(each), 0);
    const having = (kind: string) => results.filter(({ damage }) => damage.some((each) => each.kind === kind)).length;
    const ofKind = (kind: RoundKind) => results.filter((each) => each.kind === kind).length;
    const phases = results.flatMap((each) => each.phases);
    const moments = PHASES.map((phase) => [phase, phases.filter((each) => each === phase).length] as const);
    const summary = {
      rounds: results.length,
      kills: sum(({ kills }) => kills),
      restarts: sum(({ restarts }) => restarts),
      lost: having("lost"),
      diverged: having("diverged"),
      seed: this.options.seed,
      replays: ofKind("replay"),
      refusals: sum(({ refusals }) => refusals),
      aborts: sum(({ aborts }) => aborts),
      stopped: sum(({ stopped }) => stopped),
      moments: Object.fromEntries(moments) as Record<Phase, number>,
    };
    const kinds = ROUND_KINDS.map((kind) => [kind, ofKind(kind)] as const);
    return { summary, roundsByScene: this.#byScene, roundsByKind: new Map(kinds) };
  }

  #chooseScene(random: Random, kind: RoundKind): Scene {
    const { scenes } = this.options;
    const fit = SCENES.filter(({ name }) => !scenes || scenes.includes(name));
    const isFit = (scene: Scene) =>
      kind === "kill" || (isRepeatable(scene) && (kind !== "SIGTERM" || scene.appliesFirst === true));
    return choose(random, fit.filter(isFit), ({ share }) => share);
  }

  #reference(scene: Scene): Promise<Reference> {
    let reference = this.#references.get(scene.name);
    if (!reference) {
      reference = makeReference(scene, this.shop);
      this.#references.set(scene.name, reference);
    }
    return reference;
  }
}

/** Its processes can be gone on with by others that know nothing of the simulator. */
function isRepeatable({ steps, plantsTornInfo }: Scene): boolean {
  return !plantsTornInfo && steps.every(({ env, isInterrupted }) => !env && !isInterrupted);
}

/** By shares. */
function choose<T>(random: Random, list: readonly T[], share: (item: T) => number): T {
  let at = random.below(list.reduce((sum, item) => sum + share(item), 0));
  for (const item of list) {
    at -= share(item);
    if (at < 0) return item;
  }
  throw new Error("there is nothing to choose from");
}
