/** The three servers of a node, opened together and closed together. */

import type { LocalNode } from "../../chain/app/query/node-port.js";
import { ArrivingBytes } from "../limits/arriving.js";
import { type Address, hostPort, type OpenServer, SERVER_LIMITS, type ServerEvents } from "../limits/server.js";
import type { ServerLimits } from "../limits/server-limits.js";
import { UnreadBytes } from "../limits/unread.js";
import type { Query } from "../query/query.js";
import { openRpc } from "../rpc/server.js";
import { openGrpc } from "./grpc/server.js";
import { openRest } from "./rest/server.js";
import type { SiteFacts } from "./rest/site.js";

export interface ServersOptions {
  readonly query: Query;
  readonly events: ServerEvents;
  /** A server without an address is not opened. */
  readonly rpc?: { readonly address: Address; readonly query: Query<LocalNode> };
  readonly grpc?: Address;
  readonly rest?: Address;
  /** Let pages of any origin read REST's responses. */
  readonly cors: boolean;
  /** Serve gRPC-Web on REST's port. Default: true. */
  readonly grpcWeb?: boolean;
  /** Web pages that may open a websocket of the RPC, as `https://host[:port]`; `*`: all. Those on this machine always may. */
  readonly origins?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  /** What REST serves besides the queries. */
  readonly site: SiteFacts;
  isReady(): boolean;
  /** Prometheus text. */
  metrics(): Promise<string>;
}

/** The servers' actual addresses. */
interface ServerAddresses {
  /** `tcp://host:port` */
  readonly rpc?: string;
  /** `host:port` */
  readonly grpc?: string;
  /** `tcp://host:port` */
  readonly api?: string;
}

export interface OpenServers {
  readonly addresses: ServerAddresses;
  /** Takes no more requests; those under way have `millis` to end. */
  close(millis: number): Promise<void>;
}

/** @throws UpgradeError UPG_INVALID_CONFIG when an address cannot be had; no server is open then */
export async function openServers(options: ServersOptions): Promise<OpenServers> {
  const { query, events, rpc, grpc, rest, cors, grpcWeb = true, origins = [], isReady, metrics, site } = options;
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits };
  const common = { query, events, limits, unread: new UnreadBytes(limits), arriving: new ArrivingBytes(limits) };
  const open: OpenServer[] = [];
  const keep = <T extends OpenServer>(endpoint: T): T => {
    open.push(endpoint);
    return endpoint;
  };
  const close = async (millis: number): Promise<void> => {
    await Promise.all(open.map((endpoint) => endpoint.close(millis)));
  };
  try {
    const opened = rpc ? { rpc: tcp(keep(await openRpc({ ...common, ...rpc, origins })).address) } : {};
    const web = { cors, grpcWeb, isReady, metrics, site, rpcAddress: () => opened.rpc ?? "" };
    const addresses = {
      ...opened,
      ...(grpc ? { grpc: hostPort(keep(await openGrpc({ ...common, address: grpc, isReady })).address) } : {}),
      ...(rest ? { api: tcp(keep(await openRest({ ...common, ...web, address: rest })).address) } : {}),
    };
    return { addresses, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}

const tcp = (address: Address) => `tcp://${hostPort(address)}`;
