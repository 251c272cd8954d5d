/** A real `chaind` process with its doors on free ports, for load to be put on. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { initHome } from "../../host/cli/commands/init.js";
import { genesisText } from "../../test/scenario/genesis-text.js";

export interface LoadedNode {
  /** `http://host:port` */
  readonly rest: string;
  readonly rpc: string;
  /** `host:port` */
  readonly grpc: string;
  stop(): Promise<void>;
}

const READY_MILLIS = 20_000;

/** @param blockTime as `--block-time` has it */
export async function startNode(blockTime: string): Promise<LoadedNode> {
  const home = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-"));
  const genesis = join(home, "genesis.json");
  mkdirSync(home, { recursive: true });
  writeFileSync(genesis, genesisText());
  initHome({ home, genesis });
  const any = ["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.address", "127.0.0.1:0", "--api.address", "127.0.0.1:0"];
  const quiet = ["--log_level", "error", "--app-version", "1"];
  const args = ["dist/chaind.js", "start", "--home", home, "--block-time", blockTime, ...quiet, ...any];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const file = join(home, "data", "addresses.json");
  for (let waited = 0; !existsSync(file); waited += 50) {
    if (waited > READY_MILLIS || child.exitCode !== null) throw new Error("the node did not open its doors");
    await sleep(50);
  }
  const { rpc, grpc, api } = JSON.parse(readFileSync(file, "utf8")) as { rpc: string; grpc: string; api: string };
  const rest = api.replace("tcp:", "http:");
  while (!(await isReady(rest))) await sleep(50);
  const stop = async () => {
    await end(child);
    rmSync(home, { recursive: true, force: true });
  };
  return { rest, rpc: rpc.replace("tcp:", "http:"), grpc, stop };
}

async function isReady(rest: string): Promise<boolean> {
  return (await fetch(`${rest}/readyz`)).status === 200;
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("close", () => resolve());
    child.kill("SIGTERM");
  });
}
