/** Stages a plan as soon as it is known, beside the node, and keeps on trying until everything is there. */
import { join } from "node:path";
import { partFolderOf } from "../../download/part.js";
import { messageOf } from "../../errors.js";
import type { UpgradeInfo } from "../../upgrade/upgrade-info.js";
import type { Phase, Readiness, StatusBoard } from "../status.js";
import { layoutOf, type StagePlanOptions, stagePlan } from "./stage-plan.js";

export interface StagingOptions extends Pick<StagePlanOptions, "settings" | "machine" | "env" | "log"> {
  readonly board: StatusBoard;
}

/** The phases that say how far the staging is; in others the run loop is at work. */
const OWN_PHASES: ReadonlySet<Phase> = new Set(["running", "waiting", "downloading", "ready"]);
const RETRY_MILLIS = 10_000;
const RETRY_MILLIS_MAX = 300_000;
/** What is there is looked at again: files come by other hands too. */
const LOOK_MILLIS = 5_000;

export class Staging {
  #plan: UpgradeInfo | undefined;
  #readiness: readonly Readiness[] = [];
  #ending = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #attempt: Promise<void> = Promise.resolve();

  constructor(private readonly options: StagingOptions) {}

  /** The plan that is scheduled now; the same again changes nothing, another one ends what is done for the one before it. */
  plan(info: UpgradeInfo | undefined): void {
    const before = this.#plan;
    const isSame = info?.name === before?.name && info?.height === before?.height && info?.info === before?.info;
    if (isSame) return;
    this.#plan = info;
    this.#readiness = [];
    this.#ending.abort(new Error("another plan is scheduled"));
    const ending = new AbortController();
    this.#ending = ending;
    this.#loop = this.#loop.then(() => this.#run(info, ending.signal));
  }

  readiness(): readonly Readiness[] {
    return this.#readiness;
  }

  /** Settles when no attempt is under way, so that two do not fetch one file; never rejects. */
  async settled(): Promise<void> {
    await this.#attempt;
  }

  /** Ends what is under way: at the height the run loop does the rest itself. Never rejects. */
  async close(): Promise<void> {
    this.#ending.abort(new Error("the sidecar ends the download"));
    await this.#loop;
  }

  async #run(plan: UpgradeInfo | undefined, signal: AbortSignal): Promise<void> {
    this.#removeLeftovers(plan);
    if (!plan) return this.#show(undefined);
    const { clock } = this.options.machine;
    for (let failures = 0; !signal.aborted; ) {
      const attempt = this.#try(plan, signal);
      this.#attempt = attempt;
      await attempt;
      if (signal.aborted) return;
      const isReady = this.#readiness.every(({ state }) => state !== "missing" && state !== "wrong");
      failures = isReady ? 0 : failures + 1;
      const pause = Math.min(RETRY_MILLIS * 2 ** Math.max(0, failures - 1), RETRY_MILLIS_MAX);
      await this.#untilChanged(plan, isReady ? Number.POSITIVE_INFINITY : pause, signal, () => clock.now());
    }
  }

  /** Settles when the program's file is another one than it was, or the time is over. */
  async #untilChanged(plan: UpgradeInfo, millis: number, signal: AbortSignal, now: () => number): Promise<void> {
    const before = this.#print(plan);
    const end = now() + millis;
    while (!signal.aborted && now() < end && this.#print(plan) === before) {
      await this.options.machine.clock.sleep(Math.min(LOOK_MILLIS, Math.max(1, end - now())), signal);
    }
  }

  #print({ name }: UpgradeInfo): string | undefined {
    try {
      return this.options.machine.files.facts(layoutOf(this.options).of(name).file)?.print;
    } catch {
      return undefined; // The attempt reports it.
    }
  }

  /** What was fetched of plans that are no longer scheduled. */
  #removeLeftovers(plan: UpgradeInfo | undefined): void {
    const { files } = this.options.machine;
    const folder = join(this.options.settings.root, "upgrades");
    try {
      const kept = plan && partFolderOf(layoutOf(this.options).of(plan.name).folder ?? "");
      for (const name of files.list(folder) ?? []) {
        if (name.endsWith(partFolderOf("")) && `upgrades/${name}` !== kept) files.remove(join(folder, name));
      }
    } catch (error) {
      this.options.log("warn", `leftovers of downloads in ${folder} are not removed: ${messageOf(error)}`);
    }
  }

  async #try(plan: UpgradeInfo, signal: AbortSignal): Promise<void> {
    const { board, log } = this.options;
    const onProgress = (what: string, done: number, total: number | undefined) => {
      this.#phase("downloading");
      board.update({ progress: { what, done: String(done), total: total === undefined ? null : String(total) } });
    };
    try {
      const { readiness, bytes } = await stagePlan({ ...this.options, plan, signal, onProgress });
      if (signal.aborted) return;
      board.count("downloadBytes", bytes);
      this.#report(readiness);
    } catch (error) {
      log("warn", `the plan "${plan.name}" is not staged: ${messageOf(error)}`);
    } finally {
      board.update({ progress: null });
    }
    if (!signal.aborted) this.#show(plan);
  }

  /** Each change once: a line that comes every minute is not read. */
  #report(readiness: readonly Readiness[]): void {
    const before = new Set(this.#readiness.map(({ what, state, detail }) => `${what} ${state} ${detail}`));
    this.#readiness = readiness;
    for (const { what, state, detail } of readiness) {
      if (before.has(`${what} ${state} ${detail}`)) continue;
      const isBad = state === "missing" || state === "wrong";
      this.options.log(isBad ? "warn" : "info", `${what} ${state}: ${detail}`);
    }
  }

  #show(plan: UpgradeInfo | undefined): void {
    const isReady = this.#readiness.every(({ state }) => state !== "missing" && state !== "wrong");
    this.options.board.update({ readiness: this.#readiness });
    this.#phase(plan === undefined ? "running" : isReady ? "ready" : "waiting");
  }

  #phase(phase: Phase): void {
    if (OWN_PHASES.has(this.options.board.current.phase)) this.options.board.update({ phase });
  }
}
