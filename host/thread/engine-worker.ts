/**
 * The engine in a thread of its own: holds the home, makes blocks, is the only writer. It speaks to the thread that
 * serves clients through the port alone.
 */
import { type MessagePort, workerData } from "node:worker_threads";
import { toHex } from "../bytes.js";
import type { Chain } from "../chain/define-chain.js";
import { logicalClock, wallClock } from "../engine/embedded/clock.js";
import type { EmbeddedNode, MadeBlock } from "../engine/embedded/embedded-node.js";
import { PlanWatch } from "../engine/embedded/plan-watch.js";
import { RECORDED_FROM, recordHalt, runNode } from "../engine/embedded/run-node.js";
import { ProgressReporter } from "../engine/embedded/upgrade-progress.js";
import { HeldHome } from "../engine/home/held-home.js";
import { isUpgradeError } from "../errors.js";
import type { HandlerReport } from "../handler/run/sandbox.js";
import type { HaltRecord } from "../upgrade/halt.js";
import type { LogLevel } from "../upgrade/handlers.js";
import {
  type EngineFacts,
  type EngineStart,
  EngineStatus,
  type FromEngine,
  type LogLine,
  sendError,
  type ToEngine,
} from "./engine-port.js";

/** What the thread is made with. */
export interface EngineThreadData {
  readonly port: MessagePort;
  readonly start: EngineStart;
  readonly status: SharedArrayBuffer;
}

/** Log lines that may wait for the other thread; more are left out, and counted. */
const LINES_WAITING_MAX = 10_000;

/** Runs an engine from its start to its end; what goes wrong is a message. */
export async function runEngineThread(chain: Chain): Promise<void> {
  const { port, start, status } = workerData as EngineThreadData;
  const engine = new EngineOfThread(chain, port, start, new EngineStatus(status));
  await engine.run();
  port.close();
}

class EngineOfThread {
  readonly #stop = new AbortController();
  readonly #reporter = new ProgressReporter((progress) => this.#send({ kind: "progress", progress }));
  readonly #isToRun: Promise<void>;
  #node: EmbeddedNode | undefined;
  #watch: PlanWatch | undefined;
  #linesSent = 0;
  #linesLeftOut = 0;

  constructor(
    private readonly chain: Chain,
    private readonly port: MessagePort,
    private readonly start: EngineStart,
    private readonly status: EngineStatus,
  ) {
    this.#isToRun = new Promise((resolve) => {
      port.on("message", (message: ToEngine) => {
        if (message.kind === "run") resolve();
        else if (message.kind === "tx") this.#take(message.id, message.bytes);
        else {
          this.#stop.abort();
          resolve();
        }
      });
    });
  }

  async run(): Promise<void> {
    let held: HeldHome | undefined;
    try {
      held = this.#hold();
      const node = held.open();
      this.#node = node;
      this.#watch = new PlanWatch(node.app.plan);
      this.#send({ kind: "opened", facts: factsOf(held, node) });
      await this.#isToRun;
      await this.#makeBlocks(held, node);
      held.close();
      this.#send({ kind: "stopped" });
    } catch (error) {
      const record = held && this.#record(held, error);
      held?.close();
      this.#send({ kind: "failed", error: sendError(error), record });
    }
  }

  #hold(): HeldHome {
    const {
      home,
      handlers,
      logicalBlockNanos,
      appVersion,
      skipHeights,
      haltHeight,
      versionsKept,
      blocks,
      mempool,
      handlerDiskMax,
      staged,
    } = this.start;
    return HeldHome.hold({
      chain: this.chain,
      home,
      ...(handlers === undefined ? {} : { handlers }),
      skipHeights,
      mempool,
      blocks,
      clock: logicalBlockNanos === undefined ? wallClock : logicalClock(logicalBlockNanos),
      log: (level, message) => this.#log(level, message),
      onProgress: (phase, store, done, total) => this.#reporter.report(phase, store, done, total),
      ...(appVersion === undefined ? {} : { appVersion }),
      ...(haltHeight === undefined ? {} : { haltHeight }),
      ...(versionsKept === undefined ? {} : { versionsKept }),
      ...(handlerDiskMax === undefined ? {} : { handlerDiskMax }),
      ...(staged === undefined ? {} : { staged }),
    });
  }

  #makeBlocks(held: HeldHome, node: EmbeddedNode): Promise<void> {
    const { emptyBlocks, blockMillis, maxBlocks } = this.start;
    return runNode(
      { home: held.home, node },
      {
        emptyBlocks,
        blockMillis,
        signal: this.#stop.signal,
        onWarning: (message) => this.#log("warn", message),
        onBegin: () => this.#begin(node),
        onBlock: (made) => this.#made(node, made),
        ...(maxBlocks === undefined ? {} : { maxBlocks }),
      },
    );
  }

  #begin({ app }: EmbeddedNode): void {
    const height = app.nextHeight;
    this.status.heightUnderWay = height;
    const { plan } = app;
    if (plan && plan.height <= height) this.#reporter.begin(plan.name, height);
  }

  #made({ app }: EmbeddedNode, made: MadeBlock): void {
    const { stored, result } = made;
    const { height } = stored.header;
    const { plan } = app;
    this.status.commits++;
    this.#reporter.end();
    this.status.heightUnderWay = 0n;
    if (result.applied) this.#sayApplied(made);
    for (const { message, fields } of this.#watch?.after(height, plan, result.applied?.plan.name) ?? []) {
      this.#log("info", message, fields);
    }
    const handlerState = plan && app.keeper.handlerState(plan);
    this.#send({ kind: "committed", height, appHash: stored.appHash, handlerState });
  }

  #sayApplied({ stored, result, milliseconds }: MadeBlock): void {
    const { plan, report } = result.applied as NonNullable<typeof result.applied>;
    this.#log("info", "upgrade applied", {
      height: String(stored.header.height),
      plan: plan.name,
      ms: Math.round(milliseconds),
      ...(report && countsOf(report)),
      app_hash: toHex(stored.appHash),
    });
  }

  /** It was checked there over the same state, and is again here: a block may have come in between. */
  #take(id: number, bytes: Uint8Array): void {
    try {
      if (this.#node?.mempool.add(bytes, "admitted").code !== 0) this.#send({ kind: "refused", id });
    } catch (error) {
      this.#send({ kind: "refused", id });
      this.#log("debug", `a transaction was let in and holds no longer: ${String(error)}`);
    }
    this.status.txsTaken = id;
  }

  /** Ends from a certain status on have a record; the rest are mistakes of the caller. */
  #record(held: HeldHome, error: unknown): HaltRecord | undefined {
    if (!isUpgradeError(error) || error.kind.exit < RECORDED_FROM) return undefined;
    return recordHalt(held, error, { onWarning: (message) => this.#log("warn", message) });
  }

  #log(level: LogLevel, message: string, fields?: NonNullable<LogLine["fields"]>): void {
    if (level === "debug" && !this.start.isDebugLogged) return;
    if (this.#linesSent - this.status.linesTaken >= LINES_WAITING_MAX) {
      this.#linesLeftOut++;
      return;
    }
    if (this.#linesLeftOut > 0) {
      const text = `${this.#linesLeftOut} log lines were left out: they came faster than they could be written`;
      this.#linesLeftOut = 0;
      this.#linesSent++;
      this.#send({ kind: "log", level: "warn", message: text });
    }
    this.#linesSent++;
    this.#send({ kind: "log", level, message, ...(fields ? { fields } : {}) });
  }

  #send(message: FromEngine): void {
    this.port.postMessage(message);
  }
}

/** What a Wasm handler did; of a function nobody counts it. */
function countsOf({ gas, stores, checks }: HandlerReport): NonNullable<LogLine["fields"]> {
  const counts = [...stores.values()];
  return {
    gas: String(gas),
    written: counts.reduce((total, { written }) => total + written, 0),
    deleted: counts.reduce((total, { deleted }) => total + deleted, 0),
    checks: checks.length,
  };
}

function factsOf(held: HeldHome, { app, facts, key }: EmbeddedNode): EngineFacts {
  return {
    chain: facts,
    ...held.staking,
    address: key.address,
    publicKey: key.publicKey.bytes,
    versions: app.versions,
    version: app.version.number,
    lastHeight: app.lastCommitID.version,
    handlerState: app.plan && app.keeper.handlerState(app.plan),
  };
}
