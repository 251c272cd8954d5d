/** The flags of commands that ask a node. */
import { type Command, Option } from "commander";
import { parseDuration, parseHeight } from "../../base/terminal/options.js";
import { httpUrl, RpcClient } from "../../node/remote/client.js";
import { GrpcClient } from "../../node/remote/grpc.js";

export const NODE_DEFAULT = "tcp://localhost:26657";
const TIMEOUT_DEFAULT = 10_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;

export interface NodeFlags {
  readonly node: string;
  /** Nanoseconds. */
  readonly timeout: bigint;
}

export interface QueryFlags extends NodeFlags {
  /** 0n: the last one. */
  readonly height: bigint;
  readonly grpcAddr?: string;
  readonly grpcInsecure?: boolean;
}

/** As it is written, which commands print; @throws UpgradeError UPG_INVALID_ARGUMENT */
function checkNode(text: string): string {
  httpUrl(text);
  return text;
}

export function addNodeFlags<T extends Command>(command: T): T {
  return command
    .addOption(new Option("--node <string>", "address of a node's RPC").argParser(checkNode).default(NODE_DEFAULT))
    .addOption(
      new Option("--timeout <duration>", "how long to wait for an answer of the node")
        .argParser(parseDuration)
        .default(TIMEOUT_DEFAULT, "10s"),
    ) as T;
}

export function addQueryFlags<T extends Command>(command: T): T {
  return addNodeFlags(command)
    .option("--height <int>", "ask for the state of this height (0: the last)", parseHeight, 0n)
    .option(
      "--grpc-addr <string>",
      "address of a node's gRPC, asked in place of its RPC: host:port (default port: 443; 9090 without TLS)",
    )
    .option("--grpc-insecure", "gRPC without TLS")
    .addOption(new Option("--no-indent", "of the Cosmos SDK: JSON is one line as it is").hideHelp()) as T;
}

export function rpcClient({ node, timeout }: NodeFlags): RpcClient {
  return new RpcClient(node, millis(timeout));
}

/** What questions about state are put to: gRPC where an address of it is given. */
export function queryClient(flags: QueryFlags): RpcClient | GrpcClient {
  const { grpcAddr, grpcInsecure: isInsecure = false, timeout } = flags;
  if (grpcAddr === undefined || grpcAddr === "") return rpcClient(flags);
  return new GrpcClient(grpcAddr, { isInsecure, timeoutMillis: millis(timeout) });
}

const millis = (timeout: bigint) => Math.max(1, Number(timeout / NANOS_PER_MILLI));
