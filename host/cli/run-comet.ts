/** A node whose blocks CometBFT decides: the application on an ABCI socket, and CometBFT itself as a child where it is asked for. */
import { resolve } from "node:path";
import type { Logger } from "pino";
import { type CometBlock, runAppNode } from "../abci/app-node.js";
import { CometNode } from "../abci/comet-node.js";
import { toHex } from "../bytes.js";
import { formatGasPrices } from "../chain/tx/minimum-fee.js";
import { CometRpc } from "../comet-rpc/comet-rpc.js";
import { PlanWatch } from "../engine/embedded/plan-watch.js";
import { RECORDED_FROM, recordHalt } from "../engine/embedded/run-node.js";
import { removeHaltRecord } from "../engine/home/halt-file.js";
import { HaltLinger } from "../engine/home/halt-linger.js";
import { HeldHome } from "../engine/home/held-home.js";
import type { HoldOptions, OpenApp } from "../engine/home/hold-options.js";
import { localReceipt, writeLocalReceipt } from "../engine/home/local-receipt.js";
import { isUpgradeError, messageOf } from "../errors.js";
import { VERSIONS_KEPT_DEFAULT } from "../limits.js";
import { sha256 } from "../native/sha256.js";
import { answerAppQuery } from "../query/app-query.js";
import type { Query } from "../query/query.js";
import type { CometChoice } from "./comet-flags.js";
import type { ChosenLimits } from "./limit-settings.js";
import { type DoorFlags, openNodeDoors, queryOf } from "./node-doors.js";

export interface CometRun {
  readonly hold: Omit<HoldOptions, "log">;
  readonly choice: CometChoice;
  /** Of CometBFT, besides those that name the home and the socket. */
  readonly args: readonly string[];
  readonly flags: DoorFlags;
  readonly limits: ChosenLimits;
  /** How long it holds at an upgrade's height for a supervisor; 0: not. */
  readonly lingerMillis: number;
  readonly logger: Logger;
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** Of a process that a second SIGTERM or SIGINT ended. */
const ENDED_AT_ONCE_EXIT = 15;

/** Runs until it is asked to stop. @throws what ended it, after it was recorded */
export async function runComet(run: CometRun): Promise<void> {
  const { logger, hold } = run;
  const stop = new AbortController();
  let isAsked = false;
  const listener = (signal: NodeJS.Signals) => {
    // CometBFT ends with its sockets, and the database is whole at any moment.
    if (isAsked && signal !== "SIGHUP") process.exit(ENDED_AT_ONCE_EXIT);
    isAsked ||= signal !== "SIGHUP";
    if (!stop.signal.aborted) logger.info("stopping");
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  const held = HeldHome.holdForComet({ ...hold, log: (level, message) => logger[level](message) });
  const node = new NodeOfComet(run, held);
  try {
    await node.run(stop.signal);
    logger.info("node stopped");
  } catch (error) {
    node.record(error);
    // One that was due at the start: CometBFT has not been started.
    await node.linger.before(error, stop.signal);
    throw error;
  } finally {
    held.close();
    for (const signal of SIGNALS) process.off(signal, listener);
  }
}

class NodeOfComet {
  readonly linger: HaltLinger;
  #isRecorded = false;
  #watch: PlanWatch | undefined;
  #blocks = 0;

  constructor(
    private readonly options: CometRun,
    private readonly held: HeldHome,
  ) {
    this.linger = new HaltLinger(options.lingerMillis, (level, message) => options.logger[level](message));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { held } = this;
    const { logger, choice, args, hold, flags, limits } = this.options;
    const opened = held.openApp();
    const { app } = opened;
    this.#watch = new PlanWatch(app.plan);
    const { program, address } = choice;
    logger.info(
      { version: String(app.version.number), height: String(app.lastCommitID.version) },
      "application opened",
    );
    const comet =
      program === undefined ? undefined : { program, args: ["start", "--home", resolve(hold.home), ...args] };
    const query = queryOver(this.options, opened);
    const doors = await openNodeDoors({
      ...{ flags, limits, home: held.home, query, rpc: choice.rpc, logger, signal },
      handlerState: (plan) => app.keeper.handlerState(plan),
    });
    try {
      await runAppNode({
        ...{ held, opened, address, comet, signal, linger: this.linger },
        query: (asked) => answerAppQuery(query, asked),
        onBlock: (block) => this.#made(opened, block),
        onFailed: (error) => this.record(error),
        log: (level, message) => logger[level](message),
      });
    } finally {
      await doors.close();
    }
  }

  /** Writes halt.json, once, and prints it. */
  record(error: unknown): void {
    if (this.#isRecorded || !isUpgradeError(error) || error.kind.exit < RECORDED_FROM) return;
    this.#isRecorded = true;
    const { logger } = this.options;
    const record = recordHalt(this.held, error, { onWarning: (message) => logger.warn(message) });
    logger.error(error.message);
    process.stderr.write(`${JSON.stringify(record)}\n`);
  }

  #made({ app }: OpenApp, { height, appHash, appHashBefore, milliseconds, result }: CometBlock): void {
    const { logger } = this.options;
    const { home } = this.held;
    const { applied } = result;
    if (this.#blocks++ === 0) this.#orWarn("halt.json is out of date", () => removeHaltRecord(home));
    logger.info({ height: String(height), app_hash: toHex(appHash) }, "block committed");
    if (applied) {
      const facts = { applied, height, milliseconds, appHashBefore, appHash };
      this.#orWarn("the local receipt could not be written", () => writeLocalReceipt(home, localReceipt(facts)));
      const fields = { height: String(height), plan: applied.plan.name, ms: Math.round(milliseconds) };
      logger.info({ ...fields, app_hash: toHex(appHash) }, "upgrade applied");
    }
    for (const { message, fields } of this.#watch?.after(height, app.plan, applied?.plan.name) ?? []) {
      logger.info(fields, message);
    }
  }

  #orWarn(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.options.logger.warn(`${what}: ${messageOf(error)}`);
    }
  }
}

/** Blocks and transactions are asked of CometBFT; state is here. */
function queryOver({ flags, hold, choice }: CometRun, opened: OpenApp): Query {
  const { app, database, genesis } = opened;
  const node = new CometNode({
    ...{ comet: new CometRpc(choice.rpc, genesis.chainId, sha256), chainId: genesis.chainId, database },
    lastHeight: () => app.lastCommitID.version,
    consensusParams: () => app.consensusParams,
    settings: {
      minimumGasPrices: formatGasPrices(hold.minimumGasPrices ?? []),
      versionsKept: hold.versionsKept ?? VERSIONS_KEPT_DEFAULT,
      haltHeight: hold.haltHeight ?? 0n,
      isIndexed: true,
    },
    // Blocks and queries are of one thread: while an upgrade is made no query runs.
    progress: () => undefined,
  });
  return queryOf(app, node, { bondDenom: genesis.bondDenom, stakingParams: genesis.stakingParams.value }, flags);
}
