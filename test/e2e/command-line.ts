/** `chaind` as people type it, in this process; and a node that makes blocks when a transaction comes, in one of its own. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chaindHere } from "../in-process.js";
import { newPath } from "../test-folder.js";
import { DIST, type End, NO_SERVERS, type Running, run } from "./chaind.js";

const CHAIND = join(DIST, "chaind.js");
const ON_DEMAND = ["--logical-clock", "--block-time", "5s", "--create-empty-blocks=false"];
const SILENT_NODE = ["start", "--logical-clock", "--block-time", "5s", ...NO_SERVERS];
const ONE_SERVER = ["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.enable=false", "--api.enable=false"];
const WAIT_MILLIS = 30_000;

export class CommandLine {
  readonly home = newPath("home");
  readonly env: Record<string, string> = {
    ...{ CHAIND_HOME: this.home, CHAIND_KEYRING_BACKEND: "test", TZ: "UTC", NO_COLOR: "1" },
  };

  /** Runs a command; `input` is what its stdin holds. */
  async run(args: readonly string[], input = "", env: Readonly<Record<string, string>> = {}): Promise<End> {
    const { status, ...output } = await chaindHere(args, { env: { ...this.env, ...env }, stdin: input });
    return { exit: status, signal: null, ...output };
  }

  /** Runs a command in a process of its own. */
  async process(args: readonly string[], input = "", env: Readonly<Record<string, string>> = {}): Promise<End> {
    const running = run(CHAIND, args, { ...this.env, ...env });
    running.child.stdin?.on("error", () => undefined).end(input);
    return running.end;
  }

  /** What it prints with `-o json`. @throws Error when it fails */
  async json(...args: readonly string[]): Promise<Record<string, unknown>> {
    const { exit, stdout, stderr } = await this.run([...args, "-o", "json"]);
    if (exit !== 0) throw new Error(`chaind ${args.join(" ")} ended with ${exit}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  async text(...args: readonly string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run([...args, "-o", "text"]);
    if (exit !== 0) throw new Error(`chaind ${args.join(" ")} ended with ${exit}: ${stderr}`);
    return stdout;
  }

  editGenesis(change: (genesis: Genesis) => void): void {
    const file = join(this.home, "config", "genesis.json");
    const genesis = JSON.parse(readFileSync(file, "utf8")) as Genesis;
    change(genesis);
    writeFileSync(file, JSON.stringify(genesis));
  }

  /** Makes blocks until it halts or has made as many as it was asked for; no server is open. */
  runNode(...args: readonly string[]): Promise<End> {
    return this.run([...SILENT_NODE, ...args]);
  }

  /** The same in a process of its own, which cannot take the test with it when it hangs. */
  nodeProcess(...args: readonly string[]): Promise<End> {
    return this.process([...SILENT_NODE, ...args]);
  }

  /** A node that can be asked; its address becomes the one that commands ask. */
  async startNode(...args: readonly string[]): Promise<Running> {
    const addresses = join(this.home, "data", "addresses.json");
    rmSync(addresses, { force: true });
    const node = run(CHAIND, ["start", ...ON_DEMAND, ...ONE_SERVER, ...args], this.env);
    for (const until = Date.now() + WAIT_MILLIS; !existsSync(addresses); await sleep(20)) {
      if (Date.now() > until || node.child.exitCode !== null)
        throw new Error(`no node: ${(await stopped(node)).stderr}`);
    }
    const { rpc } = JSON.parse(readFileSync(addresses, "utf8")) as { rpc: string };
    this.env["CHAIND_NODE"] = rpc;
    for (const until = Date.now() + WAIT_MILLIS; !(await hasBlock(rpc)); await sleep(20)) {
      if (Date.now() > until || node.child.exitCode !== null)
        throw new Error(`no block: ${(await stopped(node)).stderr}`);
    }
    return node;
  }
}

/** Before its first block a node has no state to ask for. */
async function hasBlock(rpc: string): Promise<boolean> {
  try {
    const response = await fetch(`${rpc.replace(/^tcp/, "http")}/status`, { headers: { connection: "close" } });
    const { result } = (await response.json()) as { result?: { sync_info: { latest_block_height: string } } };
    return BigInt(result?.sync_info.latest_block_height ?? "0") > 0n;
  } catch {
    return false;
  }
}

export function stopped(node: Running): Promise<End> {
  node.child.kill("SIGTERM");
  return node.end;
}

export interface Genesis {
  genesis_time: string;
  app_state: { gov: { params: Record<string, unknown> }; staking: { params: Record<string, unknown> } };
}
