/** Runs rounds side by side, each with random choices of its own, and sums them up. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { SPLIT_BALANCES } from "../scenario/versions.js";
import { Random } from "./random.js";
import { makeReference, type Reference, type Workshop } from "./reference.js";
import { type RoundResult, runRound } from "./round.js";
import { SCENES, type Scene } from "./scenes.js";
import { bundleWorker } from "./worker-process.js";

export interface SimulationOptions {
  readonly rounds: number;
  readonly seed: string;
  /** This round alone. */
  readonly only?: number | undefined;
  /** Rounds side by side; as many as there are processors without. */
  readonly lanes?: number;
  readonly onDamage: (text: string) => void;
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
}

export interface Simulation {
  readonly summary: Summary;
  readonly roundsByScene: ReadonlyMap<string, number>;
  readonly milliseconds: number;
}

export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const begun = performance.now();
  const root = mkdtempSync(join(tmpdir(), "chain-upgrade-sim-"));
  const worker = await bundleWorker();
  try {
    const handlers = join(root, "handlers");
    mkdirSync(handlers);
    copyFileSync(SPLIT_BALANCES, join(handlers, "split-balances.wasm"));
    const rounds = new Rounds(options, { root, worker: worker.file, handlers });
    const lanes = Array.from({ length: options.lanes ?? availableParallelism() }, () => rounds.runLane());
    await Promise.all(lanes);
    return { ...rounds.result(), milliseconds: performance.now() - begun };
  } finally {
    worker.remove();
    rmSync(root, { recursive: true, force: true });
  }
}

class Rounds {
  readonly #indices: number[];
  readonly #references = new Map<string, Promise<Reference>>();
  readonly #results: RoundResult[] = [];
  readonly #byScene = new Map<string, number>();

  constructor(
    private readonly options: SimulationOptions,
    private readonly shop: Workshop,
  ) {
    const all = Array.from({ length: options.rounds }, (_, index) => index);
    this.#indices = options.only === undefined ? all : [options.only];
  }

  async runLane(): Promise<void> {
    for (let index = this.#indices.shift(); index !== undefined; index = this.#indices.shift()) {
      const random = new Random(`${this.options.seed} round ${index}`);
      const scene = chooseScene(random);
      const result = await runRound(index, random, await this.#reference(scene), this.shop);
      this.#results.push(result);
      this.#byScene.set(scene.name, (this.#byScene.get(scene.name) ?? 0) + 1);
      for (const { kind, what } of result.damage)
        this.options.onDamage(`round ${index} (${scene.name}), ${kind}: ${what}`);
    }
  }

  result(): Omit<Simulation, "milliseconds"> {
    const results = this.#results;
    const sum = (value: (result: RoundResult) => number) => results.reduce((total, each) => total + value(each), 0);
    const having = (kind: string) => results.filter(({ damage }) => damage.some((each) => each.kind === kind)).length;
    const summary = {
      rounds: results.length,
      kills: sum(({ kills }) => kills),
      restarts: sum(({ restarts }) => restarts),
      lost: having("lost"),
      diverged: having("diverged"),
      seed: this.options.seed,
    };
    return { summary, roundsByScene: this.#byScene };
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

/** By the scenes' shares of a hundred. */
function chooseScene(random: Random): Scene {
  let at = random.below(SCENES.reduce((sum, { share }) => sum + share, 0));
  for (const scene of SCENES) {
    at -= scene.share;
    if (at < 0) return scene;
  }
  throw new Error("the shares of the scenes do not add up");
}
