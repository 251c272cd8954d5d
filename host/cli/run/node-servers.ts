/** The servers of `chaind start`: the node that they serve, and the file with their addresses. */

import { rmSync } from "node:fs";
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
import type { Home } from "../../node/home/home.js";
import type { EngineStart } from "../../node/threads/engine-port.js";
import type { AskRpc, SiteFacts } from "../../serve/api/rest/site.js";
import type { OpenServers } from "../../serve/api/servers.js";
import { requireFree } from "../../serve/limits/listen.js";
import { Query } from "../../serve/query/query.js";
import { CORE_WASM } from "../../upgrade/core/core-wasm.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import { servedHalt } from "../../upgrade/module/halt-served.js";
import type { HandlerState } from "../../upgrade/module/handler-set.js";
import type { ChosenLimits } from "../flags/limit-settings.js";
import type { ProgressLog } from "../flags/progress-log.js";
import type { ServerFlags } from "../flags/server-flags.js";

/** Requests under way when the node stops have so long. */
const CLOSE_MILLIS = 2_000;

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
