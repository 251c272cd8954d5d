/** Stages a plan as soon as it is known, beside the node, and keeps on trying until everything is there. */
import { join } from "node:path";
import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import { Home } from "../../node/home/home.js";
import { fingerprint, type Program } from "../../node/programs/layout.js";
import type { UpgradeInfo } from "../../upgrade/module/upgrade-info.js";
import { freshMillis, isLacking, isReady } from "../decide/readiness.js";
import { BEFORE_HEIGHT, type Phase, type Readiness, type StatusBoard } from "../decide/status.js";
import { partFolderOf } from "../download/part.js";
import { isLasting } from "../download/refusal.js";
import { isShort } from "./home-readiness.js";
import { isPreparing, layoutOf, PREPARE_SUFFIX, type StagePlanOptions, stagePlan } from "./stage-plan.js";
import { handlersPrint, watchedPrint } from "./watched-files.js";

export interface StagingOptions extends Pick<StagePlanOptions, "settings" | "machine" | "env" | "log"> {
  readonly board: StatusBoard;
}

const OWN_FINDINGS: ReadonlySet<Readiness["what"]> = new Set([
  ...([
    "program",
    "checksum",
    "handler",
    "pre-upgrade",
    "rehearsal",
    "current",
    "script",
    "disk",
    "plan",
    "files",
    "sidecar",
  ] as const),
]);
/** Before the second attempt; twice as long before each one after it. */
const RETRY_MILLIS = 1_000;
const RETRY_MILLIS_MAX = 60_000;
/** While the node makes no block without it. */
const HURRY_MILLIS_MAX = 5_000;
/** After an answer that the same bytes give again: another checksum, an archive without the program. */
const LASTING_MILLIS_MAX = 3_600_000;
/** What the node waits for at its height is reported again and again. */
const REPORT_MILLIS = 60_000;
/** What is there is looked at again: files come by other hands too. */
const LOOK_MILLIS = 1_000;

export class Staging {
  #plan: UpgradeInfo | undefined;
  #chain: UpgradeInfo | undefined;
  #readiness: readonly Readiness[] = [];
  #ending = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #isTrying = false;
  #wasAsked = false;
  #isHurried = false;
  #askedPrint: string | undefined;
  #reportedAt = 0;
  /** The last attempt failed for what was published: no network's failure. */
  #isLasting = false;

  constructor(private readonly options: StagingOptions) {}

  /**
   * The plan that comes first now; the same again changes nothing, another one ends what is done for the one before it.
   * @param chain the plan that the node has scheduled, which an operator's may contradict
   */
  plan(info: UpgradeInfo | undefined, chain?: UpgradeInfo): void {
    this.#chain = chain;
    const before = this.#plan;
    const isSame = info?.name === before?.name && info?.height === before?.height && info?.info === before?.info;
    // What plans of before this process have left.
    if (isSame && !this.#wasAsked) this.#removeLeftovers(info);
    this.#wasAsked = true;
    if (isSame) return;
    this.#plan = info;
    this.#isHurried = false;
    this.#readiness = info ? this.#atFirst(info) : [];
    this.#showReadiness();
    this.#ending.abort(new Error("another plan is scheduled"));
    const ending = new AbortController();
    this.#ending = ending;
    this.#loop = this.#loop.then(() => this.#run(info, ending.signal));
  }

  /** Its height is reached: the next attempt is made soon, and so are those after it. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** What the program reported by its `pre-upgrade`, as its file is now; undefined: it was not asked since the file changed. */
  asked({ file }: Pick<Program, "file">): Readiness | undefined {
    const print = fingerprint(file, this.options.machine.files);
    if (print === undefined || print !== this.#askedPrint) return undefined;
    return this.#readiness.find(({ what }) => what === "pre-upgrade");
  }

  readiness(): readonly Readiness[] {
    return this.#readiness;
  }

  /** Something is fetched or asked at this moment. */
  get isTrying(): boolean {
    return this.#isTrying;
  }

  /** Ends what is under way, so that two do not fetch one file: at the height the run loop does the rest. Never rejects. */
  async close(): Promise<void> {
    this.#plan = undefined;
    this.#ending.abort(new Error("the sidecar ended it"));
    await this.#loop;
  }

  async #run(plan: UpgradeInfo | undefined, signal: AbortSignal): Promise<void> {
    this.#removeLeftovers(plan);
    if (!plan) return this.#show(undefined);
    for (let failures = 0; !signal.aborted; ) {
      let before = this.#seen(plan);
      this.#isTrying = true;
      const hasFetched = await this.#try(plan, signal);
      this.#isTrying = false;
      // What came from elsewhere during the attempt may not have been judged.
      if (hasFetched) before = this.#seen(plan);
      if (signal.aborted) return;
      const isDone = isReady(this.#readiness);
      failures = isDone ? 0 : failures + 1;
      const pause = RETRY_MILLIS * 2 ** Math.max(0, failures - 1);
      await this.#untilChanged(plan, before, isDone ? undefined : pause, signal);
      if (isDone && !signal.aborted && this.#seen(plan) !== before) this.#doubt(plan);
    }
  }

  /** What was found of the files before they changed says nothing of them now. */
  #doubt(plan: UpgradeInfo): void {
    const detail = `a file of "${plan.name}" has changed: the program is tried again`;
    this.#readiness = [
      { what: "program", state: "unknown", detail, next: null },
      ...this.#readiness.filter(({ what }) => what !== "program"),
    ];
    this.#show(plan);
  }

  /**
   * Settles when the program's file is another one than it was, a handler has come or gone, or the time is over.
   * @param before what was seen when the attempt began
   * @param pause undefined: all is in order, as long as such a finding is fresh
   */
  async #untilChanged(
    plan: UpgradeInfo,
    before: string,
    pause: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const now = () => this.options.machine.clock.now();
    const begun = now();
    const passing = () => (this.#isHurried ? HURRY_MILLIS_MAX : RETRY_MILLIS_MAX);
    const millis = () =>
      pause === undefined
        ? freshMillis(this.options.board.current.eta)
        : Math.min(pause, this.#isLasting ? LASTING_MILLIS_MAX : passing());
    const left = () => begun + millis() - now();
    while (!signal.aborted && left() > 0 && this.#seen(plan) === before) {
      await this.options.machine.clock.sleep(Math.min(LOOK_MILLIS, Math.max(1, left())), signal);
      this.#remind();
    }
  }

  /** Until it was judged: a file that is there may be anything. */
  #atFirst(plan: UpgradeInfo): readonly Readiness[] {
    const isThere = this.#print(plan) !== undefined;
    const detail = isThere
      ? `the program of "${plan.name}" is in its place, and has not been tried yet`
      : `the program of "${plan.name}" is not in its place yet`;
    return [{ what: "program", state: isThere ? "unknown" : "missing", detail, next: null }];
  }

  #print({ name }: UpgradeInfo): string | undefined {
    try {
      return this.options.machine.files.facts(layoutOf(this.options).of(name).file)?.print;
    } catch {
      return undefined; // The attempt reports it.
    }
  }

  #seen(plan: UpgradeInfo): string {
    const { machine, settings } = this.options;
    try {
      const handlers = handlersPrint(machine.files, settings.home);
      const rehearsal = machine.files.facts(new Home(settings.home).rehearsalFile(plan.name))?.print;
      const isFull = isShort(machine.files, settings.home);
      const watched = watchedPrint(machine.files, settings, layoutOf(this.options).of(plan.name).file);
      const chain = `${this.#chain?.name} ${this.#chain?.height}`;
      return JSON.stringify([watched, handlers, rehearsal, isFull, chain]);
    } catch {
      return "";
    }
  }

  /** What was fetched of plans that are no longer scheduled. */
  #removeLeftovers(plan: UpgradeInfo | undefined): void {
    const { files } = this.options.machine;
    const folder = join(this.options.settings.root, "upgrades");
    try {
      const part = plan && partFolderOf(layoutOf(this.options).of(plan.name).folder ?? "");
      const kept = part === undefined ? [] : [part, part + PREPARE_SUFFIX];
      const isOver = (name: string) => name.endsWith(partFolderOf("")) || this.#isOfPrepare(name);
      for (const name of files.list(folder) ?? []) {
        if (isOver(name) && !kept.includes(`upgrades/${name}`)) files.remove(join(folder, name));
      }
    } catch (error) {
      this.options.log("warn", `leftovers of downloads in ${folder} are not removed: ${messageOf(error)}`);
    }
  }

  /** What an earlier `prepare` has left; not of one that is at work. */
  #isOfPrepare(name: string): boolean {
    return name.endsWith(partFolderOf("") + PREPARE_SUFFIX) && !isPreparing(this.options.settings);
  }

  /** Returns whether something was fetched. */
  async #try(plan: UpgradeInfo, signal: AbortSignal): Promise<boolean> {
    const { board, log } = this.options;
    let hasFetched = false;
    const onProgress = (what: string, done: number, total: number | undefined) => {
      this.#phase("downloading");
      board.update({ progress: { what, done: String(done), total: total === undefined ? null : String(total) } });
    };
    try {
      const height = board.current.height?.value;
      const known = { chain: this.#chain, last: height === undefined ? undefined : BigInt(height) };
      const { readiness, bytes, error } = await stagePlan({ ...this.options, ...known, plan, signal, onProgress });
      this.#isLasting = isUpgradeError(error) && isLasting(error.code);
      hasFetched = bytes > 0;
      if (signal.aborted) return hasFetched;
      board.count("downloadBytes", bytes);
      this.#report(readiness);
      this.#askedPrint = this.#print(plan);
    } catch (error) {
      log("warn", `the plan "${plan.name}" is not staged: ${messageOf(error)}`);
    } finally {
      board.update({ progress: null });
    }
    if (!signal.aborted) this.#show(plan);
    return hasFetched;
  }

  /** Each change once: a line that comes every minute is not read. */
  #report(readiness: readonly Readiness[]): void {
    const before = new Set(this.#readiness.map(({ what, state, detail }) => `${what} ${state} ${detail}`));
    this.#readiness = readiness;
    this.#reportedAt = this.options.machine.clock.now();
    for (const each of readiness) {
      const { what, state, detail } = each;
      if (before.has(`${what} ${state} ${detail}`)) continue;
      this.options.log(isLacking(each) ? "warn" : "info", `${what} ${state}: ${detail}`);
    }
  }

  /** Of what the node waits for at its height. */
  #remind(): void {
    const { machine, log } = this.options;
    if (!this.#isHurried || machine.clock.now() - this.#reportedAt < REPORT_MILLIS) return;
    this.#reportedAt = machine.clock.now();
    for (const { what, state, detail } of this.#readiness.filter(isLacking)) log("warn", `${what} ${state}: ${detail}`);
  }

  #show(plan: UpgradeInfo | undefined): void {
    this.#showReadiness();
    const lacking = this.#isHurried ? "halted" : "waiting";
    this.#phase(plan === undefined ? "running" : isReady(this.#readiness) ? "ready" : lacking);
  }

  /** Beside what others found. */
  #showReadiness(): void {
    const { board } = this.options;
    const others = board.current.readiness.filter(({ what }) => !OWN_FINDINGS.has(what));
    board.update({ readiness: [...this.#readiness, ...others] });
  }

  #phase(phase: Phase): void {
    // In other phases the run loop is at work.
    if (BEFORE_HEIGHT.has(this.options.board.current.phase)) this.options.board.update({ phase });
  }
}
