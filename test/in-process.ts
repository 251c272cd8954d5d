/**
 * Runs commands of `chaind` and `chainvisor` in the process of a test. A process takes 0.4 s of CPU to start; the command itself
 * takes a few milliseconds. A command sees the arguments, environment, folder, stdin, stdout and stderr that it is given here, and
 * fails the test when it leaves something behind that the exit of its own process would hide.
 *
 * `start` is called like other commands where it ends by itself: the serving thread is the test's process, and the engine is a
 * thread of the program in dist/. A node that is to be signalled, killed or asked needs a process of its own (e2e/chaind.ts).
 */
import { createHook } from "node:async_hooks";
import fs, { existsSync, readdirSync, readlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Io, PROCESS_IO } from "../host/base/terminal/io.js";
import type { Chain } from "../host/chain/app/chain.js";
import type { ProgramCommand } from "../host/cli/program/program-command.js";
import { DIST } from "./dist.js";
import { exampleChain } from "./example-chain.js";

export interface Surroundings {
  /** On top of the test's own; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly cwd?: string;
  /** Default: the example chain with the handlers that were built. */
  readonly chain?: Chain;
  /** Commands besides those of every chain and `demo`. */
  readonly more?: readonly ProgramCommand[];
}

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The parent of this process is the test runner, with a channel that is not a node's. */
const IO: Io = Object.create(PROCESS_IO, { parent: { value: undefined } });
const BUILT_CHAIN: Chain = { ...exampleChain, handlers: join(DIST, "handlers") };
/** How long a command may take to close what it opened. A process would live as long. */
const CLOSING_MILLIS = 15_000;
/** Listeners of the sidecar's programs (host/visor/run/process-groups.ts): a process adds them once, for good. */
const FOR_GOOD: ReadonlySet<string> = new Set(["stopAll", "killAll"]);
const OPEN_FILES = "/proc/self/fd";

/** Runs a command of `chaind` (or of another chain's program). */
export function chaindHere(args: readonly string[], { chain = BUILT_CHAIN, more = [], ...around }: Surroundings = {}) {
  return inTurn(() =>
    runHere("chaind.js", args, around, async () => {
      const { runCommandLine } = await import("../host/cli/program/command-line.js");
      const { demoCommand } = await import("../host/cli/demo/run-demo.js");
      const status = await runCommandLine(chain, args, IO, [demoCommand, ...more]);
      // A command of the chain's own may set the status itself.
      return status || Number(process.exitCode ?? 0);
    }),
  );
}

/** Runs a command of `chainvisor` that reads or writes files. */
export function chainvisorHere(args: readonly string[], around: Surroundings = {}) {
  return inTurn(() =>
    runHere("chainvisor.js", args, around, async () => {
      const { runVisorCommand } = await import("../host/visor/run/command-line.js");
      return runVisorCommand(args, IO);
    }),
  );
}

let last: Promise<unknown> = Promise.resolve();

/** stdout, the environment and the folder are the process's, so commands run one after the other. */
function inTurn<T>(run: () => Promise<T>): Promise<T> {
  const own = last.then(run, run);
  last = own.catch(() => undefined);
  return own;
}

/** Thrown where a command calls `process.exit`, so that nothing after it runs. */
class Exited extends Error {}

async function runHere(
  program: string,
  args: readonly string[],
  { env = {}, stdin = "", cwd }: Surroundings,
  run: () => Promise<number>,
): Promise<Ended> {
  const [before, opened] = [leftovers(), watchOpened()];
  const [stdout, stderr] = [new Captured(1), new Captured(2)];
  let exited: ((status: number) => void) | undefined;
  const exit = new Promise<number>((resolve) => {
    exited = resolve;
  });
  const restore = [
    ...[replaced("stdout", stdout), replaced("stderr", stderr), replaced("stdin", inputOf(stdin))],
    replaced("argv", [process.execPath, join(DIST, program), ...args]),
    replaced("exit", (status?: number | string) => {
      exited?.(Number(status ?? process.exitCode ?? 0));
      // What is written after it would not be seen.
      for (const stream of [stdout, stderr]) stream.close();
      throw new Exited(`process.exit(${status})`);
    }),
    ...[withSystemCalls({ 1: stdout, 2: stderr }), withEnvironment(env), withFolder(cwd), withExitCode()],
  ];
  const words = `${program} ${args.join(" ")}`;
  try {
    let status: number;
    try {
      status = await Promise.race([exit, run()]);
    } finally {
      for (const undo of restore.reverse()) undo();
    }
    await expectNothingLeft(words, before, opened.left);
    return { status, stdout: stdout.text, stderr: stderr.text };
  } finally {
    opened.stop();
  }
}

/** Keeps what is written to it. */
class Captured extends Writable {
  readonly #chunks: Buffer[] = [];
  #isClosed = false;

  constructor(readonly fd: 1 | 2) {
    super({ decodeStrings: true });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.#isClosed) this.#chunks.push(chunk);
    done();
  }

  close(): void {
    this.#isClosed = true;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/** A pipe that holds a text and ends. */
function inputOf(text: string): Readable {
  return Object.assign(Readable.from(text === "" ? [] : [Buffer.from(text)], { objectMode: false }), {
    fd: 0,
    unref: () => undefined,
  });
}

function replaced(name: "stdout" | "stderr" | "stdin" | "argv" | "exit", value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor;
  Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
  return () => Object.defineProperty(process, name, own);
}

/** `export` writes to the descriptor of stdout, since nothing of a document may wait in memory. */
function withSystemCalls(streams: Readonly<Record<number, Captured>>): () => void {
  const { writeSync } = fs;
  const written = (fd: number, bytes: string | Uint8Array, ...rest: never[]) => {
    const stream = streams[fd];
    if (!stream) return (writeSync as (...args: unknown[]) => number)(fd, bytes, ...rest);
    const [offset = 0, length = bytes.length - offset] = rest as number[];
    const text = typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes.subarray(offset, offset + length));
    stream.write(text);
    return text.length;
  };
  // `upgrade rehearse` gives way to every other process; the tests after it are not to.
  const { setPriority } = os;
  Object.assign(fs, { writeSync: written });
  Object.assign(os, { setPriority: () => undefined });
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, { writeSync });
    Object.assign(os, { setPriority });
    syncBuiltinESMExports();
  };
}

function withEnvironment(env: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  const set = ([name, value]: readonly [string, string | undefined]) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const each of Object.entries(env)) set(each);
  return () => before.forEach(set);
}

function withFolder(cwd: string | undefined): () => void {
  const before = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  return () => process.chdir(before);
}

function withExitCode(): () => void {
  const before = process.exitCode;
  process.exitCode = undefined;
  return () => {
    process.exitCode = before;
  };
}

/** Timers, sockets, pipes and child processes that were opened from now on, and would keep a process alive. */
function watchOpened() {
  const opened = new Map<number, { readonly type: string; readonly resource: { hasRef?: () => boolean } }>();
  const hook = createHook({
    init: (id, type, _trigger, resource: { hasRef?: () => boolean }) => {
      if (type !== "PROMISE" && resource.hasRef) opened.set(id, { type, resource });
    },
    destroy: (id) => void opened.delete(id),
  }).enable();
  const left = () => Array.from(opened.values()).flatMap(({ type, resource }) => (resource.hasRef?.() ? [type] : []));
  return { left, stop: () => void hook.disable() };
}

/** Counts of what would act in a process later, by kind, and the files that are open. */
function leftovers(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const add = (kind: string) => found.set(kind, (found.get(kind) ?? 0) + 1);
  for (const event of process.eventNames())
    for (const { name } of process.listeners(event as "exit"))
      if (!FOR_GOOD.has(name)) add(`listener ${name} of ${String(event)}`);
  for (const file of openFiles()) add(`open file ${file}`);
  return found;
}

function openFiles(): string[] {
  if (!existsSync(OPEN_FILES)) return [];
  return readdirSync(OPEN_FILES).flatMap((fd) => {
    try {
      const path = readlinkSync(join(OPEN_FILES, fd));
      return path.startsWith("/") && !/^\/(?:dev|proc)\//.test(path) ? [path] : [];
    } catch {
      return [];
    }
  });
}

async function expectNothingLeft(
  words: string,
  before: ReadonlyMap<string, number>,
  opened: () => readonly string[],
): Promise<void> {
  // The timer of this wait is not to be counted itself.
  for (const until = Date.now() + CLOSING_MILLIS; ; await sleep(10, undefined, { ref: false })) {
    const more = [...leftovers()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind);
    const left = [...opened(), ...more];
    if (left.length === 0) return;
    if (Date.now() > until) throw new Error(`${words} left behind: ${left.join(", ")}`);
  }
}
