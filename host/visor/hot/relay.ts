/**
 * CometBFT with the application as a worker: when a worker ends in a way that another one can go on from, the next one is
 * started and given what has no response, so that CometBFT sees one slow block. What cannot be gone on from ends all of it:
 * the next start does CometBFT's handshake.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import type { Program } from "../../node/programs/layout.js";
import { Halt } from "../../upgrade/module/halt.js";
import { CrashLoop } from "../decide/decision/crash-loop.js";
import type { Plan } from "../decide/decision/plan-file.js";
import type { ProcessEnd } from "../decide/machine.js";
import { waitForProgram } from "../decide/wait-for-program.js";
import { type LastBlock, REQUEST, requestName } from "./abci-message.js";
import { BeforeHeight, type StandbyWorker } from "./before-height.js";
import { EngineSide, type EngineSideOptions, type Loss } from "./engine-side.js";
import type { RelayHooks } from "./hooks.js";
import { NextProgram, type NextProgramOptions, type ProgramFiles, REMINDER_MILLIS } from "./next-program.js";
import { describeWorkerEnd, kindOfEnd, type Worker } from "./worker.js";

/** Calls after which an application that refuses them exits. */
const ENDING: ReadonlySet<number> = new Set([
  ...[REQUEST.initChain, REQUEST.finalizeBlock, REQUEST.commit],
  ...[REQUEST.offerSnapshot, REQUEST.applySnapshotChunk],
]);
/** For its end after such a call; after another one it may go on, and its exception is for CometBFT. */
const ENDING_MILLIS = 30_000;
const REFUSING_MILLIS = 3_000;
/** Of a worker that has crashed: CometBFT waits meanwhile. The waits are these in every hold. */
export const WORKER_RESTARTS = { restartsMax: 5, restartWindow: 60_000, waits: [0, 250, 500, 1_000, 2_000] };
/** Of a relay that was asked to stop while it held at an upgrade's height. */
const HELD_EXIT = 10;

export interface RelayOptions
  extends Omit<NextProgramOptions, "isChecked" | "hooks" | "log">,
    Omit<EngineSideOptions, "onCommitted" | "log"> {
  readonly hooks: RelayHooks;
  readonly log: EngineSideOptions["log"];
  /** Counts how often a worker that has crashed is started again, with other restarts; default: WORKER_RESTARTS alone. */
  readonly restarts?: CrashLoop | undefined;
  /** Its abort ends a stop that still waits for the block under way. Where it is undefined, a stop waits as long as the block takes. */
  readonly late?: AbortSignal | undefined;
  readonly start: (program: Program) => Worker;
  /** Before its turn: it waits until it is asked for its place. */
  readonly startStandby: (program: Program) => StandbyWorker;
}

/** Statuses of a shell, and of programs of other kinds: a file that exits so before it serves is no program of the chain. */
const NO_PROGRAM: ReadonlySet<number | null> = new Set([0, 1, 2, 126, 127]);

interface WorkerRun {
  readonly end: ProcessEnd;
  /** It has reported its last block. */
  readonly wasUp: boolean;
  readonly loss: Loss | undefined;
}

/** What follows: a program, or the end of the relay. */
type Next = { readonly program: Program } | { readonly exit: number };

export class Relay {
  readonly #engine: EngineSide;
  readonly #nextProgram: NextProgram;
  readonly #beforeHeight: BeforeHeight;
  readonly #restarts: CrashLoop;
  readonly #stop: Promise<"stop">;
  readonly #late: Promise<"late">;
  /** Aborted when all of it ends, for whatever reason. */
  readonly #closing = new AbortController();
  /** The wait for the next program; never rejects. */
  #waiting: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  /** The plan whose block CometBFT waits for. */
  #due: Plan | undefined;
  /** The files that the worker started with. */
  #startedWith: ProgramFiles | undefined;
  #isServing = false;
  /** The last worker, and when it ended: until a block is committed after it. */
  #gap: { readonly since: number; readonly before: string } | undefined;

  constructor(private readonly options: RelayOptions) {
    const { signal } = options;
    this.#restarts = options.restarts ?? new CrashLoop(WORKER_RESTARTS);
    this.#engine = new EngineSide({ ...options, onCommitted: () => this.#committed() });
    const succession = new NextProgram({
      ...{ ...options, signal: AbortSignal.any([signal, this.#closing.signal]) },
      isChecked: (program) => this.#beforeHeight.isChecked(program),
    });
    this.#nextProgram = succession;
    this.#beforeHeight = new BeforeHeight({ ...options, problemOf: (program) => succession.problem(program) });
    this.#stop = aborted(signal).then(() => "stop");
    this.#late = aborted(options.late).then(() => "late");
  }

  /** The last block that CometBFT knows to be committed. */
  get lastBlock(): LastBlock | undefined {
    return this.#engine.known.lastBlock;
  }

  /** Returns the exit status. @throws Halt UPG_HALT_WORKER, UPG_HALT_ENGINE, UPG_HALT_DIVERGED; UpgradeError of a full disk, files and flags */
  async run(): Promise<number> {
    await this.#engine.listen();
    let program = this.options.layout.current();
    for (;;) {
      const run = await this.#runOnce(program);
      if (run === "stop") return 0;
      const next = await this.#next(program, run);
      if ("exit" in next) return next.exit;
      program = next.program;
    }
  }

  /** CometBFT ends first, and in order where a worker serves it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#waiting;
    await this.#beforeHeight.close();
    await this.#engine.stop(this.#isServing);
    await this.#worker?.stop();
  }

  /** One worker, from its start to its end. */
  async #runOnce(program: Program): Promise<WorkerRun | "stop"> {
    const { start, log } = this.options;
    const begun = performance.now();
    this.#startedWith = this.#nextProgram.filesOf(program);
    this.options.hooks.beforeWorker();
    const waiting = await this.#beforeHeight.take(program);
    const worker = waiting ?? start(program);
    this.#worker = worker;
    this.options.hooks.onWorker(worker);
    const how = waiting ? ", which waited for this height" : "";
    log("info", `worker ${program.name} started: ${program.file}, process ${worker.pid ?? "none"}${how}`);
    const lastBlock = await this.#orStop(this.#lastBlockOf(worker));
    if (lastBlock === "stop") return lastBlock;
    if (!lastBlock) return { end: await this.#endOf(worker, undefined), wasUp: false, loss: undefined };
    log("info", `worker ${program.name} up after ${seconds(begun)}, at height ${lastBlock.height}`);
    this.options.hooks.onLastBlock(lastBlock.height);
    const loss = await this.#serve(worker, lastBlock);
    this.#isServing = false;
    if (loss === "stop") this.#isServing = true;
    if (loss === "stop" || loss === "late") return "stop";
    if (loss?.error) throw loss.error;
    return { end: await this.#endOf(worker, loss), wasUp: true, loss };
  }

  /** It may take any time to open its home, or hang: one whose file is replaced before it serves is ended, and is started again. */
  #lastBlockOf(worker: Worker): Promise<LastBlock | undefined> {
    const { log, machine } = this.options;
    const { name, file } = worker.program;
    return waitForProgram(worker.lastBlock(), {
      ...{ clock: machine.clock, reminderMillis: REMINDER_MILLIS },
      onReminder: (passed) =>
        log(
          "warn",
          `worker ${name} does not serve yet, ${passed / 1_000} s after its start: ${file}, process ${worker.pid ?? "none"}`,
        ),
      replacement: {
        file,
        onReplaced: () => {
          log("warn", `worker ${name} is ended before it served: ${file} was replaced`);
          void worker.stop();
        },
      },
    });
  }

  /** Undefined: it has ended. */
  async #serve(worker: Worker, lastBlock: LastBlock): Promise<Loss | "stop" | "late" | undefined> {
    const engine = this.#engine;
    this.#logRequestGivenAgain(worker);
    const served = engine.serve(worker, lastBlock);
    this.#isServing = true;
    const over = Promise.race([served, worker.ended.then(() => undefined)]);
    // The worker ends before CometBFT is started: that rejects where nobody listens yet.
    over.catch(() => undefined);
    if (!engine.hasComet) engine.startComet(lastBlock.height === 0n);
    const first = await this.#orStop(over);
    if (first !== "stop") return first;
    const height = engine.known.heightUnderWay;
    this.options.log("info", height === undefined ? "stopping" : `finishing block ${height}, then stopping`);
    const idle = engine.known.untilIdle().then(() => "stop" as const);
    const end = await this.#orEngine(Promise.race([over, idle, this.#late]));
    if (end === "late") this.options.log("warn", `block ${height} is not finished in time: all end without it`);
    return end;
  }

  #logRequestGivenAgain({ program }: Worker): void {
    const { log } = this.options;
    const [first] = this.#engine.waitingForBlocks;
    if (first?.isGiven) {
      log("info", `${requestName(first.number)} ${this.#engine.nextHeight} given again, to worker ${program.name}`);
    }
  }

  /** What the end of CometBFT or a signal does not wait for. @throws Halt UPG_HALT_ENGINE, UPG_HALT_DIVERGED; UpgradeError UPG_STORE_FULL */
  #orStop<T>(work: Promise<T>): Promise<T | "stop"> {
    return this.#orEngine(Promise.race([work, this.#stop]));
  }

  async #orEngine<T>(work: Promise<T>): Promise<T> {
    const first = await Promise.race([work, this.#engine.ended]);
    if (isUpgradeError(first)) throw first;
    return first;
  }

  /** @throws Halt UPG_HALT_WORKER: it refuses a request, and goes on */
  async #endOf(worker: Worker, loss: Loss | undefined): Promise<ProcessEnd> {
    const asked = loss?.refusal?.asked;
    if (loss) {
      const what = asked ? `worker ${worker.program.name} at ${requestName(asked.number)}` : "its connection is lost";
      this.options.log(asked ? "error" : "warn", `${what}: ${loss.reason}`);
    }
    const late = new AbortController();
    const millis = asked && !ENDING.has(asked.number) ? REFUSING_MILLIS : ENDING_MILLIS;
    const patience = sleep(millis, undefined, { signal: late.signal }).catch(() => undefined);
    const end = await Promise.race([worker.ended, patience]);
    late.abort();
    if (!end && loss && asked) {
      await this.#engine.refuse(loss);
      const what = `worker ${worker.program.name} refused ${requestName(asked.number)} and goes on: ${loss.reason}`;
      throw new Halt("UPG_HALT_WORKER", what, this.#engine.nextHeight);
    }
    return end ?? worker.stop();
  }

  async #next(program: Program, { end, wasUp, loss }: WorkerRun): Promise<Next> {
    const { log, signal } = this.options;
    const kind = kindOfEnd(end);
    const at = this.lastBlock ? ` at height ${this.#engine.nextHeight}` : "";
    const level = kind === "crash" || kind === "final" ? "error" : "info";
    log(level, `worker ${program.name} ${describeWorkerEnd(end)}${at}`);
    this.#gap = { since: performance.now(), before: program.name };
    await this.#engine.workerEnded(kind === "crash");
    if (kind === "upgrade") return this.#upgraded(program, this.#nextProgram.plan(), "has no handler for it");
    // A file that is no program, or not yet: CometBFT goes on waiting for a better one.
    if (this.#due && !wasUp && NO_PROGRAM.has(end.exit)) {
      return this.#upgraded(program, this.#due, `${describeWorkerEnd(end)} before it served`);
    }
    const newer = kind === "too-old" ? await this.#nextProgram.newer(program) : undefined;
    if (newer) return { program: newer };
    if (kind === "again" || kind === "crash")
      return signal.aborted ? { exit: 0 } : this.#again(program, end, kind === "again");
    if (loss) await this.#engine.refuse(loss);
    if (end.error) throw new UpgradeError("UPG_INVALID_CONFIG", `${program.file} ${describeWorkerEnd(end)}`);
    return { exit: end.exit ?? 1 };
  }

  /** @param why the program that ended is not the one for the plan, when that is its file */
  async #upgraded(program: Program, plan: Plan, why: string): Promise<Next> {
    this.#due = plan;
    this.options.hooks.onDue(plan);
    const startedWith = this.#startedWith ?? this.#nextProgram.filesOf(program);
    const waiting = this.#nextProgram.next(plan, program, { ...startedWith, why });
    this.#waiting = waiting.catch(() => undefined);
    const next = await this.#orStop(waiting);
    if (!next || next === "stop") return { exit: HELD_EXIT };
    this.options.log("info", `worker ${next.name} is next, for "${plan.name}"`);
    return { program: next };
  }

  async #again(program: Program, end: ProcessEnd, isAsked: boolean): Promise<Next> {
    const { waits } = WORKER_RESTARTS;
    const millis = this.#restarts.next(this.options.machine.clock.now(), { waits, isAsked });
    if (millis === undefined) {
      const { restartsMax, restartWindow } = this.#restarts.options;
      const what = `worker ${program.name} ${describeWorkerEnd(end)}, and was started again ${restartsMax} times in ${restartWindow / 1_000} s`;
      throw new Halt("UPG_HALT_WORKER", what, this.#engine.nextHeight);
    }
    this.options.hooks.onAgain();
    const wait = sleep(millis, undefined, { signal: this.options.signal }).catch(() => undefined);
    return (await this.#orStop(wait)) === "stop" ? { exit: 0 } : { program };
  }

  #committed(): void {
    const height = this.#engine.known.lastBlock?.height ?? 0n;
    this.options.hooks.onCommitted(height);
    if (this.#worker && !this.options.signal.aborted) void this.#beforeHeight.look(this.#worker, height);
    const gap = this.#gap;
    if (!gap) return;
    this.#gap = undefined;
    this.#due = undefined;
    this.options.log("info", `block ${height} committed ${seconds(gap.since)} after worker ${gap.before} ended`);
  }
}

/** Resolves when the signal is aborted; never where there is no signal. */
const aborted = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });

const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(2)} s`;
