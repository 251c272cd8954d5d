/** One round: a whole upgrade, or two, with mishaps; at the end the chain is where an undisturbed run is, and nothing was wrong on the way. */
import { listBackups } from "../../../host/visor/backup/list.js";
import { problemIn } from "../../../host/visor/backup/manifest.js";
import type { Random } from "../../sim/random.js";
import { type Death, type Journal, type Mishap, Mishaps } from "./mishaps.js";
import { type ProgramName, programIn, type ScheduledPlan } from "./model-chain.js";
import type { ModelServer } from "./model-server.js";
import { environmentOf, lastHeight, makeWorld, plansOf, type Scene } from "./scene.js";
import { Life } from "./sidecar.js";
import { DATA, HOME, NAME, ROOT, stateAt, type World } from "./world.js";

export interface RoundOptions {
  readonly scene: Scene;
  readonly server: ModelServer | undefined;
  readonly random: Random;
  readonly mishaps: readonly Mishap[];
}

export interface RoundResult {
  readonly alarms: readonly string[];
  /** Of the blocks, in hex. */
  readonly hashes: readonly string[];
  readonly journal: Journal;
  readonly hit: readonly Mishap[];
  readonly lives: number;
  readonly millis: number;
  /** Of the sidecar, by its own will, before it was stopped. */
  readonly exits: readonly number[];
  /** The lines of all lives, for a failing seed. */
  readonly log: readonly string[];
}

/** Of a service manager. */
const RESTART_MILLIS = 1_000;
const ROUND_MILLIS_MAX = 3_600_000;
/** More than the errors that a round may have: each may cost one. */
const LIVES_MAX = 160;
const STOP_MILLIS_MAX = 120_000;
/** CHAINVISOR_BACKUPS_KEPT, which no round sets. */
const BACKUPS_KEPT = 2;

export async function runRound(options: RoundOptions): Promise<RoundResult> {
  return new Round(options).run();
}

class Round {
  readonly #plans: readonly ScheduledPlan[];
  readonly #world: World;
  readonly #mishaps: Mishaps;
  readonly #log: string[] = [];
  readonly #exits: number[] = [];
  readonly #hit: Mishap[] = [];
  #lives = 0;
  #life: Life | undefined;

  constructor(private readonly options: RoundOptions) {
    const { scene, server, mishaps } = options;
    this.#plans = plansOf(scene, server);
    this.#world = makeWorld(scene, this.#plans);
    server?.reset();
    this.#mishaps = new Mishaps(mishaps);
    for (const mishap of mishaps) if (mishap.at === "moment") void this.#atMoment(mishap);
  }

  get #isThere(): boolean {
    return this.#world.chain.height >= lastHeight(this.#plans);
  }

  async run(): Promise<RoundResult> {
    const world = this.#world;
    try {
      while (!this.#isThere && this.#lives < LIVES_MAX) await this.#live();
      if (!this.#isThere) world.alarm(`not upgraded in ${LIVES_MAX} lives of the sidecar`);
      await this.#stop();
      this.#verify();
      if (this.options.scene.isBackedUp) await this.#verifyBackups();
    } catch (error) {
      world.alarm(error instanceof Error ? error.message : String(error));
    }
    for (const app of world.apps) app.kill("SIGKILL");
    const { alarms, chain, clock } = world;
    const hit = [...this.#hit, ...this.#mishaps.hit];
    return {
      ...{ alarms, hashes: [...chain.hashes.values()], journal: this.#mishaps.journal, hit, log: this.#log },
      ...{ lives: this.#lives, millis: clock.now(), exits: this.#exits },
    };
  }

  /** A life of the sidecar, and the moment until the service manager begins the next one. */
  async #live(): Promise<void> {
    const { clock } = this.#world;
    const life = this.#begin();
    await this.#until(() => life.isOver || this.#isThere, ROUND_MILLIS_MAX);
    if (!life.isOver) return;
    if (life.exit !== undefined) this.#exits.push(life.exit);
    this.#end(life);
    const over = clock.now() + RESTART_MILLIS;
    void clock.sleep(RESTART_MILLIS);
    await this.#until(() => clock.now() >= over, ROUND_MILLIS_MAX);
  }

  #begin(): Life {
    const world = this.#world;
    this.#lives++;
    this.#log.push(`-- life ${this.#lives}, ${world.clock.now() / 1_000} s, height ${world.chain.height}`);
    const life: Life = new Life({
      ...{ world, env: environmentOf(this.options.scene) },
      interfere: (call, path) => this.#mishaps.at(call, path, (death) => this.#dying(death)),
      onDeath: () => this.#afterDeath(),
    });
    this.#life = life;
    return life;
  }

  #end(life: Life): void {
    this.#log.push(...life.log, `-- ${life.exit === undefined ? "dead" : `exit ${life.exit}`}`);
    if (this.#life === life) this.#life = undefined;
  }

  #death: Death = "sidecar";

  #dying(death: Death): void {
    this.#death = death;
  }

  #afterDeath(): void {
    const world = this.#world;
    const death = this.#death;
    if (death === "sidecar") return;
    for (const app of world.apps) app.kill("SIGKILL");
    if (death === "power") world.disk.losePower(this.options.random);
  }

  async #atMoment(mishap: Extract<Mishap, { at: "moment" }>): Promise<void> {
    await this.#world.clock.sleep(mishap.millis);
    if (this.#isThere) return;
    this.#hit.push(mishap);
    if (mishap.effect === "node") {
      this.#world.holder?.kill("SIGKILL");
      return;
    }
    this.#death = mishap.effect;
    if (this.#life && !this.#life.isOver) this.#life.kill();
    else this.#afterDeath();
  }

  #until(isOver: () => boolean, millisMax: number): Promise<void> {
    return this.#world.clock.until(isOver, millisMax);
  }

  /** In order: the node ends with the sidecar, whatever was before. */
  async #stop(): Promise<void> {
    const life = this.#life ?? this.#begin();
    // One that is in the middle of something else than a run has the node first.
    await this.#until(() => life.isOver || this.#world.holder !== undefined, STOP_MILLIS_MAX);
    life.signal("SIGTERM");
    await this.#until(() => life.isOver, STOP_MILLIS_MAX);
    this.#end(life);
    const { apps } = this.#world;
    if (life.exit !== 0) this.#world.alarm(`SIGTERM → exit ${life.exit}`);
    if (apps.size > 0) this.#world.alarm(`${apps.size} processes were left running`);
  }

  #verify(): void {
    const world = this.#world;
    const last = this.#plans.at(-1)?.name ?? "";
    const current = world.disk.find(`${ROOT}/current`, false);
    const target = current?.kind === "link" ? new TextDecoder().decode(current.bytes) : "no link";
    if (target !== `upgrades/${last}`) world.alarm(`current leads to ${target}`);
    for (const { name, height } of this.#plans) {
      const folder = `${ROOT}/upgrades/${name}`;
      const program = programIn(world.files.read(`${folder}/bin/${NAME}`) ?? new Uint8Array());
      if (program !== (name as ProgramName)) world.alarm(`the program of ${name} is ${program ?? "torn"}`);
      const info = JSON.parse(world.files.text(`${folder}/upgrade-info.json`) ?? "{}") as { height?: number };
      if (info.height !== Number(height)) world.alarm(`upgrade-info.json of ${name} has the height ${info.height}`);
    }
  }

  /** Of each upgrade there is one that is whole, with the state of the height before, unless as many of later ones are kept. */
  async #verifyBackups(): Promise<void> {
    const { files, stateFile, alarms } = this.#world;
    const { signal } = new AbortController();
    const backups = listBackups(files, HOME).flatMap(({ folder, manifest }) =>
      manifest ? [{ folder, manifest }] : [],
    );
    for (const { name, height } of this.#plans) {
      const ofPlan = backups.filter(({ manifest }) => manifest.plan.name === name);
      const later = backups.filter(({ manifest }) => BigInt(manifest.plan.height) > height);
      if (ofPlan.length === 0 && later.length < BACKUPS_KEPT) this.#world.alarm(`there is no backup before ${name}`);
      for (const { folder, manifest } of ofPlan) {
        const problem = await problemIn(files, folder, manifest, signal);
        const state = files.text(stateFile.replace(DATA, folder));
        if (problem !== undefined || state !== stateAt(height - 1n)) {
          alarms.push(`the backup ${folder} is wrong: ${problem ?? state?.slice(0, 30)}`);
        }
      }
    }
  }
}
