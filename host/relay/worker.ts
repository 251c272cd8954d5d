/**
 * The application as a process of its own, which serves ABCI on a socket in the home. It ends with this process, however that
 * ends: its channel closes then, and where it does not hear that, a watcher ends it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { watched } from "../abci/comet/process.js";
import { FrameReader, frame } from "../abci/frames.js";
import { UpgradeError } from "../errors.js";
import { envPrefix } from "../program-name.js";
import { commandOf, type Program } from "./layout.js";
import { type ChainPlace, EXCEPTION, exceptionText, FLUSH, INFO, messageNumber, placeOfInfo } from "./message.js";

const STDERR = 2;
/** Between two looks whether it serves. */
const LOOK_MILLIS = 10;
/** What it does after its sockets are closed. */
const END_MILLIS = 20_000;
/** A shell's status of a program that a signal ended is 128 and more. */
const SIGNALED_EXIT = 128;

export interface WorkerEnd {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It could not be started. */
  readonly error: Error | undefined;
}

export interface WorkerOptions {
  readonly program: Program;
  /** Of the program: `start` and its flags. */
  readonly args: readonly string[];
  /** The path of its socket. */
  readonly socket: string;
}

export class Worker {
  readonly program: Program;
  /** Settles when it is gone; never rejects. */
  readonly ended: Promise<WorkerEnd>;
  readonly #child: ChildProcess;
  /** Open as long as the worker is used: without one it takes CometBFT to be gone. */
  #own: Socket | undefined;
  #isGone = false;

  constructor(private readonly options: WorkerOptions) {
    const { program, args, socket } = options;
    this.program = program;
    rmSync(socket, { force: true });
    const [command, ...before] = commandOf(program);
    // In a process group of its own: a terminal's Ctrl-C comes to the relay, which ends all in order.
    this.#child = spawn(command, [...before, ...args], {
      stdio: ["ignore", STDERR, STDERR, "ipc"],
      detached: true,
      // The commands of its halt.json are those of the relay.
      env: { ...process.env, [`${envPrefix()}RELAYED`]: "1" },
    });
    this.#child.channel?.unref();
    const watcher = watched(this.#child.pid);
    const killAtOnce = () => this.#child.kill("SIGKILL");
    process.once("exit", killAtOnce);
    this.ended = new Promise((resolve) => {
      const over = (end: WorkerEnd) => {
        this.#isGone = true;
        // Before its number may be another process's.
        watcher?.kill("SIGKILL");
        process.off("exit", killAtOnce);
        this.#own?.destroy();
        resolve(end);
      };
      this.#child.once("error", (error) => this.#child.pid === undefined && over({ exit: null, signal: null, error }));
      this.#child.once("exit", (exit, signal) => over({ exit, signal, error: undefined }));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Waits until it serves, and asks where its chain is. Undefined: it has ended. @throws UpgradeError UPG_REMOTE_REFUSED */
  async place(): Promise<ChainPlace | undefined> {
    while (!this.#isGone) {
      const socket = await this.connect().catch(() => undefined);
      if (socket) {
        this.#own = socket;
        return await placeOf(socket);
      }
      await Promise.race([sleep(LOOK_MILLIS), this.ended]);
    }
    return undefined;
  }

  /** @throws Error: it does not serve, or not any more */
  connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.options.socket);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(socket);
      });
    });
  }

  /** It is of no more use: what it does at its end is left to it, for a while. */
  async end(): Promise<WorkerEnd> {
    this.#own?.destroy();
    const late = new AbortController();
    const patience = sleep(END_MILLIS, undefined, { signal: late.signal }).catch(() => undefined);
    const end = await Promise.race([this.ended, patience]);
    late.abort();
    return end ?? (await this.kill());
  }

  /** Asks it to end, and ends it when it does not. */
  async stop(): Promise<WorkerEnd> {
    this.#child.kill("SIGTERM");
    return this.end();
  }

  async kill(): Promise<WorkerEnd> {
    this.#child.kill("SIGKILL");
    return this.ended;
  }
}

/** The first response is to Info. Undefined: it hung up. @throws UpgradeError UPG_REMOTE_REFUSED */
async function placeOf(socket: Socket): Promise<ChainPlace | undefined> {
  socket.on("error", () => undefined);
  for (const message of [INFO, FLUSH]) for (const part of frame(message)) socket.write(part);
  const frames = new FrameReader();
  const first = await new Promise<Uint8Array | undefined>((resolve) => {
    socket.once("close", () => resolve(undefined));
    socket.on("data", (chunk: Uint8Array) => {
      for (const message of frames.take(chunk)) resolve(message);
    });
  });
  if (first && messageNumber(first) === EXCEPTION) {
    throw new UpgradeError("UPG_REMOTE_REFUSED", `the worker refused Info: ${exceptionText(first)}`);
  }
  return first && placeOfInfo(first);
}

/** What its end asks for. */
export type EndKind = "upgrade" | "too-old" | "again" | "crash" | "final";

/** By the exit statuses of docs/errors.md. Asked to end by somebody else, it is started again. */
export function kindOfEnd({ exit, signal, error }: WorkerEnd): EndKind {
  if (error) return "final";
  if (signal !== null || exit === null || exit >= SIGNALED_EXIT) return "crash";
  if (exit === 10) return "upgrade";
  if (exit === 12) return "too-old";
  if (exit === 14) return "again";
  return exit === 0 || exit === 15 ? "crash" : "final";
}

export function describeWorkerEnd({ exit, signal, error }: WorkerEnd): string {
  if (error) return `could not be started: ${error.message}`;
  return signal ? `ended by ${signal}` : `ended with ${exit}`;
}
