/** One home under a real sidecar, and everything that reports whether it is ready. */
import "../serve-chain.js";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { shellWord } from "../../host/shell-word.js";
import { left } from "../../host/visor/left-processes.js";
import { MARK } from "../../host/visor/run/child-env.js";
import { freePort } from "../e2e/free-port.js";
import { makeBlocksUpTo, makeHome, type PlannedUpgrade, schedule, withNode } from "../e2e/prepared-home.js";
import { genesisText } from "../scenario/genesis-text.js";
import { mountDisk } from "../small-disk.js";
import { type CommandEnd, ofDoctor, ofExit, ofLog, ofMetric, ofStatus, type Surface } from "./surfaces.js";

const DIST = join(import.meta.dirname, "../../dist");
const CHAIND = join(DIST, "chaind.js");
const CHAINVISOR = join(DIST, "chainvisor.js");
const HANDLERS = join(DIST, "handlers");
/** A machine may be several times as slow as the one that this was written on. */
const PATIENCE_MILLIS = 120_000;
/** Until the sidecar has read the plan, fetched what it offers, and tried the staged program. */
const SETTLE_MILLIS = 9_000;

type Ports = Readonly<Record<"rpc" | "api" | "status", number>>;

export interface BedOptions {
  /** Bytes of a disk of its own for the home. */
  readonly disk?: number;
  /** The plan that the state has at the start. */
  readonly plan?: PlannedUpgrade;
  /** Version 2 was applied before, so that a handler may be the next upgrade. */
  readonly isAtV2?: boolean;
}

/** The release that has the plan, and the one before it, as scripts. */
export const oldProgram = (): string => `#!/bin/sh\n[ "$1" = start ] && set -- "$@" --app-version 1\n${execLine()}`;
export const newProgram = (): string => `#!/bin/sh\n${execLine()}`;
const execLine = () => `exec ${shellWord(process.execPath)} ${shellWord(CHAIND)} "$@"\n`;

export class Bed {
  readonly home: string;
  readonly #root: string;
  readonly #disk: string | undefined;
  readonly env: Record<string, string>;
  readonly #ports: Ports;
  log = "";
  #sidecar: ChildProcess | undefined;
  #end: Promise<number | null> | undefined;

  private constructor(options: BedOptions, ports: Ports) {
    this.#disk = options.disk === undefined ? undefined : mountDisk(options.disk);
    if (options.disk !== undefined && this.#disk === undefined) throw new Error("this user may not mount a disk");
    this.#root = mkdtempSync(join(tmpdir(), "chain-upgrade-readiness-"));
    this.home = join(this.#disk ?? this.#root, "home");
    this.#ports = ports;
    this.env = {
      ...{ PATH: process.env["PATH"] ?? "", HOME: this.#root, DAEMON_NAME: "chaind", DAEMON_HOME: this.home },
      ...{ DAEMON_SHUTDOWN_GRACE: "10s", DAEMON_ALLOW_DOWNLOAD_BINARIES: "true" },
      CHAINVISOR_STATUS_ADDRESS: `127.0.0.1:${ports.status}`,
      CHAINVISOR_RPC_ADDRESS: `http://127.0.0.1:${ports.rpc}`,
    };
    makeHome(this.home, genesisText());
    const { plan, isAtV2 = false } = options;
    withNode({ path: this.home, handlers: HANDLERS, appVersion: 1n }, (node) => {
      if (isAtV2) schedule(node, { name: "v2", height: 3n });
      makeBlocksUpTo(node, isAtV2 ? 2n : 4n);
      if (plan && !isAtV2) schedule(node, plan);
    });
    if (isAtV2) {
      withNode({ path: this.home, handlers: HANDLERS }, (node) => {
        makeBlocksUpTo(node, 4n);
        if (plan) schedule(node, plan);
      });
    }
    this.place("genesis", isAtV2 ? newProgram() : oldProgram());
  }

  static async make(options: BedOptions): Promise<Bed> {
    const [rpc, api, status] = [await freePort(), await freePort(), await freePort()];
    return new Bed(options, { rpc, api, status });
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

  /** Makes the plan's height another one, while nothing runs. */
  async reschedule(name: string, height: bigint): Promise<void> {
    withNode({ path: this.home, handlers: HANDLERS, appVersion: 1n }, (node) => schedule(node, { name, height }));
  }

  /** Runs the old program alone until it halts at the plan. */
  async halted(): Promise<void> {
    const end = await command(this.programOf("genesis"), [...this.startArguments, "--home", this.home], this.env);
    if (end.exit !== 10) throw new Error(`expected exit 10 at the height, got ${end.exit}: ${end.stderr.slice(-500)}`);
  }

  /** A file outside the home. */
  file(name: string, bytes: string | Uint8Array): string {
    const path = join(this.#root, name);
    writeFileSync(path, bytes, { mode: 0o755 });
    return path;
  }

  /** Arguments of `run`, which a start repeats. */
  get startArguments(): string[] {
    const { rpc, api } = this.#ports;
    const servers = [
      `--rpc.laddr=tcp://127.0.0.1:${rpc}`,
      `--api.address=tcp://127.0.0.1:${api}`,
      "--grpc.enable=false",
    ];
    return ["start", ...servers, "--block-time", "500ms", "--log_format", "json"];
  }

  start(flags: readonly string[] = []): this {
    const args = [CHAINVISOR, "run", ...this.startArguments, ...flags];
    const child = spawn(process.execPath, args, { env: this.env, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log = (this.log + text).slice(-400_000);
    });
    this.#sidecar = child;
    this.#end = new Promise((resolve) => child.once("close", (exit) => resolve(exit)));
    return this;
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

  async close(): Promise<void> {
    await this.killAll();
    await sleep(200);
    for (const folder of [this.#root, this.#disk]) {
      if (folder === undefined) continue;
      if (folder === this.#disk) await command("umount", ["-l", folder], process.env);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  chaind(args: readonly string[]): Promise<CommandEnd> {
    return command(process.execPath, [CHAIND, ...args, "--home", this.home], this.env);
  }

  chainvisor(args: readonly string[]): Promise<CommandEnd> {
    return command(process.execPath, [CHAINVISOR, ...args], this.env);
  }

  /** Height of the last block; 0: the node cannot be asked. */
  async height(): Promise<number> {
    const status = await fetchText(`http://127.0.0.1:${this.#ports.rpc}/status`);
    return status === undefined ? 0 : Number(JSON.parse(status).result.sync_info.latest_block_height);
  }

  async untilHeight(height: number, patience = PATIENCE_MILLIS): Promise<boolean> {
    for (const end = Date.now() + patience; Date.now() < end; await sleep(100)) {
      if ((await this.height().catch(() => 0)) >= height) return true;
      if (this.sidecar === undefined) {
        // One more look: it may have been started again by the scene.
        await sleep(1_000);
        if (this.sidecar === undefined) return false;
      }
    }
    return false;
  }

  /** Waits until what the sidecar looks at in turns has been looked at. */
  settle(): Promise<void> {
    return sleep(SETTLE_MILLIS);
  }

  /** What everything that reports readiness reports now. */
  async surfaces(plan: string): Promise<Surface[]> {
    const status = await this.chainvisor(["status", "-o", "json"]);
    const doctor = await this.chainvisor(["doctor", "-o", "json"]);
    const preflight = await this.chaind(["upgrade", "preflight", "-o", "json"]);
    const prepare = await this.chainvisor(["prepare", "-o", "json"]);
    const sidecar = await fetchText(`http://127.0.0.1:${this.#ports.status}/metrics`);
    const node = await fetchText(`http://127.0.0.1:${this.#ports.api}/metrics`);
    return [
      ofStatus(status),
      ofDoctor(doctor),
      ofExit("preflight", preflight, 3),
      ofExit("prepare", prepare, 3),
      ofMetric("sidecar metric", sidecar, "chain_upgrade_sidecar_ready"),
      ofMetric("node metric", node, "chain_upgrade_binary_ready"),
      ofLog(this.log, plan),
    ];
  }
}

function command(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { env, timeout: 60_000, maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      const exit = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ exit, stdout, stderr });
    });
    child.stdin?.end();
  });
}

async function fetchText(url: string): Promise<string | undefined> {
  try {
    return await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).text();
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

export const exists = existsSync;
