/**
 * A node whose blocks CometBFT decides, in two threads: the application has one of its own and is the only writer; here are
 * the ABCI sockets, REST and gRPC, CometBFT as a child where it is asked for, the log and the signals. Queries and checks of
 * transactions are served here over committed state, also while a block is made.
 */

import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { errorFields, setReported } from "../../base/terminal/fail.js";
import { untilCalled } from "../../base/terminal/standby.js";
import { toHex } from "../../base/text/bytes.js";
import { VERSIONS_KEPT_DEFAULT } from "../../base/types/limits.js";
import type { Height } from "../../base/types/types.js";
import { formatGasPrices } from "../../chain/values/minimum-fee.js";
import { runAppNode } from "../../node/comet/app-node.js";
import { BlockWatch } from "../../node/comet/block-watch.js";
import { answerBeside, ENDING, type SidePort } from "../../node/comet/calls.js";
import { cometFiles, watchOwnVotes } from "../../node/comet/comet-files.js";
import { CometNode } from "../../node/comet/comet-node.js";
import type { OwnVotes } from "../../node/comet/engine/own-votes.js";
import type { Answer, Call } from "../../node/comet/messages.js";
import { estimate } from "../../node/embedded/upgrade-progress.js";
import { HaltLinger } from "../../node/home/halt-linger.js";
import { CometRpc } from "../../node/remote/comet-rpc.js";
import { CometView } from "../../node/threads/comet-view.js";
import type { Committed, EngineFacts } from "../../node/threads/engine-port.js";
import { EngineFailure, type EngineListener, EngineThread } from "../../node/threads/engine-thread.js";
import type { Snapshots } from "../../node/threads/snapshots.js";
import type { Witnesses } from "../../node/threads/witnesses.js";
import { LateServers } from "../../serve/limits/late-servers.js";
import { answerAppQuery } from "../../serve/query/app-query.js";
import type { Query } from "../../serve/query/query.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import { LmdbReader } from "../../state/store/disk/lmdb-reader.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import { type HaltRecord, haltFields } from "../../upgrade/module/halt.js";
import type { HandlerState } from "../../upgrade/module/handler-set.js";
import type { CometChoice } from "../flags/comet-flags.js";
import { ProgressLog } from "../flags/progress-log.js";
import { loadServers, openNodeServers, queryOf, requireFreePorts } from "./node-servers.js";
import { programOfThread, recordCrash, snapshotsOf, type ThreadsOptions, witnessesOf } from "./run-threads.js";
import { StopSignals } from "./stop-signals.js";

export interface CometRun extends ThreadsOptions {
  readonly choice: CometChoice;
  /** Of CometBFT, besides those that name the home and the socket. */
  readonly args: readonly string[];
}

/** The thread has closed everything by then; what is left is its end. */
const EXIT_MILLIS = 2_000;

/** Runs until it is asked to stop. @throws what ended it, after it was recorded */
export async function runComet(run: CometRun): Promise<void> {
  const node = new NodeOfComet(run);
  try {
    await node.run();
    run.log("info", "node stopped");
  } catch (error) {
    const ended = await node.recorded(error);
    if (node.isLogged(ended)) setReported(ended);
    throw ended;
  } finally {
    await node.close();
  }
}

class NodeOfComet implements EngineListener {
  readonly #engine: EngineThread;
  readonly #signals: StopSignals;
  readonly #progress: ProgressLog;
  readonly #linger: HaltLinger;
  readonly #snapshots: Snapshots;
  readonly #witnesses: Witnesses;
  #database: LmdbReader | undefined;
  #view: CometView | undefined;
  #servers: LateServers | undefined;
  #handlerState: HandlerState = "absent";
  #halt: HaltRecord | undefined;
  #isConnected = () => false;
  readonly #block = new BlockWatch();
  #ownVotes: OwnVotes | undefined;
  /** The thread was ended in the middle of a run. */
  #isGivenUp = false;

  constructor(private readonly options: CometRun) {
    const { log, start, linger } = options;
    this.#witnesses = witnessesOf(options);
    this.#snapshots = snapshotsOf(options);
    this.#progress = new ProgressLog(log);
    this.#linger = new HaltLinger(linger, log);
    this.#engine = new EngineThread(programOfThread(), start, this);
    // The thread is stopped when CometBFT is, which may be in the middle of a block.
    this.#signals = new StopSignals(this.#engine, log, () => undefined);
  }

  async run(): Promise<void> {
    const { flags, limits, home, log, choice, args } = this.options;
    const engine = this.#engine;
    const { signal } = this.#signals;
    if (this.options.start.isStandby) {
      await loadServers();
      await untilCalled(process, signal);
      if (signal.aborted) return;
      engine.status.release(true);
    }
    const facts = await engine.opened;
    this.#witnesses.open();
    this.#handlerState = facts.handlerState ?? "absent";
    log("info", "application opened", { version: String(facts.version), height: String(facts.lastHeight) });
    const database = new LmdbReader(home.databaseFile, () => engine.status.commits);
    this.#database = database;
    this.#snapshots.open(database);
    const view = new CometView({
      ...{ chain: this.options.chain, database, facts, minimumGasPrices: flags.minimumGasPrices },
      isMakingBlock: () => this.#block.isUnderWay,
    });
    this.#view = view;
    const rpc = this.#rpc(database, facts);
    const query = queryOf(this.options.chain, view.app, this.#node(view, database, facts, rpc), facts, flags);
    const servers = new LateServers(() =>
      openNodeServers(this.options.chain, {
        ...{ flags, limits, home, query, log, signal, start: this.options.start, progress: this.#progress },
        rpc: { address: choice.rpc, ask: (method, params) => rpc.result(method, params) },
        handlerState: () => this.#handlerState,
        halt: () => this.#halt,
        isReady: () => this.#isConnected(),
      }),
    );
    this.#servers = servers;
    const { program, address } = choice;
    // CometBFT elsewhere comes when it comes.
    if (program === undefined) await servers.begin();
    else await requireFreePorts(flags);
    const comet =
      program === undefined
        ? undefined
        : { program, args: ["start", "--home", home.path, ...args], files: cometFiles(home) };
    this.#ownVotes = watchOwnVotes(home, args, log);
    await runAppNode({
      program: this.options.chain.name,
      ...{ address, comet, signal, linger: this.#linger, isNew: facts.lastHeight === 0n },
      // A snapshot does not give the time of its block.
      isRestored: () => view.last !== undefined && !readCommit(database, lastVersionOf(database))?.time,
      nextHeight: () => (view.last ? view.last.height + 1n : facts.chain.initialHeight),
      answer: this.#answerer(view, query),
      untilIdle: () => this.#block.untilDone(),
      onOpen: (isConnected) => {
        this.#isConnected = isConnected;
      },
      appEnded: Promise.race([engine.ended, servers.failed]),
      log,
    });
  }

  #rpc(database: LmdbReader, { chain }: EngineFacts): CometRpc {
    const appHashAfter = (height: Height) => (height > 0n ? readCommit(database, Number(height))?.appHash : undefined);
    return new CometRpc(this.options.choice.rpc, chain.chainId, sha256, { appHashAfter });
  }

  /** Blocks and transactions are asked of CometBFT; state is here. */
  #node(view: CometView, database: LmdbReader, { chain }: EngineFacts, comet: CometRpc): CometNode {
    const { flags, start } = this.options;
    return new CometNode({
      ...{ comet, chainId: chain.chainId, database },
      lastHeight: () => view.last?.height ?? 0n,
      consensusParams: () => view.app.consensusParams,
      settings: {
        minimumGasPrices: formatGasPrices(flags.minimumGasPrices),
        versionsKept: start.versionsKept ?? VERSIONS_KEPT_DEFAULT,
        haltHeight: start.haltHeight ?? 0n,
        isIndexed: true,
      },
      progress: () => {
        const { last } = this.#progress;
        return last && { ...last, ...estimate(last, Date.now()) };
      },
    });
  }

  /** What reads the last commit is served here; blocks are of the other thread. */
  #answerer(view: CometView, query: Query): (call: Call) => Promise<Answer> {
    const { log } = this.options;
    const beside: SidePort = {
      checkTx: (tx, kind) => view.app.checkTx(tx, kind),
      info: () => (this.#block.isUnderWay ? view.info() : undefined),
      query: (asked) => answerAppQuery(query, asked, (error) => log("error", messageOf(error), errorFields(error))),
      snapshots: this.#snapshots,
    };
    return async (call) => {
      const made = (await answerBeside(beside, call)) ?? (await this.#call(call));
      if (call.case === "info") this.#servers?.beginSoon();
      return made;
    };
  }

  async #call(call: Call): Promise<Answer> {
    if (call.case === "finalizeBlock") this.#block.begin();
    this.#ownVotes?.look(call);
    try {
      const answer = await this.#engine.call(call);
      if (call.case === "finalizeBlock") this.#block.ran();
      if (call.case === "commit") this.#endBlock();
      return answer;
    } catch (error) {
      if (ENDING.has(call.case)) this.#endBlock();
      throw error;
    }
  }

  #endBlock(): void {
    this.#block.end();
    this.#progress.end();
  }

  onCommitted({ height, appHash, handlerState, isUpgrade }: Committed): void {
    this.#handlerState = handlerState ?? "absent";
    this.#progress.end();
    this.#database?.renew();
    this.options.log("info", "block committed", { height: String(height), app_hash: toHex(appHash) });
    this.#snapshots.after(height, isUpgrade);
    this.#witnesses.after(isUpgrade);
  }

  onProgress: EngineListener["onProgress"] = (progress) => this.#progress.take(progress);

  onLog: EngineListener["onLog"] = ({ level, message, fields }) => this.options.log(level, message, fields);

  /** Transactions that wait are CometBFT's. */
  onRefused(): void {}

  /** CometBFT checks waiting transactions again after the block, and drops those refused; not with `mempool.recheck = false`. */
  onLeftOut(names: readonly string[]): void {
    this.#view?.app.leaveOut(names);
  }

  onRecorded(record: HaltRecord): void {
    this.#halt = record;
    this.options.log("error", record.message, haltFields(record));
  }

  /** Is the record of this end in the log? */
  isLogged(error: unknown): boolean {
    return isUpgradeError(error) && error.code === this.#halt?.code;
  }

  /** Has the end written down, where the application has not done it. Gives what the command ends with. */
  async recorded(error: unknown): Promise<unknown> {
    if (!(error instanceof EngineFailure)) {
      if (this.#block.isInRun) return await this.#giveUp(error);
      this.#engine.stop(error);
      await this.#engine.ended.catch(() => undefined);
      return error;
    }
    const record =
      error.record ?? (error.isCrash ? recordCrash(this.options, error.error, this.#view?.last) : undefined);
    if (record) this.onRecorded(record);
    // One that was due at the start: CometBFT has not been started.
    await this.#linger.before(error.error, this.#signals.signal);
    return error.error;
  }

  /** CometBFT has ended in the middle of a run, which may take as long as an upgrade does, and for which nobody waits any more. */
  async #giveUp(error: unknown): Promise<unknown> {
    this.#isGivenUp = true;
    await this.#engine.terminate(EXIT_MILLIS);
    const record = error instanceof Error ? recordCrash(this.options, error, this.#view?.last) : undefined;
    if (record) this.onRecorded(record);
    return error;
  }

  async close(): Promise<void> {
    this.#progress.end();
    this.#engine.status.release(false);
    this.#engine.stop();
    await Promise.all([this.#servers?.close(), this.#snapshots.close(), this.#witnesses.close()]);
    if (!this.#isGivenUp) await this.#engine.ended.catch(() => undefined);
    this.#database?.close();
    this.#signals.close();
    // A thread that died inside a transaction of the database never ends, and would keep the process.
    if (!(await this.#engine.exited(EXIT_MILLIS))) this.#signals.kill();
  }
}
