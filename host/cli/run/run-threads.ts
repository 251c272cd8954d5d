/**
 * A node in two threads: here are the servers, the log and the signals; the engine, which makes blocks and is the only
 * writer, has a thread of its own. So nothing that a client asks delays a block, and no block silences the servers.
 */

import { realpathSync } from "node:fs";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { embeddedProgram } from "../../base/native/embedded.js";
import { setReported } from "../../base/terminal/fail.js";
import { untilCalled } from "../../base/terminal/standby.js";
import { toHex } from "../../base/text/bytes.js";
import type { Log } from "../../base/text/log-line.js";
import type { Height } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { formatGasPrices } from "../../chain/values/minimum-fee.js";
import { NodeService } from "../../node/embedded/node-service.js";
import { GenesisFile } from "../../node/home/genesis-file.js";
import { writeHaltRecord } from "../../node/home/halt-file.js";
import { HaltLinger, type LingerTime } from "../../node/home/halt-linger.js";
import type { Home } from "../../node/home/home.js";
import { supervisedStart } from "../../node/home/supervised-start.js";
import type { Committed, EngineFacts, EngineStart } from "../../node/threads/engine-port.js";
import {
  EngineFailure,
  type EngineListener,
  EngineThread,
  type ThreadProgram,
} from "../../node/threads/engine-thread.js";
import { NodeView } from "../../node/threads/node-view.js";
import { Snapshots, type SnapshotsOptions } from "../../node/threads/snapshots.js";
import { Witnesses } from "../../node/threads/witnesses.js";
import { LmdbReader } from "../../state/store/disk/lmdb-reader.js";
import { type HaltRecord, haltFields, haltRecord } from "../../upgrade/module/halt.js";
import type { HandlerState } from "../../upgrade/module/handler-set.js";
import { nodeIdOrNew } from "../flags/key-files.js";
import type { ChosenLimits } from "../flags/limit-settings.js";
import { ProgressLog } from "../flags/progress-log.js";
import type { ServerFlags } from "../flags/server-flags.js";
import { loadServers, type NodeServers, openNodeServers, queryOf } from "./node-servers.js";
import { StopSignals } from "./stop-signals.js";

export interface ThreadsOptions {
  readonly chain: Chain;
  readonly flags: ServerFlags;
  readonly limits: ChosenLimits;
  readonly home: Home;
  readonly start: EngineStart;
  /** How long it holds at an upgrade's height. */
  readonly linger: LingerTime;
  readonly log: Log;
  /** Make a witness after each upgrade, and of those that lack one. */
  readonly witness: boolean;
  readonly snapshots: ChosenSnapshots;
}

/** Of `Snapshots`: when one is taken, and how many are kept. */
type ChosenSnapshots = Pick<SnapshotsOptions, "interval" | "keepRecent" | "beforeUpgrade">;

/** The engine's thread has closed everything by then; what is left is its end. */
const EXIT_MILLIS = 2_000;

/** Runs until the engine has stopped. @throws what ended it, after it was recorded */
export async function runThreads(options: ThreadsOptions): Promise<void> {
  const threads = new Threads(options);
  try {
    await threads.run();
    options.log("info", "node stopped");
  } catch (error) {
    const ended = threads.recorded(error);
    await threads.linger(ended);
    throw ended;
  } finally {
    await threads.close();
  }
}

/** The program runs again, in a thread of its own (run-chain.ts). */
export function programOfThread(): ThreadProgram {
  const code = embeddedProgram();
  return code === undefined ? { file: realpathSync(process.argv[1] as string) } : { code };
}

/** In a thread of the same program. */
export function witnessesOf({ witness, home, start, log }: ThreadsOptions): Witnesses {
  const folders = [start.handlers, start.staged].filter((folder) => folder !== undefined);
  return new Witnesses(witness ? { home, program: programOfThread, folders, log } : undefined);
}

export function snapshotsOf({ snapshots, home, log }: ThreadsOptions): Snapshots {
  return new Snapshots({ ...snapshots, home, program: programOfThread, log });
}

class Threads implements EngineListener {
  readonly #engine: EngineThread;
  readonly #signals: StopSignals;
  readonly #progress: ProgressLog;
  #database: LmdbReader | undefined;
  #node: NodeView | undefined;
  #servers: NodeServers | undefined;
  #handlerState: HandlerState = "absent";
  #halt: HaltRecord | undefined;
  readonly #witnesses: Witnesses;
  readonly #snapshots: Snapshots;

  constructor(private readonly options: ThreadsOptions) {
    const { log, start } = options;
    this.#progress = new ProgressLog(log);
    this.#engine = new EngineThread(programOfThread(), start, this);
    this.#witnesses = witnessesOf(options);
    this.#snapshots = snapshotsOf(options);
    this.#signals = new StopSignals(this.#engine, log);
  }

  async run(): Promise<void> {
    const { flags, limits, home, log, start } = this.options;
    const engine = this.#engine;
    if (start.isStandby) {
      await loadServers();
      await untilCalled(process, this.#signals.signal);
      if (this.#signals.signal.aborted) return;
      engine.status.release(true);
    }
    const facts = await engine.opened;
    this.#handlerState = facts.handlerState ?? "absent";
    log("info", "node started", { version: String(facts.version), height: String(facts.lastHeight) });
    if (flags.minimumGasPrices.length === 0)
      log("info", "minimum-gas-prices is not set: transactions without a fee are taken");
    this.#database = new LmdbReader(home.databaseFile, () => engine.status.commits);
    this.#node = new NodeView({
      chain: this.options.chain,
      database: this.#database,
      facts,
      mempool: start.mempool,
      minimumGasPrices: flags.minimumGasPrices,
      engine,
    });
    const query = queryOf(this.options.chain, this.#node.app, this.#service(this.#node, facts), facts, flags);
    this.#servers = await openNodeServers(this.options.chain, {
      ...{ flags, limits, home, log, query, rpc: query, signal: this.#signals.signal },
      handlerState: () => this.#handlerState,
      ...{ start, halt: () => this.#halt, progress: this.#progress },
    });
    engine.run();
    this.#witnesses.open();
    this.#snapshots.open(this.#database);
    await engine.ended;
  }

  #service(node: NodeView, { genesisDigest }: EngineFacts): NodeService {
    const { flags, limits, home, log, start } = this.options;
    return new NodeService(node, {
      nodeId: nodeIdOrNew(home.nodeKeyFile, log),
      moniker: flags.moniker ?? "node",
      genesis: new GenesisFile(home.genesisFile, genesisDigest),
      search: limits.search,
      settings: {
        minimumGasPrices: formatGasPrices(flags.minimumGasPrices),
        haltHeight: start.haltHeight ?? 0n,
        isIndexed: start.blocks.indexer !== "null",
        ...(start.versionsKept === undefined ? {} : { versionsKept: start.versionsKept }),
      },
      progress: () => this.#progress.last,
    });
  }

  onCommitted({ height, appHash, handlerState, isUpgrade }: Committed): void {
    this.#handlerState = handlerState ?? "absent";
    this.#progress.end();
    this.options.log("info", "block made", { height: String(height), app_hash: toHex(appHash) });
    this.#node?.committed();
    this.#witnesses.after(isUpgrade);
    this.#snapshots.after(height, isUpgrade);
  }

  onRefused(id: number): void {
    this.#node?.refused(id);
  }

  onLeftOut(names: readonly string[]): void {
    this.#node?.leftOut(names);
  }

  onProgress: EngineListener["onProgress"] = (progress) => this.#progress.take(progress);

  onLog: EngineListener["onLog"] = ({ level, message, fields }) => this.options.log(level, message, fields);

  /** Logs and, where the engine could not, writes the record of an end. Gives what the command ends with. */
  recorded(error: unknown): unknown {
    if (!(error instanceof EngineFailure)) return error;
    const record = error.record ?? (error.isCrash ? this.#recordCrash(error.error) : undefined);
    if (record) {
      this.#halt = record;
      this.options.log("error", record.message, haltFields(record));
      setReported(error.error);
    }
    return error.error;
  }

  /** Holds at the height for a supervisor, with the servers open: they read, and refuse transactions. */
  async linger(error: unknown): Promise<void> {
    const { log, linger } = this.options;
    this.#progress.end();
    const held = new HaltLinger(linger, log);
    await held.before(error, this.#signals.signal);
  }

  async close(): Promise<void> {
    this.#progress.end();
    this.#engine.stop();
    await Promise.all([this.#servers?.close(), this.#witnesses.close(), this.#snapshots.close()]);
    this.#node?.close(new UpgradeError("UPG_REMOTE_NOT_READY", "the node stops"));
    this.#database?.close();
    this.#signals.close();
    // A thread that died inside a transaction of the database never ends, and would keep the process.
    if (!(await this.#engine.exited(EXIT_MILLIS))) this.#signals.kill();
  }

  #recordCrash(error: Error) {
    const last = this.#node?.lastBlock;
    return recordCrash(this.options, error, last && { height: last.header.height, appHash: last.appHash });
  }
}

interface LastCommit {
  readonly height: Height;
  readonly appHash: Uint8Array;
}

/** Writes the record that a thread which died could not write. Undefined: it is no end that has one. */
export function recordCrash(
  { chain, home, log, start }: ThreadsOptions,
  error: Error,
  last: LastCommit | undefined,
): HaltRecord | undefined {
  if (!isUpgradeError(error)) return undefined;
  const lastCommittedHeight = last?.height ?? 0n;
  const record = haltRecord(error, {
    ...{ lastCommittedHeight, nextHeight: lastCommittedHeight + 1n, appHash: last?.appHash ?? new Uint8Array() },
    ...{ home: home.path, program: chain.name, time: new Date().toISOString(), startFlags: start.startFlags },
    ...supervisedStart(),
  });
  try {
    writeHaltRecord(home, record);
  } catch (cause) {
    log("warn", `halt.json could not be written: ${messageOf(cause)}`);
  }
  return record;
}
