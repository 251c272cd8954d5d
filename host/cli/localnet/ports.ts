/** Ports of a network's nodes: free ones, or a row of them from a first one on. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { UpgradeError } from "../../base/errors/errors.js";
import type { NodePorts } from "./network.js";

const HOST = "127.0.0.1";
const PORTS_OF_NODE = 4;
/** From one node's first port to the next one's. */
const STEP = 10;
const PORT_MAX = 65_535;
/**
 * Free ports are looked for below those that systems give to connections of their own (Linux: from 32768 on), which would
 * take one while its node is stopped.
 */
const FREE_FIRST = 20_000;
const FREE_LAST = 32_767;

/**
 * @param base first port of the first node; undefined: ports that are free now
 * @throws UpgradeError UPG_INVALID_ARGUMENT: a port of the row is taken, or there is none so high
 */
export async function portsFor(nodes: number, base: number | undefined): Promise<NodePorts[]> {
  const ports = base === undefined ? await freePorts(nodes * PORTS_OF_NODE) : await row(nodes, base);
  return Array.from({ length: nodes }, (_, node) => {
    const [p2p = 0, rpc = 0, api = 0, grpc = 0] = ports.slice(node * PORTS_OF_NODE, (node + 1) * PORTS_OF_NODE);
    return { p2p, rpc, api, grpc };
  });
}

async function row(nodes: number, base: number): Promise<number[]> {
  const last = base + (nodes - 1) * STEP + PORTS_OF_NODE - 1;
  if (last > PORT_MAX)
    throw wrong(`--base-port ${base}: ${nodes} nodes take ports up to ${last}, and ${PORT_MAX} is the last`);
  const ports = Array.from({ length: nodes * PORTS_OF_NODE }, (_, at) => {
    return base + Math.floor(at / PORTS_OF_NODE) * STEP + (at % PORTS_OF_NODE);
  });
  for (const port of ports) {
    const server = await listen(port).catch(() => undefined);
    if (!server) throw wrong(`--base-port ${base}: port ${port} is not free`);
    await server.close();
  }
  return ports;
}

/** All are open at once, so that none comes twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers: Awaited<ReturnType<typeof listen>>[] = [];
  for (let port = randomInt(FREE_FIRST, FREE_LAST - count); servers.length < count; port++) {
    const server = await listen(port <= FREE_LAST ? port : 0).catch(() => undefined);
    if (server) servers.push(server);
    else if (port > PORT_MAX) throw wrong(`${count} free ports: there are none; close programs that listen`);
  }
  await Promise.all(servers.map((server) => server.close()));
  return servers.map(({ port }) => port);
}

function listen(port: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => {
      const close = () => new Promise<void>((done) => server.close(() => done()));
      resolve({ port: (server.address() as { port: number }).port, close });
    });
  });
}

function wrong(message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", message);
}
