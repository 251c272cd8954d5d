/** CometBFT and the application on a home, its connections held here: the only hold there, until it is asked to stop or cannot go on. */
import { join } from "node:path";
import type { UpgradeError } from "../../base/errors/errors.js";
import type { Log } from "../../base/text/log-line.js";
import { type AbciAddress, addressText, parseAbciAddress } from "../../node/comet/address.js";
import type { CometFiles } from "../../node/comet/engine/home-files.js";
import { requireHome } from "../../node/home/begun-genesis.js";
import type { Home } from "../../node/home/home.js";
import { HomeLock } from "../../node/home/home-lock.js";
import type { Layout } from "../../node/programs/layout.js";
import type { Machine } from "../decide/machine.js";
import { isRecorded, recordHalt } from "./halt-record.js";
import type { RelayHooks } from "./hooks.js";
import { Relay, type RelayOptions } from "./relay.js";
import { WorkerProcess } from "./worker-process.js";

/** What a relay has, in any program. */
export interface HoldOptions {
  readonly home: Home;
  readonly layout: Layout;
  readonly machine: Pick<Machine, "clock" | "processes">;
  /** Of `start`, for each worker. */
  readonly flags: readonly string[];
  /** Of each worker, and of each `pre-upgrade`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further variables of each worker. */
  readonly workerEnv?: Readonly<Record<string, string>>;
  /** Of the programs' own variables: `CHAIND_`. */
  readonly prefix: string;
  /** Further questions to a `pre-upgrade` that asks for them. */
  readonly retriesMax: number;
  readonly restarts?: RelayOptions["restarts"];
  /** `args`: besides those that name the home and the socket. */
  readonly comet: { readonly program: string; readonly args: readonly string[]; readonly files: CometFiles };
  readonly log: Log;
  readonly hooks: RelayHooks;
  /** All words that start it again; undefined: `relay` of the program. */
  readonly startCommand?: string;
  /** Of the system's service that runs it. */
  readonly serviceCommand?: string | undefined;
  /** Aborted when it is to stop. */
  readonly signal: AbortSignal;
  /** Aborted when the block under way has had its time to be finished. */
  readonly late?: AbortSignal;
}

/** How it ended: `failure` is an end by CometBFT, the disk or a worker that cannot be gone on from, and halt.json has it. */
export interface HoldEnd {
  readonly exit: number;
  readonly failure?: UpgradeError;
}

/**
 * Holds CometBFT's connections until the end.
 * @throws UpgradeError UPG_STORE_LOCKED, UPG_INVALID_CONFIG; whatever a hook throws
 */
export async function holdConnections(options: HoldOptions): Promise<HoldEnd> {
  const { home } = options;
  requireHome(home);
  const address = parseAbciAddress(`unix://${join(home.path, "abci.sock")}`);
  const worker = parseAbciAddress(`unix://${join(home.path, "worker.sock")}`);
  const lock = HomeLock.acquire(home.relayLockFile);
  try {
    return await relayed(options, address, worker);
  } finally {
    lock.release();
  }
}

async function relayed(options: HoldOptions, address: AbciAddress, worker: AbciAddress): Promise<HoldEnd> {
  const { home, machine, flags, prefix, comet, log } = options;
  const env = { ...options.env, ...options.workerEnv };
  const args = workerArgs(home.path, addressText(worker), flags);
  const of = { machine, args, socket: join(home.path, "worker.sock"), env, prefix };
  const relay = new Relay({
    ...{ ...options, address, home: home.path },
    comet: { ...comet, args: ["start", "--home", home.path, ...comet.args] },
    start: (program) => new WorkerProcess({ ...of, program }),
    startStandby: (program) => new WorkerProcess({ ...of, program, isStandby: true }),
  });
  try {
    return { exit: await relay.run() };
  } catch (error) {
    if (!isRecorded(error)) throw error;
    recordHalt(home, error, relay.lastBlock, log, options);
    return { exit: error.kind.exit, failure: error };
  } finally {
    await relay.close();
  }
}

/** Flags that a program from before the relay knows too; CometBFT waits at the height, so the worker need not. */
function workerArgs(home: string, address: string, flags: readonly string[]): string[] {
  const engine = ["--engine", "cometbft", "--with-comet=false", "--transport", "socket", "--address", address];
  return ["start", "--home", home, ...engine, "--halt-linger", "0s", ...flags];
}
