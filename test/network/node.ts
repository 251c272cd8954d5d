/** One node of a test's network: its processes, and what its CometBFT says. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalNode } from "../../host/cli/localnet/network.js";
import { RpcClient } from "../../host/node/remote/client.js";
import type { HaltRecord } from "../../host/upgrade/module/halt.js";

/** A machine may be several times as slow as the one that this was written on. */
const PATIENCE_MILLIS = 120_000;
export const LOG_CHARACTERS_MAX = 200_000;

export interface NodeEnd {
  readonly exit: number | null;
  readonly log: string;
}

export interface StartOptions {
  readonly flags?: readonly string[];
  /** By `chaind relay`, with the programs of the home's folders. */
  readonly isRelayed?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export class NetNode {
  readonly rpc: RpcClient;
  #child: ChildProcess | undefined;
  #log = "";
  /** Of the CometBFT that it started last. */
  #comet: number | undefined;
  #end: Promise<NodeEnd> | undefined;

  constructor(
    readonly home: string,
    readonly own: LocalNode,
    /** The program that runs: a script. */
    readonly program: string,
    readonly comet: string,
  ) {
    this.rpc = new RpcClient(`tcp://127.0.0.1:${own.rpc}`, 5_000);
  }

  /** Starts `chaind start`; `flags` are its own. */
  start({ flags = [], env = {}, isRelayed = false }: StartOptions = {}): this {
    const verb = isRelayed ? ["relay"] : ["start", "--engine", "cometbft"];
    const args = [this.program, ...verb, "--home", this.home, "--log_format", "json", ...flags];
    const all = { ...process.env, COMETBFT_BIN: this.comet, ...env };
    // The channel closes with this process: no node is left behind.
    const child = spawn(process.execPath, args, { env: all, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#log = "";
    this.#comet = undefined;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#log += text;
      // Before the line is cut off.
      this.#comet ??= cometOf(this.#log);
      this.#log = this.#log.slice(-LOG_CHARACTERS_MAX);
    });
    this.#child = child;
    this.#end = new Promise((resolve) => {
      child.once("error", (error) => {
        this.#log += `${error}\n`;
      });
      child.once("close", (exit) => {
        this.#child = undefined;
        // Its number may become another process's.
        this.#comet = undefined;
        resolve({ exit, log: this.#log });
      });
    });
    return this;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Has it started CometBFT? */
  get hasComet(): boolean {
    return this.#comet !== undefined;
  }

  /** Of the process that was started; undefined: it has ended. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Of its CometBFT. */
  get cometPid(): number | undefined {
    return this.#comet;
  }

  get log(): string {
    return this.#log;
  }

  /** How it ends by itself. @throws Error when it does not */
  async end(): Promise<NodeEnd> {
    if (!this.#end) throw new Error(`${this.own.name} was not started`);
    const late = new AbortController();
    const timeout = sleep(PATIENCE_MILLIS, undefined, { signal: late.signal }).catch(() => undefined);
    const end = await Promise.race([this.#end, timeout]);
    late.abort();
    if (end) return end;
    throw new Error(`${this.own.name} goes on where it should end:\n${this.#log.slice(-3_000)}`);
  }

  /** Runs a command of the program on this home. @throws Error when it fails */
  command(...words: readonly string[]): void {
    const env = { ...process.env, COMETBFT_BIN: this.comet };
    execFileSync(process.execPath, [this.program, ...words, "--home", this.home], { env, stdio: "pipe" });
  }

  async stop(): Promise<NodeEnd> {
    this.#child?.kill("SIGTERM");
    return this.end();
  }

  /** Ends the application at once; its CometBFT ends when its sockets close. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  /** Ends its CometBFT at once; the application itself ends then. False: there is none yet, and the application was killed. */
  killComet(): boolean {
    try {
      if (this.#comet !== undefined) return process.kill(this.#comet, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
    this.kill();
    return false;
  }

  data(name: string): string {
    return join(this.home, "data", name);
  }

  get halt(): HaltRecord | undefined {
    const file = this.data("halt.json");
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as HaltRecord) : undefined;
  }

  /** Height of CometBFT's last block; 0: it cannot be asked. */
  async height(): Promise<number> {
    const status = (await this.rpc.call("status").catch(() => undefined)) as
      | { sync_info: { latest_block_height: string } }
      | undefined;
    return Number(status?.sync_info.latest_block_height ?? 0);
  }

  async untilHeight(height: number): Promise<void> {
    await until(
      `${this.own.name} reaches height ${height}`,
      async () => (await this.height()) >= height,
      () => {
        if (!this.isRunning)
          throw new Error(`${this.own.name} ended before height ${height}:\n${this.#log.slice(-3_000)}`);
      },
    );
  }

  /** Block hash and app hash by height, as the headers have them. */
  async headers(from: number, to: number): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (let at = from; at <= to; at += HEADERS_MAX) {
      const range = { minHeight: String(at), maxHeight: String(Math.min(at + HEADERS_MAX - 1, to)) };
      const { block_metas } = (await this.rpc.call("blockchain", range)) as { block_metas: BlockMeta[] };
      for (const { block_id, header } of block_metas)
        found.set(Number(header.height), `${block_id.hash} ${header.app_hash}`);
    }
    return found;
  }
}

/** A line that is whole: its end may come later. */
function cometOf(log: string): number | undefined {
  const [, pid] = /CometBFT started: [^"]*, process (\d+)"/.exec(log) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** As many as CometBFT returns at once. */
const HEADERS_MAX = 20;

interface BlockMeta {
  readonly block_id: { readonly hash: string };
  readonly header: { readonly height: string; readonly app_hash: string };
}

/** Waits until it holds. @throws Error when it does not */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  check: () => void = () => undefined,
): Promise<void> {
  for (const end = Date.now() + PATIENCE_MILLIS; !(await holds()); await sleep(50)) {
    check();
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
  }
}
