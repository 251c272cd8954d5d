/** One round with processes: an upgrade under `chainvisor`, with kills at seeded moments, started again until its height is passed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../sim/random.js";
import { isReached, MILESTONES, type Milestone } from "./milestones.js";
import { recordedStarts } from "./programs.js";
import { HALT_HEIGHT, type Homes, isLower, type RealHome, SOURCES, type Source } from "./real-home.js";
import { RealSidecar, TARGETS, type Target } from "./real-sidecar.js";

export interface RealScene {
  readonly source: Source;
  readonly isBackedUp: boolean;
}

export interface Kill {
  readonly target: Target;
  readonly milestone: Milestone;
  /** After it was seen; at the earliest after the start of the sidecar, or the kill before this one. */
  readonly millis: number;
}

export interface RealRound {
  readonly alarms: string[];
  /** Those that had something to kill. */
  readonly kills: readonly Kill[];
  readonly lives: number;
  readonly starts: number;
  readonly appHash: string;
  readonly log: string;
}

/** The node ends with it at its own --halt-height. */
const HALTED = 13;
const LIVES_MAX = 12;
const LIFE_MILLIS_MAX = 120_000;
const LOOK_MILLIS = 5;
const KILLS_MAX = 3;
const KILL_MILLIS_MAX = 250;

export const chooseScene = (random: Random): RealScene => ({
  source: random.pick(SOURCES),
  isBackedUp: random.chance(0.5),
});

/** Milestones come in their order, so that one kill does not use up the round. */
export function chooseKills(random: Random): Kill[] {
  const places = Array.from({ length: 1 + random.below(KILLS_MAX) }, () => random.below(MILESTONES.length));
  places.sort((one, other) => one - other);
  return places.map((at) => ({
    target: random.pick(TARGETS),
    milestone: MILESTONES[at] as Milestone,
    millis: random.below(KILL_MILLIS_MAX),
  }));
}

export async function runRealRound(homes: Homes, scene: RealScene, kills: readonly Kill[]): Promise<RealRound> {
  const home = homes.make(scene.source);
  const round = new Round(home, scene, kills);
  try {
    return await round.run();
  } finally {
    round.endAll();
    home.remove();
  }
}

class Round {
  readonly #alarms = new Set<string>();
  readonly #kills: Kill[] = [];
  #log = "";
  #lives = 0;
  /** Of the kills that are planned. */
  #next = 0;
  #sidecar: RealSidecar | undefined;
  #signed: RealHome["lastSigned"];

  constructor(
    private readonly home: RealHome,
    private readonly scene: RealScene,
    private readonly planned: readonly Kill[],
  ) {}

  async run(): Promise<RealRound> {
    let exit: number | null = null;
    while (exit !== HALTED && this.#lives < LIVES_MAX) exit = await this.#live();
    if (exit !== HALTED) this.#alarms.add(`not upgraded in ${LIVES_MAX} lives of the sidecar`);
    if (this.#sidecar?.leftRunning) this.#alarms.add("a node was left running");
    const { height, appHash } = this.home.last;
    if (height !== HALT_HEIGHT - 1n) this.#alarms.add(`the chain has ended at height ${height}`);
    if (!this.home.isUpgraded) this.#alarms.add("there is no receipt of the upgrade");
    const starts = this.#verifyStarts();
    return {
      ...{ alarms: [...this.#alarms], kills: this.#kills, lives: this.#lives, starts, appHash, log: this.#log },
    };
  }

  endAll(): void {
    this.#sidecar?.kill("both");
  }

  /** @returns how the sidecar has ended; null: killed */
  async #live(): Promise<number | null> {
    this.#lives++;
    const sidecar = new RealSidecar({ home: this.home, ...this.scene });
    this.#sidecar = sidecar;
    const begun = performance.now();
    let since = begun;
    while (!sidecar.hasEnded) {
      await sleep(LOOK_MILLIS);
      this.#look();
      const now = performance.now();
      const kill = this.planned[this.#next];
      if (!kill || !isReached(this.home.path, kill.milestone)) since = now;
      else if (now - since >= kill.millis) {
        this.#next++;
        since = now;
        if (sidecar.kill(kill.target)) this.#kills.push(kill);
      }
      if (now - begun > LIFE_MILLIS_MAX) {
        this.#alarms.add("the sidecar hangs");
        sidecar.kill("both");
      }
    }
    const exit = await sidecar.ended;
    this.#look();
    this.#log += `-- life ${this.#lives}, exit ${exit ?? "killed"}\n${sidecar.log}`;
    if (exit !== null && exit !== HALTED) this.#alarms.add(`the sidecar has ended with ${exit}`);
    return exit;
  }

  /** What was signed never becomes less. */
  #look(): void {
    const now = this.home.lastSigned;
    if (now === undefined) {
      if (this.#signed) this.#alarms.add("priv_validator_state.json is gone");
      return;
    }
    if (this.#signed && isLower(now, this.#signed))
      this.#alarms.add(`signed ${now.height} after ${this.#signed.height}`);
    this.#signed = now;
  }

  /** Version 1, then version 2, and none beside another or too early. */
  #verifyStarts(): number {
    const starts = recordedStarts(this.home.path);
    const versions = starts.map(({ version }) => version).join(" ");
    if (!/^(v1 )+v2( v2)*$/.test(versions)) this.#alarms.add(`programs were started in the order ${versions}`);
    for (const { version, wrong } of starts) if (wrong !== "") this.#alarms.add(`${version} was started ${wrong}`);
    return starts.length;
  }
}
