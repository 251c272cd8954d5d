/** The application as a process of its own, which serves ABCI on a socket in the home. */
import { lstatSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isUpgradeError } from "../../base/errors/errors.js";
import type { Program } from "../../node/programs/layout.js";
import type { Plan } from "../decide/decision/plan-file.js";
import { endApp } from "../decide/end-app.js";
import type { AppProcess, Machine, ProcessEnd } from "../decide/machine.js";
import { CURRENT_PLAN, INFO, type LastBlock, lastBlockOfInfo, planOf } from "./abci-message.js";
import type { Worker } from "./worker.js";
import { WorkerClient } from "./worker-client.js";

/** Between two looks whether it serves. */
const LOOK_MILLIS = 10;
/** What it does after its sockets are closed. */
const END_MILLIS = 20_000;

export interface WorkerOptions {
  readonly machine: Pick<Machine, "clock" | "processes">;
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

/** One that cannot be started has ended with the reason. */
export class WorkerProcess implements Worker {
  readonly program: Program;
  /** Settles when it is gone; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  readonly #app: AppProcess;
  /** Open as long as the worker is used: without one it takes CometBFT to be gone. */
  #own: WorkerClient | undefined;
  #isGone = false;

  constructor(private readonly options: WorkerOptions) {
    const { machine, program, args, env, prefix, isStandby = false } = options;
    this.program = program;
    // The commands of its halt.json are those of the relay.
    const variables = { ...env, [`${prefix}RELAYED`]: isStandby ? "next" : "1" };
    const how = { args, env: variables, cwd: process.cwd(), isStandby, isWorker: true };
    this.#app = machine.processes.start(program.file, how);
    this.ended = this.#app.ended.then((end) => {
      this.#isGone = true;
      this.#own?.close();
      return end;
    });
  }

  get pid(): number | undefined {
    return this.#app.pid;
  }

  /** It is held back, and has said so: a program that does not know how takes the home. */
  get isReady(): boolean {
    return this.#app.isReady;
  }

  async lastBlock(): Promise<LastBlock | undefined> {
    // A killed worker leaves its socket here. The relay removes no other file: the worker reports such a file and exits.
    const { socket: path } = this.options;
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path, { force: true });
    if (this.options.isStandby) this.#app.call();
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

  stop(): Promise<ProcessEnd> {
    const { clock } = this.options.machine;
    const end = endApp(this.#app, { clock, signal: "SIGTERM", grace: END_MILLIS });
    this.#own?.close();
    return end;
  }
}

/** @throws UpgradeError UPG_REMOTE_REFUSED */
function unlessHungUp(error: unknown): undefined {
  if (isUpgradeError(error)) throw error;
}
