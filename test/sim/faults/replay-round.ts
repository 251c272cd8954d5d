/**
 * One round of replay: the power goes at a moment of a recorded process; a disk as it may be then is made of the
 * journal, looked at, and gone on with. It must hold everything that was said to be made, and come to the same end.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { haltInLog } from "../../halt-line.js";
import { checkFiles, checkJsonFiles, checkState, type Damage } from "../checks.js";
import { inspectDatabase } from "../inspect.js";
import type { Random } from "../random.js";
import { copyHome, type Reference, type Workshop } from "../reference.js";
import { blocksIn, runWorker } from "../worker-process.js";
import { type Crash, diskAt, LUCKS } from "./disk.js";
import { type Phase, saidBefore } from "./journal.js";
import { chooseMoment, type Recording } from "./recording.js";
import type { VerifierProcess } from "./verifier-process.js";

export interface ReplayResult {
  readonly phase: Phase | undefined;
  readonly damage: readonly Damage[];
}

/** How many of the rounds go on with real processes; the others do it in the verifier, by the same code. */
const BY_PROCESS = 0.04;
/** Power that goes after the process has said all that it says. */
const AT_THE_END = 0.15;
const UPGRADE_NEEDED = "UPG_HALT_UPGRADE_NEEDED";

export async function runReplay(
  index: number,
  random: Random,
  reference: Reference,
  shop: Workshop,
  verifier: VerifierProcess,
): Promise<ReplayResult> {
  const step = random.below(reference.scene.steps.length);
  const recording = reference.steps[step]?.recording;
  const end = recording?.changes.length ?? 0;
  const at = random.chance(AT_THE_END) ? end : recording && chooseMoment(recording, random);
  if (!recording || at === undefined || end === 0) return { phase: undefined, damage: [] };
  const home = join(shop.root, `replay-${index}`);
  const crash: Crash = { at, luck: random.pick(LUCKS) };
  const phase = recording.phases[at] ?? "after";
  try {
    diskAt(recording.before, recording.home, recording.changes, at).write(home, random, crash.luck);
    const isByProcess = random.chance(BY_PROCESS);
    const damage = await new Replay(home, step, recording, crash, reference, shop, verifier).run(isByProcess);
    const where = `replayed to change ${at} of ${recording.changes.length} (${phase}) of process ${step}, of the unsynced ${crash.luck}: `;
    return { phase, damage: damage.map(({ kind, what }) => ({ kind, what: where + what })) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

class Replay {
  readonly #said: string;

  constructor(
    private readonly home: string,
    private readonly step: number,
    recording: Recording,
    crash: Crash,
    private readonly reference: Reference,
    private readonly shop: Workshop,
    private readonly verifier: VerifierProcess,
  ) {
    this.#said = saidBefore(recording.changes, crash.at);
  }

  async run(isByProcess: boolean): Promise<Damage[]> {
    const files = this.#checkFiles();
    const state = await (isByProcess ? this.#byProcess() : this.#byVerifier());
    return [...files, ...state];
  }

  /** What was said is there: a record that was printed, and the file that a halt promises. */
  #checkFiles(): Damage[] {
    const { scene } = this.reference;
    const damage = checkJsonFiles(this.home);
    const record = haltInLog(this.#said);
    const committed = { height: 0n, hashes: new Map(), digests: new Map(), dump: "", problems: [] };
    const isHalted = record?.["code"] === UPGRADE_NEEDED;
    const end = {
      exit: isHalted ? 10 : null,
      isHanging: false,
      milliseconds: 0,
      blocks: new Map(),
      log: this.#said,
      upgradeMillis: 0,
    };
    damage.push(...checkFiles(this.home, { scene, torn: undefined, committed, end, isKilled: !isHalted, record }));
    return damage;
  }

  async #byVerifier(): Promise<Damage[]> {
    const { reference, home, shop } = this;
    const steps = reference.scene.steps.slice(this.step).map(({ args, exits }) => ({ args, exits }));
    try {
      const { found, after, problem } = await this.verifier.verify({ home, handlers: shop.handlers, steps });
      const damage = checkState(reference, this.#before(), found, blocksIn(this.#said));
      if (problem !== undefined) damage.push({ kind: "lost", what: problem });
      else if (after.dump !== reference.after.dump) damage.push(DIFFERS);
      return damage;
    } catch (error) {
      return [{ kind: "lost", what: error instanceof Error ? error.message : String(error) }];
    }
  }

  async #byProcess(): Promise<Damage[]> {
    const { reference, home, shop } = this;
    // A disk that no database is left of is looked at by a process too, and not by this one.
    const end = { damage: [] as Damage[] };
    for (const step of reference.scene.steps.slice(this.step)) {
      const { worker, handlers } = shop;
      const ended = await runWorker({ worker, home, handlers, args: step.args, env: {} });
      if (ended.exit !== null && step.exits.includes(ended.exit)) continue;
      end.damage.push({ kind: "lost", what: `going on ended with ${ended.exit}: ${ended.log}` });
      return end.damage;
    }
    const copy = `${home}.after`;
    copyHome(home, copy);
    const after = inspectDatabase(copy);
    rmSync(copy, { recursive: true, force: true });
    if (after.dump !== reference.after.dump) end.damage.push(DIFFERS);
    return end.damage;
  }

  /** Nothing that was there when the process began may be gone. */
  #before() {
    return this.step === 0 ? this.reference.before : { ...this.reference.before };
  }
}

const DIFFERS: Damage = { kind: "diverged", what: "gone on with, the database differs from the undisturbed one" };
