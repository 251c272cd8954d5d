/**
 * The application as a process of its own, which serves ABCI on a socket in the home. It ends with this process, however that
 * ends: its channel closes then, and where it does not hear that, a watcher ends it.
 */
import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isUpgradeError } from "../../base/errors/errors.js";
import { watched } from "../../node/comet/engine/process.js";
import type { Program } from "../../node/programs/layout.js";
import { spawnProgram } from "../../node/programs/spawn-program.js";
import type { Plan } from "../decide/decision/plan-file.js";
import type { ProcessEnd } from "../decide/machine.js";
import { CURRENT_PLAN, INFO, type LastBlock, lastBlockOfInfo, planOf } from "./abci-message.js";
import type { Worker } from "./worker.js";
import { WorkerClient } from "./worker-client.js";

const STDERR = 2;
/** To a worker that is held back. */
const CALL = "start";
/** Between two looks whether it serves. */
const LOOK_MILLIS = 10;
/** What it does after its sockets are closed. */
const END_MILLIS = 20_000;

export interface WorkerOptions {
  readonly program: Program;
  /** Of the program: `start` and its flags. */
  readonly args: readonly string[];
  /** The path of its socket. */
  readonly socket: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the program's own variables: `CHAIND_`. */
  readonly prefix: string;
  /** It waits, with everything loaded, until it is asked where its chain is: the home is another worker's until then. */
  readonly isStandby?: boolean;
}

/** Starts a worker; one that cannot be started has ended with the reason. */
export function startWorker(options: WorkerOptions): Worker & { readonly isReady: boolean } {
  try {
    return new WorkerProcess(options);
  } catch (cause) {
    const end = { exit: null, signal: null, error: cause as Error };
    return {
      ...{ program: options.program, pid: undefined, ended: Promise.resolve(end), isReady: false },
      ...{ lastBlock: async () => undefined, plan: async () => undefined, stop: async () => end },
      connect: () => Promise.reject(end.error),
    };
  }
}

class WorkerProcess implements Worker {
  readonly program: Program;
  /** Settles when it is gone; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** It is held back, and has said so: a program that does not know how takes the home. */
  isReady = false;
  readonly #child: ChildProcess;
  /** Open as long as the worker is used: without one it takes CometBFT to be gone. */
  #own: WorkerClient | undefined;
  #isGone = false;

  constructor(private readonly options: WorkerOptions) {
    const { program, args } = options;
    this.program = program;
    // In a process group of its own: a terminal's Ctrl-C comes to the relay, which ends all in order.
    this.#child = spawnProgram(program.file, args, {
      stdio: ["ignore", STDERR, STDERR, "ipc"],
      detached: true,
      // The commands of its halt.json are those of the relay.
      env: { ...options.env, [`${options.prefix}RELAYED`]: options.isStandby ? "next" : "1" },
    });
    this.#child.channel?.unref();
    this.#child.once("message", () => {
      this.isReady = true;
    });
    const watcher = watched(this.#child.pid);
    const killAtOnce = () => this.#child.kill("SIGKILL");
    process.once("exit", killAtOnce);
    this.ended = new Promise((resolve) => {
      const over = (end: ProcessEnd) => {
        this.#isGone = true;
        // Before its number may be another process's.
        watcher?.kill("SIGKILL");
        process.off("exit", killAtOnce);
        this.#own?.close();
        resolve(end);
      };
      this.#child.once("error", (error) => this.#child.pid === undefined && over({ exit: null, signal: null, error }));
      this.#child.once("exit", (exit, signal) => over({ exit, signal, error: undefined }));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async lastBlock(): Promise<LastBlock | undefined> {
    // What a worker that was killed has left.
    rmSync(this.options.socket, { force: true });
    if (this.options.isStandby) this.#child.send(CALL, () => undefined);
    while (!this.#isGone) {
      const socket = await this.connect().catch(() => undefined);
      if (socket) {
        const own = new WorkerClient(socket);
        this.#own = own;
        const info = await own.ask(INFO).catch(unlessHungUp);
        return info && lastBlockOfInfo(info);
      }
      await Promise.race([sleep(LOOK_MILLIS), this.ended]);
    }
    return undefined;
  }

  async plan(): Promise<Plan | undefined> {
    const response = await this.#own?.ask(CURRENT_PLAN);
    return response && planOf(response);
  }

  connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.options.socket);
      // Later ones are seen where it is read or written.
      socket.on("error", reject);
      socket.once("connect", () => resolve(socket));
    });
  }

  async stop(): Promise<ProcessEnd> {
    this.#child.kill("SIGTERM");
    this.#own?.close();
    const late = new AbortController();
    const patience = sleep(END_MILLIS, undefined, { signal: late.signal }).catch(() => undefined);
    const end = await Promise.race([this.ended, patience]);
    late.abort();
    if (end) return end;
    this.#child.kill("SIGKILL");
    return this.ended;
  }
}

/** @throws UpgradeError UPG_REMOTE_REFUSED */
function unlessHungUp(error: unknown): undefined {
  if (isUpgradeError(error)) throw error;
}
