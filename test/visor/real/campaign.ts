/** Rounds with processes, one after the other, and what they add up to. */
import { Random } from "../../sim/random.js";
import { Homes, SOURCES } from "./real-home.js";
import { chooseKills, chooseScene, type RealRound, type RealScene, runRealRound } from "./round.js";

export interface RealOptions {
  readonly rounds: number;
  readonly seed: string;
  /** This round alone. */
  readonly only?: number | undefined;
  readonly onFailure: (text: string, log: readonly string[]) => void;
  readonly onRound?: (ended: number) => void;
}

export interface RealResult {
  readonly rounds: number;
  readonly failed: number;
  readonly lives: number;
  /** Of nodes. */
  readonly starts: number;
  /** By who was killed, and after which milestone. */
  readonly kills: Readonly<Record<string, number>>;
}

const nameOf = ({ source, isBackedUp }: RealScene) => `${source}${isBackedUp ? " backup" : ""}`;

export async function runRealCampaign({ rounds, seed, only, onFailure, onRound }: RealOptions): Promise<RealResult> {
  const homes = new Homes();
  const references = new Map<string, RealRound>();
  const kills: Record<string, number> = {};
  const count = (name: string) => {
    kills[name] = (kills[name] ?? 0) + 1;
  };
  const total = { rounds: 0, failed: 0, lives: 0, starts: 0 };
  const fail = (text: string, { log }: RealRound) => {
    total.failed++;
    onFailure(text, log.split("\n"));
  };
  try {
    for (const source of SOURCES) {
      const reference = await runRealRound(homes, { source, isBackedUp: true }, []);
      if (reference.alarms.length > 0) fail(`undisturbed (${source}): ${reference.alarms.join("; ")}`, reference);
      references.set(source, reference);
    }
    for (const index of only === undefined ? Array.from({ length: rounds }, (_, at) => at) : [only]) {
      const random = new Random(`${seed} real ${index}`);
      const scene = chooseScene(random);
      const { appHash } = references.get(scene.source) as RealRound;
      const planned = chooseKills(random);
      const round = await runRealRound(homes, scene, planned);
      total.rounds++;
      total.lives += round.lives;
      total.starts += round.starts;
      for (const { target, milestone } of round.kills) {
        count(target);
        count(`after ${milestone}`);
      }
      if (round.appHash !== appHash) round.alarms.push("the app hash is another one than undisturbed");
      const words = planned
        .map(({ target, milestone, millis }) => `${target} ${millis} ms after ${milestone}`)
        .join("; ");
      if (round.alarms.length > 0)
        fail(`round ${index} (${nameOf(scene)}; ${words}): ${round.alarms.join("; ")}`, round);
      onRound?.(total.rounds);
    }
  } finally {
    homes.end();
  }
  return { ...total, kills };
}
