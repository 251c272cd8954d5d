/** A home under a real sidecar, and everything that reports whether it is ready. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { shellWord } from "../../host/base/text/shell-word.js";
import { MARK } from "../../host/visor/decide/child-env.js";
import { left } from "../../host/visor/decide/orphaned-processes.js";
import {
  type CommandEnd,
  ofAlerts,
  ofDoctor,
  ofExit,
  ofLog,
  ofMetric,
  ofPage,
  ofPrepare,
  ofStatus,
  type Surface,
} from "./surfaces.js";

const DIST = join(import.meta.dirname, "../../dist");
export const CHAIND = join(DIST, "chaind.js");
const CHAINVISOR = join(DIST, "chainvisor.js");
export const HANDLERS = join(DIST, "handlers");
/** A machine may be several times as slow as the one that this was written on. */
const PATIENCE_MILLIS = 120_000;
const LOOK_MILLIS = 1_000;
/** The sidecar asks for the plan every five seconds. */
const SETTLED_LOOKS = 12;
const LOOKS_MAX = 120;
/** Ends what the sidecar says of a program before it has judged it. */
const NOT_YET = "has not been tried yet";
const COMMAND_MILLIS = 180_000;

export type Ports = Readonly<Record<"rpc" | "api" | "status", number>>;

interface Found {
  readonly plan?: object | null;
  readonly phase?: string;
  readonly readiness?: readonly { readonly detail: string }[];
}

/** The release that has the plan, and the one before it, as scripts. */
export const oldProgram = (): string => `#!/bin/sh\n[ "$1" = start ] && set -- "$@" --app-version 1\n${execLine()}`;
export const newProgram = (): string => `#!/bin/sh\n${execLine()}`;
const execLine = () => `exec ${shellWord(process.execPath)} ${shellWord(CHAIND)} "$@"\n`;

/** A home under a sidecar, and everything that reports whether it is ready. */
export class Supervised {
  readonly env: Record<string, string>;
  log = "";
  /** That was seen. */
  lastHeight = 0;
  /** Or the node alone. */
  #sidecar: ChildProcess | undefined;
  #end: Promise<number | null> | undefined;
  protected isAlone = false;

  /** @param servers flags of `start` that say where the node listens */
  constructor(
    readonly home: string,
    protected readonly ports: Ports,
    private readonly servers: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    this.env = {
      ...{ PATH: process.env["PATH"] ?? "", DAEMON_NAME: "chaind", DAEMON_HOME: this.home },
      ...{ DAEMON_SHUTDOWN_GRACE: "10s", DAEMON_ALLOW_DOWNLOAD_BINARIES: "true" },
      CHAINVISOR_STATUS_ADDRESS: `127.0.0.1:${ports.status}`,
      CHAINVISOR_RPC_ADDRESS: `http://127.0.0.1:${ports.rpc}`,
      ...env,
    };
  }

  programOf(folder: string): string {
    return join(this.home, "cosmovisor", folder, "bin/chaind");
  }

  /** Puts a file in the place of a program. */
  place(folder: string, bytes: string | Uint8Array, mode = 0o755): string {
    const file = this.programOf(folder);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    chmodSync(file, mode);
    return file;
  }

  stageHandler(name: string, bytes: Uint8Array): string {
    const folder = join(this.home, "handlers/staged");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}.wasm`);
    writeFileSync(file, bytes);
    return file;
  }

  /** Arguments of `run`, which a start repeats. */
  get startArguments(): string[] {
    return ["start", ...this.servers, "--log_format", "json"];
  }

  start(flags: readonly string[] = []): this {
    this.#run(process.execPath, [CHAINVISOR, "run", ...this.startArguments, ...flags]);
    return this;
  }

  /** A program of the home's folders, by hand. */
  startAlone(folder = "genesis"): this {
    this.isAlone = true;
    this.#run(this.programOf(folder), [...this.startArguments, "--home", this.home]);
    return this;
  }

  #run(file: string, args: readonly string[]): void {
    const child = spawn(file, args, { env: this.env, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log = (this.log + text).slice(-400_000);
    });
    this.#sidecar = child;
    this.#end = new Promise((resolve) => child.once("close", (exit) => resolve(exit)));
  }

  /** What was started last has exited, and how. */
  get end(): string {
    const { exitCode, signalCode } = this.#sidecar ?? {};
    return this.sidecar || this.#sidecar === undefined ? "" : `, exit ${exitCode ?? signalCode}`;
  }

  get sidecar(): ChildProcess | undefined {
    return this.#sidecar?.exitCode === null && this.#sidecar.signalCode === null ? this.#sidecar : undefined;
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.sidecar?.kill(signal);
    await this.#end;
  }

  /** The sidecar and all that it started, at once. */
  async killAll(): Promise<void> {
    this.sidecar?.kill("SIGKILL");
    for (const { pid } of left(MARK, join(this.home, "cosmovisor"))) tryKill(pid);
    await this.#end;
  }

  chaind(args: readonly string[]): Promise<CommandEnd> {
    return command(process.execPath, [CHAIND, ...args, "--home", this.home], this.env);
  }

  chainvisor(args: readonly string[]): Promise<CommandEnd> {
    return command(process.execPath, [CHAINVISOR, ...args], this.env);
  }

  /** Height of the last block; 0: the node cannot be asked. */
  async height(): Promise<number> {
    const status = await fetchText(`http://127.0.0.1:${this.ports.rpc}/status`);
    const height = status === undefined ? 0 : Number(JSON.parse(status).result.sync_info.latest_block_height);
    this.lastHeight = Math.max(this.lastHeight, height);
    return height;
  }

  /** Has blocks made up to this height. False: it was not reached in time, or what was started has exited. */
  async untilHeight(height: number, patience = PATIENCE_MILLIS): Promise<boolean> {
    for (const end = Date.now() + patience; Date.now() < end; await sleep(50)) {
      if ((await this.height().catch(() => 0)) >= height) return true;
      if (this.sidecar === undefined) return false;
      await this.nudge();
    }
    return false;
  }

  /** What makes the chain go on, where it does not by itself. */
  protected async nudge(): Promise<unknown> {
    return undefined;
  }

  /** Waits until the sidecar has read the plan, fetched what it offers, and tried the staged program: its findings stay the same. */
  async settle(): Promise<void> {
    let before = "";
    for (let same = 0, looks = 0; same < SETTLED_LOOKS && looks < LOOKS_MAX; looks++) {
      if (looks % SETTLED_LOOKS === 1) await this.nudge();
      await sleep(LOOK_MILLIS);
      const text = await this.#ofSidecar("/status");
      // None that runs, as after a failure, has nothing to settle.
      if (text === undefined && looks > SETTLED_LOOKS && (this.isAlone || !this.sidecar)) return;
      const { plan, readiness, phase } = JSON.parse(text ?? "{}") as Found;
      const isOpen = phase === "downloading" || readiness?.some(({ detail }) => detail.endsWith(NOT_YET));
      const now = JSON.stringify([plan, readiness]);
      same = plan && !isOpen && now === before ? same + 1 : 0;
      before = now;
    }
  }

  #ofSidecar(path: string): Promise<string | undefined> {
    return fetchText(`http://127.0.0.1:${this.ports.status}${path}`);
  }

  /** What everything that reports readiness reports now. */
  async surfaces(plan: string): Promise<Surface[]> {
    const status = await this.chainvisor(["status", "-o", "json"]);
    const doctor = await this.chainvisor(["doctor", "-o", "json"]);
    const preflight = await this.chaind(["upgrade", "preflight", "-o", "json"]);
    const prepare = await this.chainvisor(["prepare", "-o", "json"]);
    const sidecar = await this.#ofSidecar("/metrics");
    const node = await fetchText(`http://127.0.0.1:${this.ports.api}/metrics`);
    const page = await this.#ofSidecar("/supervisor");
    return [
      ofStatus(status),
      ofDoctor(doctor),
      ofExit("preflight", preflight, 3),
      ofPrepare(prepare),
      ofMetric("sidecar metric", sidecar, "chain_upgrade_sidecar_ready"),
      ofMetric("node metric", node, "chain_upgrade_binary_ready"),
      ofLog(this.log, plan),
      ofPage(page),
      ofAlerts(sidecar, node),
    ];
  }
}

export function command(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env, timeout: COMMAND_MILLIS, maxBuffer: 1 << 24 },
      (error, stdout, stderr) => {
        const exit = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ exit, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

async function fetchText(url: string): Promise<string | undefined> {
  try {
    return await (await fetch(url, { signal: AbortSignal.timeout(20_000) })).text();
  } catch {
    return undefined;
  }
}

function tryKill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It has exited meanwhile.
  }
}
