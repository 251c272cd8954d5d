/** The program as processes: a node that takes transactions over RPC, and commands on its home. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { toBase64 } from "../../host/bytes.js";
import { RpcClient } from "../../host/comet-rpc/client.js";
import { Query } from "../../host/gen/cosmos/auth/v1beta1/query_pb.js";
import { ask } from "../../host/wallet/ask.js";
import { freePort } from "../e2e/free-port.js";
import { GOVERNOR } from "../readiness/governor.js";
import type { Packed } from "../scenario/wallet.js";

/** The stack of a process's first thread. */
export interface Stack {
  /** `ulimit -s`; undefined: the machine's. */
  readonly limitKiB?: number;
  /** `node --stack-size`; undefined: V8's. */
  readonly v8KiB?: number;
}

export const STACKS: readonly Stack[] = [
  {},
  { limitKiB: 2_048 },
  { limitKiB: 65_536 },
  { limitKiB: 65_536, v8KiB: 4_000 },
];

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

/** Runs a command to its end; its output is JSON. */
export function command(stack: Stack, args: readonly string[]): { exit: number; output: Record<string, unknown> } {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", shellLine(stack, [...args, "-o", "json"])], {
    encoding: "utf8",
  });
  try {
    return { exit: status ?? -1, output: JSON.parse(stdout) as Record<string, unknown> };
  } catch {
    return { exit: status ?? -1, output: { stderr } };
  }
}

export class RecursionNode {
  #exit: number | undefined;
  #stderr = "";

  private constructor(
    private readonly child: ChildProcess,
    private readonly rpc: RpcClient,
  ) {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    child.once("close", (exit, signal) => {
      this.#exit = exit ?? (signal === null ? -1 : 128);
    });
  }

  static async start(stack: Stack, program: string, home: string) {
    const port = await freePort();
    const args = ["start", "--home", home, `--rpc.laddr=tcp://127.0.0.1:${port}`, ...SERVERS];
    const child = spawn("sh", ["-c", shellLine(stack, [program, ...args])], { stdio: ["ignore", "ignore", "pipe"] });
    const node = new RecursionNode(child, new RpcClient(`tcp://127.0.0.1:${port}`, WAIT_MILLIS));
    await node.#until(async () => (await node.height()) > 0);
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

  /** Returns once a block has it, it was refused, or the node has exited. */
  async send(...messages: readonly Packed[]): Promise<Sent> {
    try {
      const before = await this.#account();
      const tx = toBase64(GOVERNOR.sign(messages, { chainId: "scenario-1", gas: GAS, ...before }));
      const { code } = (await this.rpc.call("broadcast_tx_sync", { tx })) as { code: number };
      if (code !== 0) return "refused";
      await this.#until(async () => (await this.#account()).sequence > before.sequence);
      return "decided";
    } catch (error) {
      await this.#until(async () => this.#exit !== undefined);
      if (this.#exit === undefined) throw error;
      return `exit ${this.#exit}`;
    }
  }

  async #account(): Promise<{ readonly accountNumber: bigint; readonly sequence: bigint }> {
    const { info } = await ask(this.rpc, Query.method.accountInfo, { address: GOVERNOR.address });
    return { accountNumber: info?.accountNumber ?? 0n, sequence: info?.sequence ?? 0n };
  }

  async stop(): Promise<void> {
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
