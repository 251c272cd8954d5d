/** A real `chaind` process with its servers on free ports, for load to be put on. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { genesisText } from "../../test/scenario/genesis-text.js";

export interface LoadedNode {
  /** `http://host:port` */
  readonly rest: string;
  readonly rpc: string;
  /** `host:port` */
  readonly grpc: string;
  /** Seconds of processor time that it took so far; undefined where the system does not say. */
  cpuSeconds(): number | undefined;
  stop(): Promise<void>;
}

const READY_MILLIS = 20_000;

/**
 * Runs `dist/chaind.js` of the working directory.
 * @param blockTime as `--block-time` has it
 */
export async function startNode(blockTime: string): Promise<LoadedNode> {
  const home = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-"));
  const genesis = join(home, "genesis.json");
  mkdirSync(home, { recursive: true });
  writeFileSync(genesis, genesisText());
  // By the program itself, which may be another checkout's: this one's home need not be its.
  execFileSync(process.execPath, ["dist/chaind.js", "init", "bench", "--home", home, "--genesis", genesis], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const any = ["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.address", "127.0.0.1:0", "--api.address", "127.0.0.1:0"];
  const quiet = ["--log_level", "error", "--app-version", "1"];
  const args = ["dist/chaind.js", "start", "--home", home, "--block-time", blockTime, ...quiet, ...any];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const file = join(home, "data", "addresses.json");
  for (let waited = 0; !existsSync(file); waited += 50) {
    if (waited > READY_MILLIS || child.exitCode !== null) throw new Error("the node did not open its servers");
    await sleep(50);
  }
  const { rpc, grpc, api } = JSON.parse(readFileSync(file, "utf8")) as { rpc: string; grpc: string; api: string };
  const rest = api.replace("tcp:", "http:");
  while (!(await isReady(rest))) await sleep(50);
  const stop = async () => {
    await end(child);
    rmSync(home, { recursive: true, force: true });
  };
  return { rest, rpc: rpc.replace("tcp:", "http:"), grpc, cpuSeconds: () => cpuSeconds(child), stop };
}

/** Of /proc, in hundredths of a second. */
const TICKS_PER_SECOND = 100;

function cpuSeconds({ pid }: ChildProcess): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // The name of the program comes second, in brackets; user and system time are the 14th and 15th.
  const [, ...fields] = readFileSync(file, "utf8").split(") ").slice(-1).join("").split(" ");
  return (Number(fields[10]) + Number(fields[11])) / TICKS_PER_SECOND;
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
