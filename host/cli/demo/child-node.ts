/** A real node in a real process: `chaind start` on the job's home, until it halts or has made its blocks. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ERROR_KINDS, type ErrorCode, UpgradeError } from "../../base/errors/errors.js";
import { parseLogLine } from "../../base/text/log-line.js";

export interface ChildNodeOptions {
  readonly home: string;
  /** Nanoseconds that the chain's clock goes on with each block. */
  readonly blockTime: string;
  readonly arguments: readonly string[];
}

export interface ChildNodeEnd {
  readonly exit: number;
  /** What it wrote on stderr. */
  readonly log: string;
}

export interface ChildNode {
  readonly end: Promise<ChildNodeEnd>;
  /** Asks it to stop. */
  stop(): void;
}

/** Nobody asks these nodes anything. */
const NO_SERVERS = ["--rpc.enable=false", "--grpc.enable=false", "--api.enable=false"];

export function runChildNode(options: ChildNodeOptions): Promise<ChildNodeEnd> {
  return startChildNode({ ...options, arguments: [...NO_SERVERS, ...options.arguments] }).end;
}

export function startChildNode(options: ChildNodeOptions): ChildNode {
  const program = fileURLToPath(new URL("chaind.js", import.meta.url));
  const clock = ["--logical-clock", "--block-time", options.blockTime];
  const args = [program, "start", "--home", options.home, "--log_format", "json", ...clock, ...options.arguments];
  // Its end of the channel closes with this process, however that ends: the node ends then too (endWithParent).
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const end = new Promise<ChildNodeEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code !== null) resolve({ exit: code, log });
      else reject(new UpgradeError("UPG_BUG_ASSERT", `the node was ended by ${signal}:\n${log}`));
    });
  });
  return { end, stop: () => void child.kill("SIGTERM") };
}

/** Throws what a node said when it ended otherwise than it should: with its own code, when it gave one. */
export function requireExit(end: ChildNodeEnd, exit: number, what: string): void {
  if (end.exit === exit) return;
  for (const line of end.log.split("\n").reverse()) {
    const entry = parseLogLine(line);
    const code = String(entry?.fields["code"]);
    if (entry && Object.hasOwn(ERROR_KINDS, code))
      throw new UpgradeError(code as ErrorCode, `${what} ended with ${end.exit}: ${entry.message}`);
  }
  throw new UpgradeError("UPG_BUG_ASSERT", `${what} ended with ${end.exit} instead of ${exit}:\n${end.log}`);
}
