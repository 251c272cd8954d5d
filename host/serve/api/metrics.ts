/** What Prometheus reads: the chain, the plan, the mempool, the servers' work, and the process. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { isUpgradeError } from "../../base/errors/errors.js";
import { VERSION } from "../../base/terminal/version.js";
import { toHex } from "../../base/text/bytes.js";
import type { Plan, Timestamp } from "../../base/types/types.js";
import { blockTimesOf, estimate, type Moment, windowsOf } from "../../chain/app/pace.js";
import type { QueryApp } from "../../chain/app/query/call.js";
import type { Maybe, NodeHead, NodePort, NodeProgress, NodeWaiting } from "../../chain/app/query/node-port.js";
import { HANDLER_STATES, type HandlerState } from "../../upgrade/module/handler-set.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";

export interface MetricsSources {
  readonly app: QueryApp;
  readonly node: NodePort;
  /** SHA-256 of core.wasm. */
  readonly coreHash: Uint8Array;
  /** Is the handler of the plan that is scheduled here? */
  readonly handlerState: (plan: Plan) => HandlerState;
  /** Free bytes on the database's disk; undefined where the system does not report them. */
  readonly diskFree?: () => number | undefined;
}

const SECONDS_BUCKETS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

export class Metrics {
  readonly #registry = new Registry();
  readonly #answers: Counter<"server" | "method" | "status">;
  readonly #seconds: Histogram<"server">;

  constructor(private readonly sources: MetricsSources) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#answers = new Counter({
      name: "chain_upgrade_requests_total",
      help: "Responses of the servers, by method and gRPC status number.",
      labelNames: ["server", "method", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "chain_upgrade_request_duration_seconds",
      help: "Time from a request to its answer.",
      labelNames: ["server"],
      buckets: SECONDS_BUCKETS,
      registers,
    });
    this.#addState(registers);
    this.#addPlan(registers);
    this.#addProgress(registers);
    this.#addDisk(registers);
  }

  onAnswer(server: string, method: string, status: number, seconds: number): void {
    this.#answers.inc({ server, method, status: String(status) });
    this.#seconds.observe({ server }, seconds);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #addState(registers: Registry[]): void {
    const { node, coreHash } = this.sources;
    const gauge = (name: string, help: string, value: () => Maybe<number | undefined>) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const number = await value();
          if (number === undefined) this.remove();
          else this.set(number);
        },
      });
    new Gauge({
      name: "chain_upgrade_build_info",
      help: "1, with the program's version and the hash of core.wasm.",
      labelNames: ["version", "core_hash"],
      registers,
    }).set({ version: VERSION, core_hash: toHex(coreHash) }, 1);
    const height = () => Number(node.lastHeight ?? 0n);
    const time = () => (node.lastHeight === undefined ? 0 : seconds(node.timeOf(node.lastHeight)));
    const waiting = async (of: keyof NodeWaiting) => (await orUnknown(() => node.waiting()))?.[of];
    gauge("chain_upgrade_block_height", "Height of the last block.", height);
    gauge("chain_upgrade_block_time_seconds", "Time of the last block.", time);
    gauge("chain_upgrade_mempool_txs", "Transactions that wait for a block.", () => waiting("count"));
    gauge("chain_upgrade_mempool_bytes", "Bytes of the transactions that wait.", () => waiting("bytes"));
    gauge("cometbft_consensus_height", "Height of the last block, under the name that dashboards know.", height);
    gauge("cometbft_mempool_size", "The same for waiting transactions.", () => waiting("count"));
  }

  #addPlan(registers: Registry[]): void {
    const plan = () => this.#plan();
    const { handlerState } = this.sources;
    const estimate = (planned: Plan) => this.#estimate(planned);
    const osArch = `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
    const planGauge = <L extends string>(
      name: string,
      help: string,
      labelNames: L[],
      set: (gauge: Gauge<L>, planned: Plan) => Maybe<void>,
    ) =>
      new Gauge<L>({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          this.reset();
          const planned = plan();
          if (planned) await set(this, planned);
        },
      });
    planGauge("chain_upgrade_plan_info", "1 while a plan is scheduled.", ["name", "source"], (gauge, { name }) =>
      gauge.set({ name, source: "state" }, 1),
    );
    planGauge(
      "chain_upgrade_plan_height",
      "Height of the plan that is scheduled.",
      ["name"],
      (gauge, { name, height }) => gauge.set({ name }, Number(height)),
    );
    planGauge(
      "chain_upgrade_estimated_timestamp_seconds",
      "When the plan's height is reached, as `query upgrade plan` has it; missing while there are too few blocks for it.",
      ["name"],
      async (gauge, planned) => {
        const at = await estimate(planned);
        if (at !== undefined) gauge.set({ name: planned.name }, at);
      },
    );
    planGauge(
      "chain_upgrade_binary_ready",
      "1 when this program has the handler that the plan asks for.",
      ["name", "os_arch"],
      (gauge, planned) => gauge.set({ name: planned.name, os_arch: osArch }, handlerState(planned) === "ready" ? 1 : 0),
    );
    planGauge(
      "chain_upgrade_handler_state",
      "1 for the state that the plan's handler is in here: why chain_upgrade_binary_ready is what it is.",
      ["name", "state"],
      (gauge, planned) => {
        const now = handlerState(planned);
        for (const state of HANDLER_STATES) gauge.set({ name: planned.name, state }, state === now ? 1 : 0);
      },
    );
  }

  #addDisk(registers: Registry[]): void {
    const { diskFree } = this.sources;
    new Gauge({
      name: "chain_upgrade_disk_free_bytes",
      help: "Bytes that are free on the disk of the database; absent: not known.",
      // With a label name the gauge starts empty: a 0 would be an alarm.
      labelNames: ["file"],
      registers,
      collect() {
        this.reset();
        const free = diskFree?.();
        if (free !== undefined) this.set({ file: "chain.mdb" }, free);
      },
    });
  }

  #addProgress(registers: Registry[]): void {
    const { node } = this.sources;
    const gauge = (name: string, help: string, value: (progress: NodeProgress) => number | undefined) =>
      new Gauge({
        name,
        help,
        labelNames: ["name", "phase", "store"],
        registers,
        collect() {
          this.reset();
          const progress = node.progress();
          const number = progress && value(progress);
          if (!progress || number === undefined) return;
          this.set({ name: progress.plan, phase: progress.phase, store: progress.store }, number);
        },
      });
    gauge("chain_upgrade_progress_done", "Pairs done in this phase of the running upgrade.", ({ done }) => done);
    gauge("chain_upgrade_progress_total", "Pairs of this phase; 0: not known.", ({ total }) => total);
    gauge("chain_upgrade_progress_rate", "Pairs a second in this phase.", ({ rate }) => rate);
    gauge(
      "chain_upgrade_progress_left_seconds",
      "Seconds until this phase ends, at its rate.",
      ({ secondsLeft }) => secondsLeft,
    );
    gauge(
      "chain_upgrade_progress_elapsed_seconds",
      "Seconds since the block of the running upgrade began.",
      ({ secondsElapsed }) => secondsElapsed,
    );
  }

  #plan(): Plan | undefined {
    const { app, node } = this.sources;
    return node.lastHeight !== undefined ? app.keeper.plan(app.at().stores.store(UPGRADE_STORE)) : undefined;
  }

  /** Seconds since 1970; undefined when there are too few blocks, or they are not at hand. */
  #estimate(plan: Plan): Promise<number | undefined> {
    return orUnknown(() => this.#estimated(plan));
  }

  async #estimated({ height }: Plan): Promise<number | undefined> {
    const { node } = this.sources;
    const [last, earliest] = [(await node.latest())?.header, (await node.earliest())?.header];
    if (!last || !earliest) return undefined;
    if (height <= last.height) return seconds(last.time);
    const before: Moment[] = [];
    for (const window of windowsOf(last.height, earliest.height)) {
      before.push(momentOf((await node.at(last.height - window)).header));
    }
    const at = estimate(blockTimesOf(momentOf(last), before), height, nanosOf(last.time))?.at;
    return at === undefined ? undefined : Number(at) / 1e9;
  }
}

/** Undefined: CometBFT, which knows it, cannot be asked now; the other figures are shown all the same. */
async function orUnknown<T>(ask: () => Maybe<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isUpgradeError(error) && error.code.startsWith("UPG_REMOTE_")) return undefined;
    throw error;
  }
}

const nanosOf = ({ seconds: whole, nanos }: Timestamp): bigint => whole * 1_000_000_000n + BigInt(nanos);
const momentOf = ({ height, time }: NodeHead["header"]): Moment => ({ height, nanos: nanosOf(time) });

function seconds(time: Timestamp): number {
  return Number(time.seconds) + time.nanos / 1e9;
}
