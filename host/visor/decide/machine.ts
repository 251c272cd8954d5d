/**
 * What the sidecar has of the machine. Everything it does goes through these, so that a test runs it with a clock of its own, processes
 * that it makes up, and a disk that fails at any call.
 */
import type { Files } from "../../base/files/files.js";

export interface Clock {
  /** Milliseconds that only grow; the difference of two counts. */
  now(): number;
  /** Milliseconds since 1970, for people. */
  wall(): number;
  /** Settles early, and without an error, when `signal` is aborted. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
}

export interface StartOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** It loads everything and waits until it is called, where the program knows how (base/terminal/standby.ts). */
  readonly isStandby?: boolean;
  /**
   * It serves this process alone: it has a process group of its own, so that a terminal's keys reach this process, which ends all in order;
   * its output is on stderr; and it does not outlive this process, however that ends.
   */
  readonly isWorker?: boolean;
}

/** How a process ended. `error`: it could not be run at all. */
export interface ProcessEnd {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error | undefined;
}

export function endText({ exit, signal, error }: ProcessEnd): string {
  if (error) return error.message;
  return exit === null ? `signal ${signal ?? "unknown"}` : `exit status ${exit}`;
}

/** The application. It has the sidecar's own stdin, stdout and stderr, unless it is a worker. */
export interface AppProcess {
  readonly pid: number | undefined;
  /** Settles once; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** It is held back, and has said so. */
  readonly isReady: boolean;
  /** Lets one that is held back go on. */
  call(): void;
  /** Nothing when it has ended. */
  kill(signal: NodeJS.Signals): void;
}

export interface RunOptions extends Omit<StartOptions, "isStandby" | "isWorker"> {
  /** After that it is killed, and the run is an error. */
  readonly millisMax?: number;
  readonly signal?: AbortSignal;
  /** Gets each line of stdout and stderr, of which at most 1 MiB each is returned besides. */
  readonly onLine?: (line: string) => void;
}

export interface RunEnd extends ProcessEnd {
  readonly stdout: string;
  readonly stderr: string;
}

export interface Processes {
  start(file: string, options: StartOptions): AppProcess;
  /**
   * What was started and left running, by another sidecar or by an application that has ended: processes with this variable in the
   * environment that they were started with, but no children of such, nor those that this machine has started. Their ends have no
   * status. Empty where the system does not say.
   */
  left(variable: string, value: string): readonly AppProcess[];
  /** Never rejects. */
  run(file: string, options: RunOptions): Promise<RunEnd>;
}

export interface Machine {
  readonly files: Files;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Calls back when something in a folder may have changed; a poll does not rely on it. Returns what ends it. */
  watch(folder: string, onChange: () => void): () => void;
}
