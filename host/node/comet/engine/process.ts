/**
 * CometBFT as a child of this node, which reads its output line by line. None is left behind, however this process ends: it ends by
 * itself when the application's sockets close, and before it has reached them, when it would dial for ever, a watcher ends
 * it. Its own exit status says nothing that can be relied on (0, 1, 2 or a signal for one and the same event) and is
 * only reported.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { onLines } from "../../programs/output-lines.js";
import { spawnProgram } from "../../programs/spawn-program.js";
import { type CometFailure, CometFailures, type FullDisk } from "./failure.js";
import { type CometLine, parseCometLine } from "./log-line.js";

/** CometBFT finishes what it writes in a fraction of it. */
const STOP_MILLIS = 10_000;
/** For the end of its output after its exit; another process may hold the pipe open. */
const LAST_LINES_MILLIS = 1_000;

/**
 * Waits for the end of the process that holds the other end of its stdin, which a kill -9 closes too. CometBFT may hang in its own
 * shutdown, or be stopped.
 */
const WATCH = 'read line; kill -TERM "$0"; sleep 10; kill -KILL "$0"';

export interface CometEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It could not be started. */
  readonly error: Error | undefined;
  /** Its last words name a full disk. */
  readonly fullDisk: FullDisk | undefined;
}

export class CometProcess {
  /** Settles when it is gone; never rejects. */
  readonly ended: Promise<CometEnd>;
  /** Settles with the first failure that its output reveals; it may go on running. Never rejects. */
  readonly failed: Promise<CometFailure>;
  readonly #child: ChildProcess;

  constructor(program: string, args: readonly string[], onLine: (line: CometLine) => void) {
    // In a process group of its own: a terminal's Ctrl-C comes to this process, which ends it in order.
    const child = spawnProgram(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#child = child;
    const outputs = [child.stdout, child.stderr].map((output) => ({ output, failures: new CometFailures() }));
    this.failed = new Promise((resolve) => {
      for (const { output, failures } of outputs) {
        onLines([output], (text) => {
          const line = parseCometLine(text);
          if (line.message !== "") onLine(line);
          const failure = failures.take(line);
          if (failure) resolve(failure);
        });
      }
    });
    const closed = once(child, "close").catch(() => undefined);
    const watcher = watched(this.#child.pid);
    const killAtOnce = () => this.#child.kill("SIGKILL");
    process.once("exit", killAtOnce);
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve({ code: null, signal: null, error, fullDisk: undefined }));
      this.#child.once("exit", (code, signal) => {
        // Before its number may be another process's.
        watcher?.kill("SIGKILL");
        process.off("exit", killAtOnce);
        const late = sleep(LAST_LINES_MILLIS, undefined, { ref: false });
        void Promise.race([closed, late]).then(() => {
          const fullDisk = outputs.map(({ failures }) => failures.fullDisk).find((each) => each !== undefined);
          resolve({ code, signal, error: undefined, fullDisk });
        });
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks it to end, and ends it when it does not. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const patience = new AbortController();
    const late = sleep(STOP_MILLIS, true, { signal: patience.signal }).catch(() => false);
    const isLate = await Promise.race([this.ended.then(() => false), late]);
    patience.abort();
    if (isLate) this.#child.kill("SIGKILL");
    await this.ended;
  }
}

/** A process that ends another one when this one is gone. Undefined: the system has no shell for it. */
export function watched(pid: number | undefined): ChildProcess | undefined {
  if (pid === undefined || process.platform === "win32") return undefined;
  const watcher = spawn("/bin/sh", ["-c", WATCH, String(pid)], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  watcher.on("error", () => undefined);
  watcher.stdin.on("error", () => undefined);
  watcher.unref();
  return watcher.pid === undefined ? undefined : watcher;
}

export function describeEnd({ code, signal, error }: CometEnd): string {
  if (error) return `it could not be started: ${error.message}`;
  return signal ? `signal ${signal}` : `exit status ${code}`;
}
