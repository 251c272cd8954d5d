/**
 * Runs nodes of a local network as children of this process until all have ended. A channel to each of them closes with
 * this process, however it ends, and a node whose channel closes ends too: none is left behind.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { messageOf } from "../../base/errors/errors.js";
import { StopRequests } from "../../base/terminal/stop-requests.js";
import { HOLDING } from "../../node/home/halt-linger.js";
import { eventOf, isOfComet, type NodeEvent } from "./lines.js";
import { homeOf, type LocalNode } from "./network.js";

export interface RunOptions {
  /** Of the network. */
  readonly folder: string;
  readonly nodes: readonly LocalNode[];
  /** The program and the arguments that come before `start`. */
  readonly command: readonly string[];
  /** Flags of `start`. */
  readonly flags: readonly string[];
  /** All nodes are asked to stop as soon as one has ended. */
  readonly isAllOrNone: boolean;
  readonly onEvent: (event: NodeEvent) => void;
}

interface NodeEnd {
  readonly node: string;
  /** Undefined: by a signal. */
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was asked to stop before. */
  readonly isAsked: boolean;
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** A node that is asked to stop has CometBFT stop first. */
const STOP_MILLIS = 40_000;
/** What a node has written is read for so long after its end: a process that it left behind may hold its stderr. */
const LAST_LINES_MILLIS = 5_000;
/** Of a node that a signal ended. */
const SIGNALED_EXIT = 1;

/** Returns the exit status: 0 when every node ended well, else that of the first one that did not. */
export async function runNetwork(options: RunOptions): Promise<number> {
  const children = options.nodes.map((node) => new Child(node, options));
  const requests = new StopRequests();
  const stopAll = () => {
    for (const child of children) child.stop();
  };
  const listener = (signal: NodeJS.Signals) => {
    if (requests.take(signal) === "at once") for (const child of children) child.kill();
    stopAll();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  const ends: NodeEnd[] = [];
  try {
    await Promise.all(
      children.map(async (child) => {
        ends.push(await child.ended);
        if (options.isAllOrNone) stopAll();
      }),
    );
  } finally {
    for (const signal of SIGNALS) process.off(signal, listener);
  }
  return exitOf(ends);
}

/** In the order in which they ended. */
function exitOf(ends: readonly NodeEnd[]): number {
  const failed = ends.find(({ exit }) => exit !== 0);
  return failed ? (failed.exit ?? SIGNALED_EXIT) : 0;
}

class Child {
  /** Settles when it is gone and its log is written; never rejects. */
  readonly ended: Promise<NodeEnd>;
  readonly #process: ChildProcess;
  #isAsked = false;
  /** It has come to a height where it ends. */
  #isHalting = false;
  #isGone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(node: LocalNode, { folder, command, flags, onEvent }: RunOptions) {
    const home = homeOf(folder, node);
    const [program = "", ...before] = command;
    const args = [...before, "start", "--home", home, "--engine", "cometbft", "--log_format", "json", ...flags];
    // In a group of its own: a terminal's Ctrl-C comes to this process, which asks each node once.
    this.#process = spawn(program, args, { stdio: ["ignore", "ignore", "pipe", "ipc"], detached: true });
    const log = createWriteStream(join(home, "node.log"), { flags: "a" });
    let isLogged = true;
    log.on("error", (error) => {
      isLogged = false;
      onEvent({
        node: node.name,
        event: "log",
        level: "warn",
        message: `node.log cannot be written: ${messageOf(error)}`,
      });
    });
    const read = readLines(this.#process, (line) => {
      if (isLogged) log.write(`${line}\n`);
      const event = eventOf(node.name, line);
      this.#isHalting ||= event?.event === "log" && String(event["message"]).startsWith(HOLDING);
      // CometBFT that is stopped logs each closed connection as an error, and one whose application halts a failure of consensus.
      if (event && !((this.#isAsked || this.#isHalting) && isOfComet(line))) onEvent(event);
    });
    this.#process.once("spawn", () => onEvent({ node: node.name, event: "start", pid: this.#process.pid, home }));
    this.ended = this.#end(node.name, onEvent, join(home, "node.log"), async () => {
      const timer = setTimeout(() => this.#process.stderr?.destroy(), LAST_LINES_MILLIS);
      await read;
      clearTimeout(timer);
      await closed(log);
    });
  }

  stop(): void {
    // A timer of one that is gone would keep this process.
    if (this.#isAsked || this.#isGone) return;
    this.#isAsked = true;
    this.#process.kill("SIGTERM");
    this.#timer = setTimeout(() => this.kill(), STOP_MILLIS);
  }

  /** CometBFT ends when the node's sockets close. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  async #end(
    node: string,
    onEvent: RunOptions["onEvent"],
    log: string,
    written: () => Promise<void>,
  ): Promise<NodeEnd> {
    const [exit, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.#process.once("exit", (code, by) => resolve([code, by]));
      this.#process.once("error", (error) => {
        onEvent({ node, event: "log", level: "error", message: `it could not be started: ${messageOf(error)}` });
        resolve([SIGNALED_EXIT, null]);
      });
    });
    this.#isGone = true;
    clearTimeout(this.#timer);
    await written();
    onEvent({ node, event: "end", exit, signal, log });
    return { node, exit, signal, isAsked: this.#isAsked };
  }
}

/** Its lines until its stderr closes: CometBFT writes there too, and may be the last to end. */
async function readLines({ stderr }: ChildProcess, onLine: (line: string) => void): Promise<void> {
  if (!stderr) return;
  try {
    for await (const line of createInterface({ input: stderr, crlfDelay: Number.POSITIVE_INFINITY })) onLine(line);
  } catch {
    // It was closed from here, after the node had ended.
  }
}

function closed(log: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (log.destroyed) resolve();
    else log.end(() => resolve()).once("error", () => resolve());
  });
}
