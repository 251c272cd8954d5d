/** A relay on a home: the only one there, until it is asked to stop, or cannot go on. */
import { join } from "node:path";
import { addressText, parseAbciAddress } from "../abci/address.js";
import type { CometFiles } from "../abci/comet/home-files.js";
import { requireHome } from "../engine/home/begun-genesis.js";
import type { Home } from "../engine/home/home.js";
import { HomeLock } from "../engine/home/home-lock.js";
import { programName } from "../program-name.js";
import { Layout } from "../programs/layout.js";
import { Halt } from "../upgrade/halt.js";
import type { LogLevel } from "../upgrade/handlers.js";
import { recordHalt } from "./record.js";
import { Relay } from "./relay.js";
import { WorkerProcess } from "./worker-process.js";

/** Of a process that a second signal ended. */
const ENDED_AT_ONCE_EXIT = 15;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export interface OpenOptions {
  readonly home: Home;
  /** What runs first; undefined: that of the folders. */
  readonly program: string | undefined;
  /** Programs of plans. */
  readonly upgrades: ReadonlyMap<string, string>;
  /** The file of the program that runs this code. */
  readonly own: string;
  /** Of `start`, for each worker. */
  readonly flags: readonly string[];
  /** `args`: besides those that name the home and the socket. */
  readonly comet: { readonly program: string; readonly args: readonly string[]; readonly files: CometFiles };
  readonly log: (level: LogLevel, message: string) => void;
}

/** Returns the exit status. @throws Halt, after it was recorded; UpgradeError UPG_STORE_LOCKED, UPG_INVALID_CONFIG, UPG_STORE_IO */
export async function openRelay({ home, program, upgrades, own, flags, comet, log }: OpenOptions): Promise<number> {
  requireHome(home);
  const address = parseAbciAddress(`unix://${join(home.path, "abci.sock")}`);
  const worker = parseAbciAddress(`unix://${join(home.path, "worker.sock")}`);
  const lock = HomeLock.acquire(home.relayLockFile);
  const stopping = new AbortController();
  const forget = onSignals(stopping, log);
  const args = workerArgs(home.path, addressText(worker), flags);
  const socket = join(home.path, "worker.sock");
  const env = process.env;
  const relay = new Relay({
    ...{ address, home: home.path, flags, log, signal: stopping.signal },
    comet: { ...comet, args: ["start", "--home", home.path, ...comet.args] },
    layout: new Layout({
      ...{ home: home.path, name: env["DAEMON_NAME"] || programName(), program, upgrades, own },
      isCaseKept: env["COSMOVISOR_DISABLE_RECASE"]?.toLowerCase() === "true",
    }),
    retriesMax: Number(env["DAEMON_PREUPGRADE_MAX_RETRIES"]) || 0,
    start: (next) => new WorkerProcess({ program: next, args, socket }),
    startHeldBack: (next) => new WorkerProcess({ program: next, args, socket, isHeldBack: true }),
  });
  try {
    return await relay.run();
  } catch (error) {
    if (error instanceof Halt) recordHalt(home, error, relay.place, log);
    throw error;
  } finally {
    await relay.close();
    lock.release();
    forget();
  }
}

/** Flags that a program from before the relay knows too; CometBFT waits at the height, so the worker need not. */
function workerArgs(home: string, address: string, flags: readonly string[]): string[] {
  const engine = ["--engine", "cometbft", "--with-comet=false", "--transport", "socket", "--address", address];
  return ["start", "--home", home, ...engine, "--halt-linger", "0s", ...flags];
}

/** The first one asks the relay to stop; a second one ends it at once, and its children with it. Returns what undoes it. */
function onSignals(stopping: AbortController, log: OpenOptions["log"]): () => void {
  let isAsked = false;
  const hear = (signal: NodeJS.Signals) => {
    if (isAsked && signal !== "SIGHUP") {
      log("warn", `a second signal (${signal}) ends the relay, its worker and CometBFT at once`);
      process.exit(ENDED_AT_ONCE_EXIT);
    }
    // A shell sends it again, and systemd may send it besides.
    isAsked ||= signal !== "SIGHUP";
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  return () => {
    for (const signal of SIGNALS) process.off(signal, hear);
  };
}
