/** The program as processes: a node that takes transactions over RPC, and commands on its home. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Query } from "../../host/base/gen/cosmos/auth/v1beta1/query_pb.js";
import { toBase64 } from "../../host/base/text/bytes.js";
import { ask } from "../../host/cli/wallet/ask.js";
import { RpcClient } from "../../host/node/remote/client.js";
import { freePort } from "../e2e/free-port.js";
import { GOVERNOR } from "../readiness/governor.js";
import type { Packed } from "../scenario/wallet.js";
import { WARMED } from "./shapes.js";

/** The stack of a process's first thread, and what V8 has optimized. */
export interface Stack {
  /** `ulimit -s`; undefined: the machine's. */
  readonly limitKiB?: number;
  /** `node --stack-size`; undefined: V8's. */
  readonly v8KiB?: number;
  /** V8 has optimized the recursions before the first block. */
  readonly isWarm?: boolean;
}

export const STACKS: readonly Stack[] = [
  {},
  { limitKiB: 2_048 },
  { limitKiB: 65_536 },
  { limitKiB: 65_536, v8KiB: 4_000 },
];

/** Smaller than V8's default: little more than a rehearsal accepts. */
export const SMALL: Stack = { v8KiB: 950 };

/** Exit status of a process that stops instead of deciding. */
export const STOPPED = 70;
const GAS = 100_000_000_000n;
const WAIT_MILLIS = 60_000;
const SERVERS = [
  "--grpc.enable=false",
  "--api.enable=false",
  "--logical-clock",
  "--block-time",
  "5s",
  "--create-empty-blocks=false",
];

/** What became of a transaction: `exit N` is the node's. */
export type Sent = "refused" | "decided" | `exit ${number}`;

function shellLine({ limitKiB, v8KiB }: Stack, args: readonly string[]): string {
  const limit = limitKiB === undefined ? "" : `ulimit -s ${limitKiB} && `;
  const options = v8KiB === undefined ? [] : [`--stack-size=${v8KiB}`];
  return `${limit}exec ${[process.execPath, ...options, ...args].map((each) => `'${each}'`).join(" ")}`;
}

const environment = ({ isWarm = false }: Stack) => ({ ...process.env, ...(isWarm ? { [WARMED]: "1" } : {}) });

interface Ended {
  readonly exit: number;
  readonly output: Record<string, unknown>;
}

/** Runs a command to its end; its output is JSON. */
export async function command(stack: Stack, args: readonly string[]): Promise<Ended> {
  const child = spawn("sh", ["-c", shellLine(stack, [...args, "-o", "json"])], {
    stdio: ["ignore", "pipe", "pipe"],
    env: environment(stack),
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const exit = typeof code === "number" ? code : -1;
  try {
    return { exit, output: JSON.parse(stdout) as Ended["output"] };
  } catch {
    return { exit, output: { stderr } };
  }
}

/** Replays a home's blocks: "same", "stop" for UPG_BUG_ENGINE_LIMIT, or what it printed. */
export async function replay(stack: Stack, program: string, home: string): Promise<string> {
  const { exit, output } = await command(stack, [program, "replay", "--from", home]);
  const { what, got } = (output["difference"] ?? {}) as { what?: string; got?: string };
  if (exit === 0) return "same";
  return what === "failure" && got?.includes("UPG_BUG_ENGINE_LIMIT") ? "stop" : JSON.stringify(output);
}

export class RecursionNode {
  #exit: number | undefined;
  #stderr = "";

  private constructor(
    private readonly child: ChildProcess,
    private readonly rpc: RpcClient,
  ) {
    child.stderr?.setEncoding("utf8").on("data", (lines: string) => {
      this.#stderr += lines;
    });
    child.once("close", (exit, signal) => {
      this.#exit = exit ?? (signal === null ? -1 : 128);
    });
  }

  /** @param options more of `start` */
  static async start(stack: Stack, program: string, home: string, ...options: readonly string[]) {
    const port = await freePort();
    const args = ["start", "--home", home, `--rpc.laddr=tcp://127.0.0.1:${port}`, ...SERVERS, ...options];
    const child = spawn("sh", ["-c", shellLine(stack, [program, ...args])], {
      stdio: ["ignore", "ignore", "pipe"],
      env: environment(stack),
    });
    const node = new RecursionNode(child, new RpcClient(`tcp://127.0.0.1:${port}`, WAIT_MILLIS));
    try {
      await node.#until(async () => (await node.height()) > 0);
    } catch (error) {
      // What is sent to it comes to its exit status.
      if (node.#exit === undefined) throw error;
    }
    return node;
  }

  get exit(): number | undefined {
    return this.#exit;
  }

  get stderr(): string {
    return this.#stderr;
  }

  async height(): Promise<number> {
    const { sync_info } = (await this.rpc.call("status")) as { sync_info: { latest_block_height: string } };
    return Number(sync_info.latest_block_height);
  }

  /** The app hash after the block of a height, once the node has made the next block. */
  async appHash(height: number): Promise<string> {
    await this.#until(async () => (await this.height()) > height);
    const { block } = (await this.rpc.call("block", { height: String(height + 1) })) as {
      block: { header: { app_hash: string } };
    };
    return block.header.app_hash;
  }

  /** Returns once a block has it, it was refused or left out of a proposal, which the log says, or the node has exited. */
  async send(...messages: readonly Packed[]): Promise<Sent> {
    try {
      const before = await this.#account();
      const tx = toBase64(GOVERNOR.sign(messages, { chainId: "scenario-1", gas: GAS, ...before }));
      const { code, hash } = (await this.rpc.call("broadcast_tx_sync", { tx })) as { code: number; hash: string };
      if (code !== 0) return "refused";
      let isLeftOut = false;
      await this.#until(async () => {
        isLeftOut = this.#stderr.includes(hash);
        return isLeftOut || (await this.#account()).sequence > before.sequence;
      });
      return isLeftOut ? "refused" : "decided";
    } catch (error) {
      await this.#until(async () => this.#exit !== undefined);
      if (this.#exit === undefined) throw error;
      return `exit ${this.#exit}`;
    }
  }

  /** @throws when it comes into no block */
  async decided(...messages: readonly Packed[]): Promise<void> {
    const sent = await this.send(...messages);
    if (sent !== "decided") throw new Error(`a message was to be in a block, and came to: ${sent}\n${this.#stderr}`);
  }

  async #account(): Promise<{ readonly accountNumber: bigint; readonly sequence: bigint }> {
    const { info } = await ask(this.rpc, Query.method.accountInfo, { address: GOVERNOR.address });
    return { accountNumber: info?.accountNumber ?? 0n, sequence: info?.sequence ?? 0n };
  }

  /** Waits for the node to exit. Returns its status. */
  async ended(): Promise<number> {
    await this.#until(async () => this.#exit !== undefined);
    return this.#exit ?? -1;
  }

  /** Also when it has exited. */
  async stop(): Promise<void> {
    if (this.#exit !== undefined) return;
    this.child.kill("SIGTERM");
    await this.#until(async () => this.#exit !== undefined);
  }

  /** Also ends when the node exits. */
  async #until(isTrue: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + WAIT_MILLIS; Date.now() < end; await sleep(20)) {
      try {
        if (await isTrue()) return;
      } catch (error) {
        if (this.#exit !== undefined) throw error;
      }
    }
    throw new Error(`the node did not come to it in ${WAIT_MILLIS} ms: ${this.#stderr}`);
  }
}
