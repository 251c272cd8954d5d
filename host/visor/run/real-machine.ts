/** The machine that the sidecar runs on. */
import type { ChildProcess } from "node:child_process";
import { watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { diskFiles } from "../../base/files/disk-files.js";
import { decodeLossy } from "../../base/text/text.js";
import { watched } from "../../node/comet/engine/process.js";
import { onLines } from "../../node/programs/output-lines.js";
import { spawnProgram } from "../../node/programs/spawn-program.js";
import type { AppProcess, Machine, ProcessEnd, RunEnd, RunOptions, StartOptions } from "../decide/machine.js";
import { left } from "../decide/orphaned-processes.js";
import { endOf, startGroup, stopGroup } from "./process-groups.js";

const STDERR = 2;
const OUTPUT_BYTES_MAX = 1_024 * 1_024;
/** Between two looks at a process that is no child. */
const LOOK_MILLIS = 20;
/** To a process that is held back (base/terminal/standby.ts). */
const CALL = "start";

export const realMachine: Machine = {
  files: diskFiles,
  clock: {
    now: () => performance.now(),
    wall: () => Date.now(),
    sleep: (millis, signal) => sleep(millis, undefined, { signal }).catch(() => undefined),
  },
  processes: { start, left, run },
  watch: watchFolder,
};

/** A folder that is missing, or a system that has no more watches, is left to the poll. */
function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}

function start(file: string, options: StartOptions): AppProcess {
  try {
    return new Child(file, options);
  } catch (cause) {
    const ended = Promise.resolve({ exit: null, signal: null, error: cause as Error });
    return { pid: undefined, ended, isReady: false, call: () => undefined, kill: () => undefined };
  }
}

/** In the sidecar's own process group, unless it is a worker: a terminal's keys reach it, and so do its questions for a passphrase. */
class Child implements AppProcess {
  readonly ended: Promise<ProcessEnd>;
  isReady = false;
  readonly #child: ChildProcess;
  #isGone = false;

  constructor(file: string, { args, env, cwd, isStandby = false, isWorker = false }: StartOptions) {
    const streams = isWorker ? (["ignore", STDERR, STDERR] as const) : (["inherit", "inherit", "inherit"] as const);
    this.#child = spawnProgram(file, args, {
      stdio: isStandby || isWorker ? [...streams, "ipc"] : [...streams],
      ...{ env: { ...env }, cwd, detached: isWorker },
    });
    this.#child.channel?.unref();
    this.#child.once("message", () => {
      this.isReady = true;
    });
    // A worker that does not notice that its channel is closed is ended by a watcher.
    const watcher = isWorker ? watched(this.#child.pid) : undefined;
    // An exception in the sidecar ends the application in order.
    const endToo = () => this.kill(isWorker ? "SIGKILL" : "SIGTERM");
    process.once("exit", endToo);
    this.ended = endOf(this.#child).then((end) => {
      this.#isGone = true;
      // Before its number may be another process's.
      watcher?.kill("SIGKILL");
      process.off("exit", endToo);
      return end;
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  call(): void {
    if (!this.#isGone && this.#child.connected) this.#child.send(CALL, () => undefined);
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#isGone) this.#child.kill(signal);
  }
}

async function run(file: string, { args, env, cwd, onLine, millisMax, signal }: RunOptions): Promise<RunEnd> {
  let started: ReturnType<typeof startGroup>;
  try {
    const options = { env: { ...env }, cwd, detached: true };
    started = startGroup(() => spawnProgram(file, args, { stdio: ["ignore", "pipe", "pipe"], ...options }));
  } catch (cause) {
    return { exit: null, signal: null, error: cause as Error, stdout: "", stderr: "" };
  }
  const { child, group } = started;
  const kept = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream?.on("data", (chunk: Buffer) => {
      if (size < OUTPUT_BYTES_MAX) chunks.push(chunk.subarray(0, OUTPUT_BYTES_MAX - size));
      size += chunk.length;
    });
    return () => decodeLossy(Buffer.concat(chunks));
  });
  if (onLine) onLines([child.stdout, child.stderr], onLine);
  let stopped: Error | undefined;
  let stopping: Promise<unknown> | undefined;
  const stop = (why: string) => {
    stopped ??= new Error(why);
    stopping ??= stopGroup(group);
  };
  const onAbort = () => stop("it was stopped");
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const late = millisMax === undefined ? undefined : setTimeout(() => stop(`no end after ${millisMax} ms`), millisMax);
  const end = await group.ended;
  clearTimeout(late);
  signal?.removeEventListener("abort", onAbort);
  await stopping;
  // What it wrote last is still in the pipes; what its own children keep open is not waited for.
  if (!end.error) await Promise.race([closed(child), sleep(LOOK_MILLIS)]);
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  const [stdout = "", stderr = ""] = kept.map((text) => text());
  return { ...end, ...(stopped && { error: stopped }), stdout, stderr };
}

const closed = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.stdout?.readableEnded && child.stderr?.readableEnded) resolve();
    child.once("close", () => resolve());
  });
