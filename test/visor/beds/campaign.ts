/** Rounds of the sidecar's campaign, one after the other, and what they add up to. */
import { Random } from "../../sim/random.js";
import { chooseMishaps, DEATHS, EFFECTS, errorsOf, isDeath, type Journal, mishapText } from "./mishaps.js";
import { ModelServer } from "./model-server.js";
import { type RoundResult, runRound } from "./round.js";
import { chooseScene, type Scene, sceneName } from "./scene.js";

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: string;
  /** This round alone. */
  readonly only?: number | undefined;
  readonly onFailure: (text: string, log: readonly string[]) => void;
  readonly onRound?: (ended: number) => void;
}

export interface CampaignResult {
  readonly rounds: number;
  readonly failed: number;
  /** Programs that were switched to. */
  readonly upgrades: number;
  /** Starts of the sidecar. */
  readonly lives: number;
  readonly mishaps: ReadonlyMap<string, number>;
  /** Kinds of file calls, and of them those at which each effect has come that may. */
  readonly calls: ReadonlyMap<string, ReadonlySet<string>>;
  readonly blocks: number;
}

interface Reference {
  readonly result: RoundResult;
  readonly journal: Journal;
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const server = await ModelServer.start();
  try {
    return await new Campaign(options, server).run();
  } finally {
    await server.stop();
  }
}

class Campaign {
  readonly #references = new Map<string, Promise<Reference>>();
  readonly #mishaps = new Map<string, number>(EFFECTS.map((effect) => [effect, 0]));
  readonly #calls = new Map<string, Set<string>>();
  #failed = 0;
  #lives = 0;
  #upgrades = 0;
  #blocks = 0;

  constructor(
    private readonly options: CampaignOptions,
    private readonly server: ModelServer,
  ) {}

  async run(): Promise<CampaignResult> {
    const { rounds, only, onRound } = this.options;
    const indices = only === undefined ? Array.from({ length: rounds }, (_, index) => index) : [only];
    let ended = 0;
    for (const index of indices) {
      await this.#round(index);
      onRound?.(++ended);
    }
    return {
      ...{ rounds: indices.length, failed: this.#failed, upgrades: this.#upgrades, lives: this.#lives },
      ...{ mishaps: this.#mishaps, calls: this.#calls, blocks: this.#blocks },
    };
  }

  async #round(index: number): Promise<void> {
    const { seed, onFailure } = this.options;
    const random = new Random(`${seed} round ${index}`);
    const scene = chooseScene(random);
    const reference = await this.#reference(scene);
    const mishaps = chooseMishaps(random, reference.journal, reference.result.millis);
    const result = await runRound({ scene, server: this.server, random, mishaps });
    this.#count(scene, result);
    const failures = [...result.alarms, ...differences(reference.result, result)];
    if (failures.length === 0) return;
    this.#failed++;
    const what = `round ${index} (${sceneName(scene)}; ${mishaps.map(mishapText).join("; ")})`;
    onFailure(`${what}: ${failures.join("; ")}`, result.log);
  }

  #count(scene: Scene, { lives, hit, hashes }: RoundResult): void {
    this.#lives += lives;
    this.#upgrades += scene.upgrades;
    this.#blocks += hashes.length;
    for (const mishap of hit) {
      this.#mishaps.set(mishap.effect, (this.#mishaps.get(mishap.effect) ?? 0) + 1);
      if (mishap.at === "call") this.#calls.get(mishap.kind)?.add(mishap.effect);
    }
  }

  #reference(scene: Scene): Promise<Reference> {
    const name = sceneName(scene);
    const known = this.#references.get(name);
    if (known) return known;
    const made = this.#undisturbed(scene, name);
    this.#references.set(name, made);
    return made;
  }

  async #undisturbed(scene: Scene, name: string): Promise<Reference> {
    const random = new Random(name);
    const result = await runRound({ scene, server: this.server, random, mishaps: [] });
    if (result.alarms.length > 0) {
      this.#failed++;
      this.options.onFailure(`undisturbed (${name}): ${result.alarms.join("; ")}`, result.log);
    }
    for (const kind of result.journal.keys()) if (!this.#calls.has(kind)) this.#calls.set(kind, new Set());
    return { result, journal: result.journal };
  }
}

/** Effects that may come at a kind of call and have not. */
export function missed(calls: CampaignResult["calls"]): string[] {
  return [...calls].flatMap(([kind, hit]) =>
    [...DEATHS, ...errorsOf(kind)].filter((effect) => !hit.has(effect)).map((effect) => `${effect} at ${kind}`),
  );
}

/** The chain is the same: as many blocks as both have. */
function differences(reference: RoundResult, { hashes }: RoundResult): string[] {
  const at = hashes.findIndex((hash, index) => index < reference.hashes.length && hash !== reference.hashes[index]);
  return at === -1 ? [] : [`the app hash of block ${at + 1} is another one than undisturbed`];
}

export const deathsOf = (mishaps: CampaignResult["mishaps"]) =>
  [...mishaps].filter(([effect]) => isDeath(effect) || effect === "node").reduce((sum, [, count]) => sum + count, 0);
