/** A supervisor with Cosmovisor's environment over a home, and the lines that it and its node write, with their times. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "../../house/sources.js";

/** A build elsewhere can be tried too, while this one is being made again. */
export const DIST = process.env["CHAIN_UPGRADE_DIST"] ?? join(ROOT, "dist");

export const SUPERVISORS = ["chainvisor", "cosmovisor"] as const;
export type SupervisorName = (typeof SUPERVISORS)[number];

/** An operator moves from one to the other by this word alone. */
export function commandOf(name: SupervisorName, cosmovisor: string): readonly [string, ...string[]] {
  return name === "chainvisor" ? [process.execPath, join(DIST, "chainvisor.js")] : [cosmovisor];
}

/** Puts a program where both of them look for it. */
export function place(home: string, folder: string, name: string, program: string): void {
  const bin = join(home, "cosmovisor", folder, "bin");
  mkdirSync(bin, { recursive: true });
  const file = join(bin, name);
  try {
    linkSync(program, file);
  } catch {
    copyFileSync(program, file);
  }
  chmodSync(file, 0o755);
}

export interface Line {
  readonly at: number;
  readonly text: string;
}

const STOP_MILLIS = 20_000;
const STEP_MILLIS = 20;

export class Supervised {
  readonly lines: Line[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(
    command: readonly [string, ...string[]],
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    private readonly home: string,
  ) {
    const [file, ...before] = command;
    const options = {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"],
    };
    const child = spawn(file, [...before, ...args], { ...options, detached: true });
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on("line", (text) => {
        this.lines.push({ at: performance.now(), text: stripVTControlCharacters(text) });
      });
    }
    this.#child = child;
    this.#ended = once(child, "exit").then(([code]) => code as number | null);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** When the first line like this came. @throws Error: the supervisor ended before, or it took too long */
  async says(pattern: RegExp, millisMax: number): Promise<number> {
    for (const end = performance.now() + millisMax; ; await sleep(STEP_MILLIS)) {
      const found = this.lines.find(({ text }) => pattern.test(text));
      if (found) return found.at;
      if (this.hasEnded || performance.now() > end) throw new Error(`no line like ${pattern}\n${this.tail()}`);
    }
  }

  tail(lines = 15): string {
    const own = this.lines.slice(-lines);
    return own.map(({ text }) => text.slice(0, 400)).join("\n");
  }

  /** By SIGTERM. What ran on after it is ended too, and named. */
  async stop(): Promise<{ readonly exit: number | null; readonly leftRunning: number }> {
    if (!this.hasEnded) this.#child.kill("SIGTERM");
    const late = new AbortController();
    await Promise.race([this.#ended, sleep(STOP_MILLIS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    const exit = this.#child.exitCode;
    // A node that was sent a signal of its own has a moment for it.
    for (const end = performance.now() + 3_000; processesOf(this.home).length > 0 && performance.now() < end; )
      await sleep(STEP_MILLIS);
    const left = processesOf(this.home);
    for (const pid of left) process.kill(pid, "SIGKILL");
    return { exit, leftRunning: left.length };
  }
}

/** Processes whose command line has the home. */
function processesOf(home: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^[0-9]+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(home) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
