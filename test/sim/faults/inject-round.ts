/**
 * One round of a failing disk: a process whose n-th call of a kind fails, once or for good, or finds the disk full. It
 * ends with the code for it and a record that says where the chain is; with a sound disk the home goes on.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { haltInLog } from "../../halt-line.js";
import { checkFiles, checkJsonFiles, checkState, type Damage } from "../checks.js";
import { type Committed, inspectDatabase } from "../inspect.js";
import type { Random } from "../random.js";
import { copyHome, type Reference, type Workshop } from "../reference.js";
import type { Step } from "../scenes.js";
import { runWorker, type WorkerEnd } from "../worker-process.js";
import type { Phase } from "./journal.js";
import { type FailMode, type FaultClass, type Faults, faultsEnvironment } from "./library.js";
import { chooseMoment } from "./recording.js";
import type { VerifierProcess } from "./verifier-process.js";

export interface InjectResult {
  readonly phase: Phase | undefined;
  /** Processes that ended by the fault. */
  readonly ended: number;
  /** Of them, those that LMDB aborted: see {@link isAbortOfLmdb}. */
  readonly aborts: number;
  readonly damage: readonly Damage[];
}

const EIO = 5;
const ENOSPC = 28;
const STORE_EXIT = 30;
const NO_RESERVE = "no space could be kept for halt.json";
const CLASSES: readonly FaultClass[] = ["write", "write", "sync", "create", "rename", "unlink", "truncate"];
const MODES: readonly FailMode[] = ["once", "lasting"];
/** Of the full disks, those on which the node is started once more. */
const STILL_FULL = 0.3;

export type InjectKind = "EIO" | "ENOSPC";

export async function runInjection(
  index: number,
  kind: InjectKind,
  random: Random,
  reference: Reference,
  shop: Workshop,
  verifier: VerifierProcess,
): Promise<InjectResult> {
  const home = join(shop.root, `inject-${index}`);
  copyHome(reference.prepared, home);
  try {
    return await new Injection(home, random, reference, shop, verifier).run(kind);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * When the system refuses one of its writes, lmdb 3.5.6 makes a text that is longer than the buffer for it, and the
 * process may be aborted by the code that frees what lies after it. A full disk is found before (lmdb-room.ts); a dying one cannot
 * be. Nothing of the block is committed then either, which the round goes on to check.
 */
function isAbortOfLmdb({ exit, isHanging, log }: WorkerEnd, fail: Fail): boolean {
  const isRefused = fail.class === "write" || fail.mode === "lasting";
  return exit === null && !isHanging && isRefused && log.includes("Write error: ");
}

type Fail = NonNullable<Faults["fail"]>;

class Injection {
  readonly #damage: Damage[] = [];
  #committed: Committed;
  #ended = 0;
  #aborts = 0;
  #phase: Phase | undefined;

  constructor(
    private readonly home: string,
    private readonly random: Random,
    private readonly reference: Reference,
    private readonly shop: Workshop,
    private readonly verifier: VerifierProcess,
  ) {
    this.#committed = reference.before;
  }

  async run(kind: InjectKind): Promise<InjectResult> {
    const { steps } = this.reference.scene;
    const main = this.random.below(steps.length);
    for (const [index, step] of steps.entries()) {
      if (index === main) {
        const fail = this.#choose(kind, index);
        if (fail && !(await this.#failing(step, fail))) return this.#result();
        const rest = steps.slice(index);
        await this.#goOn(rest);
        return this.#result();
      }
      const end = await this.#process(step, {});
      if (!step.exits.includes(end.exit ?? -1)) {
        this.#report("lost", `process ${index} ended with ${end.exit}: ${end.log}`);
        return this.#result();
      }
      this.#committed = inspectDatabase(this.home);
    }
    return this.#result();
  }

  #choose(kind: InjectKind, step: number): Fail | undefined {
    const recording = this.reference.steps[step]?.recording;
    if (!recording) return undefined;
    const isFull = kind === "ENOSPC";
    const of = isFull ? "write" : this.random.pick(CLASSES);
    const at = chooseMoment(recording, this.random, of);
    const change = at === undefined ? undefined : recording.changes[at];
    if (!change) return undefined;
    this.#phase = recording.phases[at as number];
    return {
      class: of,
      nth: change.nth,
      errno: isFull ? ENOSPC : EIO,
      mode: isFull ? "full" : this.random.pick(MODES),
    };
  }

  /** False when something is wrong. */
  async #failing(step: Step, fail: Fail): Promise<boolean> {
    const end = await this.#process(step, { ...faultsEnvironment({ root: this.home, fail }), ...step.env });
    this.#look(step, end, fail);
    if (fail.mode === "full" && end.exit === STORE_EXIT && this.random.chance(STILL_FULL)) {
      const still: Fail = { class: "write", nth: 0, errno: ENOSPC, mode: "full" };
      this.#look(step, await this.#process(step, faultsEnvironment({ root: this.home, fail: still })), still);
    }
    return this.#damage.length === 0;
  }

  /** With a sound disk, to the same end. */
  async #goOn(steps: readonly Step[]): Promise<void> {
    const { home, shop } = this;
    const rest = steps.map(({ args, exits }) => ({ args, exits }));
    try {
      const { after, problem } = await this.verifier.verify({ home, handlers: shop.handlers, steps: rest });
      if (problem !== undefined) this.#report("lost", problem);
      else if (after.dump !== this.reference.after.dump) {
        this.#report("diverged", "the database differs from the undisturbed one");
      }
    } catch (error) {
      this.#report("lost", error instanceof Error ? error.message : String(error));
    }
  }

  #process(step: Step, env: Readonly<Record<string, string>>): Promise<WorkerEnd> {
    const { worker, handlers } = this.shop;
    return runWorker({ worker, home: this.home, handlers, args: step.args, env: { ...step.env, ...env } });
  }

  #look(step: Step, end: WorkerEnd, fail: Fail): void {
    const what = `${fail.class} ${fail.nth} fails (${fail.errno}, ${fail.mode}): `;
    const committed = inspectDatabase(this.home);
    const isAbort = isAbortOfLmdb(end, fail);
    if (isAbort) this.#aborts++;
    const isOther = !isAbort && end.exit !== STORE_EXIT && !step.exits.includes(end.exit ?? -1);
    if (isOther) this.#report("lost", `${what}ended with ${end.exit}: ${end.log}`);
    const damage = checkState(this.reference, this.#committed, committed, end.blocks);
    damage.push(...checkJsonFiles(this.home));
    if (end.exit === STORE_EXIT) {
      this.#ended++;
      const code = fail.mode === "full" ? '"code":"UPG_STORE_FULL"' : '"code":"UPG_STORE_';
      // Where not even the lock could be taken, nobody may write a record.
      const hasRecord = haltInLog(end.log) !== undefined;
      if (!end.log.includes(hasRecord ? code : code.slice(8, -1)))
        damage.push({ kind: "lost", what: `no ${code}: ${end.log}` });
      // A disk that refuses everything takes no record and gives back none; nor does one without room for the first reserve.
      const isRefused = fail.mode === "lasting" || (fail.mode === "full" && end.log.includes(NO_RESERVE));
      if (hasRecord && !isRefused) {
        const { scene } = this.reference;
        damage.push(...checkFiles(this.home, { scene, torn: undefined, committed, end, isKilled: false }));
      }
    }
    for (const each of damage) this.#report(each.kind, what + each.what);
    this.#committed = committed;
  }

  #result(): InjectResult {
    return { phase: this.#phase, ended: this.#ended, aborts: this.#aborts, damage: this.#damage };
  }

  #report(kind: Damage["kind"], what: string): void {
    this.#damage.push({ kind, what });
  }
}
