/** The servers of `chaind start`: its flags, the node that they serve, and the file with their addresses. */

import { rmSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { freeBytes } from "../../base/files/disk-errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { errorFields } from "../../base/terminal/fail.js";
import { utf8 } from "../../base/text/bytes.js";
import { type Log, stackOf } from "../../base/text/log-line.js";
import type { Plan } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import type { QueryApp } from "../../chain/app/query/call.js";
import type { LocalNode, NodePort } from "../../chain/app/query/node-port.js";
import { type GasPrice, parseGasPrices } from "../../chain/values/minimum-fee.js";
import type { Home } from "../../node/home/home.js";
import type { EngineStart } from "../../node/threads/engine-port.js";
import type { AskRpc, SiteFacts } from "../../serve/api/rest/site.js";
import type { OpenServers } from "../../serve/api/servers.js";
import { requireFree } from "../../serve/limits/listen.js";
import type { Address } from "../../serve/limits/server.js";
import { Query } from "../../serve/query/query.js";
import { CORE_WASM } from "../../upgrade/core/core-wasm.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import { servedHalt } from "../../upgrade/module/halt-served.js";
import type { HandlerState } from "../../upgrade/module/handler-set.js";
import { addLimitFlags, type ChosenLimits } from "../flags/limit-settings.js";
import type { ProgressLog } from "../flags/progress-log.js";

export interface ServerFlags {
  readonly "rpc.enable": boolean;
  readonly "rpc.laddr": Address;
  readonly "grpc.enable": boolean;
  readonly "grpc.address": Address;
  readonly "api.enable": boolean;
  readonly "api.address": Address;
  readonly "api.enabledUnsafeCors"?: boolean;
  readonly "grpcWeb.enable": boolean;
  readonly "rpc.corsAllowedOrigins"?: readonly string[];
  readonly compatCosmos: boolean;
  readonly moniker?: string;
  readonly minimumGasPrices: readonly GasPrice[];
}

/** Requests under way when the node stops have so long. */
const CLOSE_MILLIS = 2_000;

const loopback = (port: number): Address => ({ host: "127.0.0.1", port });

/** `tcp://host:port`, `http://host:port` or `host:port`; port 0 is any that is free. */
function parseListenAddress(text: string): Address {
  const match = /^(?:(?:tcp|http):\/\/)?(?:\[([0-9a-fA-F:]+)\]|([a-zA-Z0-9.-]*)):([0-9]{1,5})\/?$/.exec(text);
  const port = Number(match?.[3] ?? Number.NaN);
  if (!match || port > 65_535) throw new InvalidArgumentError("expected an address such as tcp://127.0.0.1:26657.");
  return { host: match[1] || match[2] || "0.0.0.0", port };
}

function parsePrices(text: string): GasPrice[] {
  try {
    return parseGasPrices(text);
  } catch (error) {
    throw new InvalidArgumentError(`${messageOf(error)}.`);
  }
}

export function addServerFlags(command: Command): Command {
  const address = (flag: string, text: string, port: number, prefix: string) =>
    new Option(`${flag} <address>`, text)
      .argParser(parseListenAddress)
      .default(loopback(port), `${prefix}127.0.0.1:${port}`);
  addLimitFlags(command);
  return command
    .addOption(
      new Option("--rpc.cors-allowed-origins <origins>", "web pages that may call and open a websocket: O,O; *: all")
        .argParser((text) => text.split(",").map((origin) => origin.trim()))
        .hideHelp(),
    )
    .addOption(new Option("--rpc.enable", "serve CometBFT-style RPC (--rpc.enable=false: not)").default(true))
    .addOption(address("--rpc.laddr", "where to serve RPC; port 0: any that is free", 26_657, "tcp://"))
    .addOption(new Option("--grpc.enable", "serve gRPC (--grpc.enable=false: not)").default(true))
    .addOption(address("--grpc.address", "where to serve gRPC", 9_090, ""))
    .addOption(
      new Option("--grpc-web.enable", "serve gRPC-Web on REST's port (--grpc-web.enable=false: not)").default(true),
    )
    .addOption(new Option("--api.enable", "serve REST (--api.enable=false: not)").default(true))
    .addOption(address("--api.address", "where to serve REST", 1_317, "tcp://"))
    .option("--api.enabled-unsafe-cors", "let web pages of any origin read REST's responses")
    .addOption(
      new Option("--compat-cosmos", "serve cosmos.upgrade.v1beta1 too (--compat-cosmos=false: not)").default(true),
    )
    .addOption(
      new Option(
        "--minimum-gas-prices <prices>",
        'refuse transactions that pay less a unit of gas: 0.001stake,0.1uatom; "": none',
      )
        .argParser(parsePrices)
        .default([], ""),
    )
    .option("--moniker <name>", "name of this node, shown in its status");
}

/** What of genesis queries show. */
interface GenesisFacts {
  readonly bondDenom: string;
  readonly stakingParams: unknown;
}

/** The query service of a node of this program. */
export function queryOf<N extends NodePort>(
  chain: Chain,
  app: QueryApp,
  node: N,
  { bondDenom, stakingParams }: GenesisFacts,
  { compatCosmos }: Pick<ServerFlags, "compatCosmos">,
): Query<N> {
  return new Query({ chain, app, node, sha256, bondDenom, stakingParams, compatCosmos });
}

/** CometBFT's RPC: where it is, and what asks it. */
interface CometAddress {
  readonly address: string;
  readonly ask: AskRpc;
}

export interface NodeServersOptions {
  readonly flags: ServerFlags;
  readonly limits: ChosenLimits;
  readonly home: Home;
  readonly query: Query;
  /** Whose RPC is served: what this node keeps itself, or the address where CometBFT serves its own. */
  readonly rpc: Query<LocalNode> | CometAddress;
  /** Is the handler of the plan that is scheduled here? */
  readonly handlerState: (plan: Plan) => HandlerState;
  /** Folders of handlers that its flags name. */
  readonly start: Pick<EngineStart, "handlers" | "staged">;
  /** By which this process ends, while it waits at its height. */
  readonly halt: () => HaltRecord | undefined;
  readonly progress: ProgressLog;
  /** Is the engine connected that makes the next block? */
  readonly isReady?: () => boolean;
  readonly log: Log;
  /** Aborted when the node begins to stop. */
  readonly signal: AbortSignal;
}

export interface NodeServers {
  close(): Promise<void>;
}

/** What the servers are made of: a tenth of a second. A process has it before it is asked anything, since its files may be replaced. */
export const loadServers = () =>
  Promise.all([import("../../serve/api/servers.js"), import("../../serve/api/metrics.js")]);

/** Could the servers of a node be opened now, whose RPC is another program's? @throws UpgradeError UPG_INVALID_CONFIG */
export async function requireFreePorts(flags: ServerFlags): Promise<void> {
  if (flags["grpc.enable"]) await requireFree(flags["grpc.address"], "--grpc.address");
  if (flags["api.enable"]) await requireFree(flags["api.address"], "--api.address");
}

/** @throws UpgradeError UPG_INVALID_CONFIG when an address cannot be had */
export async function openNodeServers(chain: Chain, options: NodeServersOptions): Promise<NodeServers> {
  const { flags, home, log, rpc } = options;
  const isRpc = flags["rpc.enable"] && !("ask" in rpc);
  if (!isRpc && !flags["grpc.enable"] && !flags["api.enable"]) return { close: async () => undefined };
  const servers = await open(chain, options);
  const text = JSON.stringify({ ...("ask" in rpc ? { rpc: rpc.address } : {}), ...servers.addresses });
  orWarn(log, () => writeFileAtomically(home.addressesFile, utf8(`${text}\n`), 0o644));
  log("info", "servers open", { ...servers.addresses });
  if (flags["api.enabledUnsafeCors"]) log("warn", "REST lets web pages of any origin read its responses");
  return {
    close: async () => {
      orWarn(log, () => rmSync(home.addressesFile, { force: true }));
      await servers.close(CLOSE_MILLIS);
    },
  };
}

async function open(chain: Chain, options: NodeServersOptions): Promise<OpenServers> {
  const [{ openServers }, { Metrics }] = await loadServers();
  const { flags, limits, home, query, rpc, log, signal, handlerState, isReady = () => true } = options;
  const { app, node } = query;
  const diskFree = () => {
    const free = freeBytes(home.databaseFile);
    return free === undefined ? undefined : Number(free);
  };
  const metrics = new Metrics({ app, node, coreHash: sha256(CORE_WASM()), handlerState, diskFree });
  return openServers({
    query,
    events: {
      program: query.chain.name,
      onAnswer: (endpoint, method, status, seconds) => metrics.onAnswer(endpoint, method, status, seconds),
      onBug: (error) => {
        if (isUpgradeError(error)) log("error", error.template, { code: error.code, ...stackOf(error) });
        else log("error", "a request failed with an internal error", errorFields(error));
      },
    },
    ...(flags["rpc.enable"] && !("ask" in rpc) ? { rpc: { address: flags["rpc.laddr"], query: rpc } } : {}),
    ...(flags["grpc.enable"] ? { grpc: flags["grpc.address"] } : {}),
    ...(flags["api.enable"] ? { rest: flags["api.address"] } : {}),
    cors: flags["api.enabledUnsafeCors"] === true,
    grpcWeb: flags["grpcWeb.enable"],
    origins: flags["rpc.corsAllowedOrigins"] ?? [],
    limits: limits.servers,
    site: siteOf(chain, options),
    isReady: () => !signal.aborted && isReady() && query.lastHeight !== undefined,
    metrics: () => metrics.text(),
  });
}

/** What REST serves of the home and of this process. */
function siteOf(chain: Chain, { rpc, home, start, handlerState, halt, progress }: NodeServersOptions): SiteFacts {
  const ofProgram = start.handlers ?? chain.handlers;
  const folders = [home.handlersFolder, home.stagedFolder, start.staged, ofProgram].filter(
    (each) => each !== undefined,
  );
  return {
    rpc: "ask" in rpc ? rpc.ask : rpc,
    handlerFolders: folders,
    witnessFile: (plan) => home.witnessFile(plan),
    handlerState,
    halt: () => {
      const record = halt();
      return record && servedHalt(record, home.path, folders);
    },
    stages: () => progress.stages,
  };
}

/** The node runs without the file as well. */
function orWarn(log: Log, work: () => void): void {
  try {
    work();
  } catch (error) {
    log("warn", `addresses.json: ${messageOf(error)}`);
  }
}
