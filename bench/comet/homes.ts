/** Homes of a chain's validators in a folder of their own, and the application of one of them as `chaind start` serves it. */

import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fromHex } from "../../host/base/text/bytes.js";
import { parseTime } from "../../host/base/time/time.js";
import { initHome } from "../../host/cli/commands/init.js";
import { initLocalnet } from "../../host/cli/localnet/init.js";
import type { LocalNode } from "../../host/cli/localnet/network.js";
import { exampleContext } from "../../test/example-context.js";
import type { ChainStart } from "./engine.js";

const CHAIN_ID = "bench-1";
const READY_MILLIS = 60_000;
/** Of a validator, as `localnet init` gives it. */
const POWER = 100n;

export interface Homes {
  readonly folder: string;
  readonly nodes: readonly LocalNode[];
  home(node: number): string;
  remove(): Promise<void>;
}

/** @param blockMillis CometBFT waits so long after each block */
export async function makeHomes(count: number, blockMillis: number): Promise<Homes> {
  const folder = await mkdtemp(join(tmpdir(), "chain-upgrade-bench-comet-"));
  const { nodes } = await initLocalnet(exampleContext, folder, count, {
    ...{
      makeHome: (home) => initHome(exampleContext.chain, home),
      chainId: CHAIN_ID,
      appVersion: undefined,
      basePort: undefined,
    },
    ...{ blockNanos: BigInt(blockMillis) * 1_000_000n, votingNanos: 5_000_000_000n },
  });
  return {
    ...{ folder, nodes },
    home: (node) => join(folder, `node${node}`),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** What an engine must know to begin the chain of these homes. */
export function chainStart({ nodes, home }: Homes): ChainStart {
  const read = (at: number, file: string) => JSON.parse(readFileSync(join(home(at), "config", file), "utf8"));
  const { genesis_time } = read(0, "genesis.json") as { genesis_time: string };
  const votes = nodes.map((_, at) => {
    const { address } = read(at, "priv_validator_key.json") as { address: string };
    return { address: fromHex(address.toLowerCase()), power: POWER };
  });
  return { chainId: CHAIN_ID, time: parseTime(genesis_time), votes };
}

export interface Program {
  readonly child: ChildProcess;
  /** Settles when it is gone. */
  readonly ended: Promise<number | null>;
  /** All that it has written. */
  log(): string;
}

/** Starts a program whose output goes into a file of the folder. */
export function startProgram(folder: string, name: string, command: string, args: readonly string[]): Program {
  const file = join(folder, `${name}.log`);
  const log = openSync(file, "w");
  const child = spawn(command, args, { stdio: ["ignore", log, log] });
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
    child.once("error", () => resolve(null));
  });
  return { child, ended, log: () => readFileSync(file, "utf8") };
}

/** The application of a home without CometBFT, its servers on any port. Returns the address of its ABCI. */
export async function startApplication(chaind: string, home: string): Promise<Program & { readonly address: string }> {
  const address = `unix://${join(home, "abci.sock")}`;
  const servers = ["--api.address", "tcp://127.0.0.1:0", "--grpc.address", "127.0.0.1:0"];
  const args = [chaind, "start", "--home", home, "--with-comet=false", "--address", address, ...servers];
  const program = startProgram(home, "application", process.execPath, args);
  await until("the application serves ABCI", program, () => program.log().includes("ABCI server open"));
  return { ...program, address };
}

/** @throws Error when the program ends before, or does not come to it */
export async function until(
  what: string,
  { child, log }: Program,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const end = Date.now() + READY_MILLIS; !(await holds()); await sleep(10)) {
    if (child.exitCode === null && child.signalCode === null && Date.now() < end) continue;
    throw new Error(`waited in vain: ${what}\n${log().slice(-3_000)}`);
  }
}

/** Of /proc, in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time that a process and all of its threads took so far. */
export function cpuSeconds(pid: number | undefined): number {
  // The name of the program comes second, in brackets; user and system time are the 14th and 15th.
  const [, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").slice(-1).join("").split(" ");
  return (Number(fields[10]) + Number(fields[11])) / TICKS_PER_SECOND;
}
