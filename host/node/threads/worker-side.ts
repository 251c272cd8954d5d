/** What both kinds of engine thread have: their messages, their log, the options of their home, the record of an end. */
import type { MessagePort } from "node:worker_threads";
import { upgradeErrorOf } from "../../base/errors/machine.js";
import { toHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import type { Chain } from "../../chain/app/chain.js";
import type { HandlerReport } from "../../upgrade/handler/run/sandbox.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { AppliedUpgrade } from "../../upgrade/module/hooks.js";
import { ProgressReporter } from "../embedded/upgrade-progress.js";
import type { OpenHome } from "../open/open-home.js";
import type { HoldOptions } from "../open/open-options.js";
import { RECORDED_FROM, recordHalt } from "../open/run-node.js";
import { type EngineStart, EngineStatus, type FromEngine, type LogLine, sendError } from "./engine-port.js";

/** What the thread is made with. */
export interface EngineThreadData {
  readonly port: MessagePort;
  readonly start: EngineStart;
  readonly status: SharedArrayBuffer;
}

/** Log lines that may wait for the other thread; more are left out, and counted. */
const LINES_WAITING_MAX = 10_000;

export class WorkerSide {
  protected readonly reporter = new ProgressReporter((progress) => this.send({ kind: "progress", progress }));
  protected readonly status: EngineStatus;
  protected readonly start: EngineStart;
  readonly #port: MessagePort;
  #linesSent = 0;
  #linesLeftOut = 0;

  constructor(
    protected readonly chain: Chain,
    { port, start, status }: EngineThreadData,
  ) {
    this.#port = port;
    this.start = start;
    this.status = new EngineStatus(status);
  }

  protected holdOptions(): HoldOptions {
    const { start } = this;
    const { home, handlers, appVersion, skipHeights, haltHeight, versionsKept, handlerDiskMax, staged } = start;
    return {
      ...{ chain: this.chain, home, skipHeights },
      ...(handlers === undefined ? {} : { handlers }),
      log: (level, message) => this.log(level, message),
      onProgress: (phase, store, done, total) => this.reporter.report(phase, store, done, total),
      ...(appVersion === undefined ? {} : { appVersion }),
      ...(haltHeight === undefined ? {} : { haltHeight }),
      ...(versionsKept === undefined ? {} : { versionsKept }),
      ...(handlerDiskMax === undefined ? {} : { handlerDiskMax }),
      ...(staged === undefined ? {} : { staged }),
      startFlags: start.startFlags ?? [],
    };
  }

  /** Works in a home that it holds. How that ended is the thread's last message, and an error is written down before. */
  protected async holding(hold: () => OpenHome, work: (held: OpenHome) => Promise<void>): Promise<void> {
    let held: OpenHome | undefined;
    try {
      held = hold();
      await work(held);
      held.close();
      this.send({ kind: "stopped" });
    } catch (error) {
      const record = held && this.record(held, error);
      held?.close();
      this.send({ kind: "failed", error: sendError(error), record });
    }
  }

  protected sayApplied(applied: AppliedUpgrade, block: AppliedBlock): void {
    this.log("info", "upgrade applied", appliedFields(applied, block));
  }

  /** Reports transactions that need too much stack. The thread that checks refuses them too, as long as `TxChecks` keeps their names. */
  protected sayLeftOut(app: App): void {
    const warn = (what: string, { name, cause }: { readonly name: string; readonly cause: string }) =>
      this.log("warn", `${what}: ${cause}`, { hash: name.toUpperCase(), height: String(app.nextHeight) });
    const more = "needs more of the engine's stack than a block may";
    const leftOut = `left out a transaction and refuse it from now on, because it ${more}`;
    app.proposals.misfits.listen({
      onLeftOut: (misfits) => {
        this.send({ kind: "leftOut", names: misfits.map(({ name }) => name) });
        for (const misfit of misfits) warn(leftOut, misfit);
      },
      onRejected: (misfit) => warn(`rejected the proposal, because a transaction in it ${more}`, misfit),
    });
  }

  /** Ends from a certain status on have a record; the rest are mistakes of the caller. */
  protected record(held: OpenHome, thrown: unknown): HaltRecord | undefined {
    const error = upgradeErrorOf(thrown);
    if (error.kind.exit < RECORDED_FROM) return undefined;
    return recordHalt(held, error, { onWarning: (message) => this.log("warn", message) });
  }

  protected log(level: LogLevel, message: string, fields?: NonNullable<LogLine["fields"]>): void {
    if (level === "debug" && !this.start.isDebugLogged) return;
    if (this.#linesSent - this.status.linesTaken >= LINES_WAITING_MAX) {
      this.#linesLeftOut++;
      return;
    }
    if (this.#linesLeftOut > 0) {
      const text = `${this.#linesLeftOut} log lines were left out: they came faster than they could be written`;
      this.#linesLeftOut = 0;
      this.#linesSent++;
      this.send({ kind: "log", level: "warn", message: text });
    }
    this.#linesSent++;
    this.send({ kind: "log", level, message, ...(fields ? { fields } : {}) });
  }

  protected send(message: FromEngine): void {
    this.#port.postMessage(message);
  }
}

interface AppliedBlock {
  readonly height: Height;
  readonly milliseconds: number;
  readonly appHash: Uint8Array;
}

/** Fields of the log line "upgrade applied". */
export function appliedFields(
  { plan, report, probes }: AppliedUpgrade,
  block: AppliedBlock,
): Required<LogLine>["fields"] {
  return {
    height: String(block.height),
    plan: plan.name,
    ms: Math.round(block.milliseconds),
    ...(report && countsOf(report)),
    ...(probes && probes.skipped.length > 0 && { probes_skipped: probes.skipped.join(",") }),
    app_hash: toHex(block.appHash),
  };
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
