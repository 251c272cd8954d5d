/**
 * Where the status is served: at an address for people, probes and Prometheus, and at a socket in the sidecar's folder for its own
 * user, which `chainvisor status` asks. Neither is needed for an upgrade: what cannot be had is a warning.
 */
import { createHash } from "node:crypto";
import { chmodSync } from "node:fs";
import type { RequestListener, Server } from "node:http";
import { messageOf } from "../../base/errors/errors.js";
import { removeOldSocket } from "../../base/files/old-socket.js";
import { PageFiles } from "../../serve/api/rest/page-files.js";
import { closeServer, makeHttpServer } from "../../serve/limits/http-server.js";
import { listen } from "../../serve/limits/listen.js";
import { hostPort, SERVER_LIMITS } from "../../serve/limits/server.js";
import type { ServerLimits } from "../../serve/limits/server-limits.js";
import { UnreadBytes } from "../../serve/limits/unread.js";
import type { Machine } from "../decide/machine.js";
import { parseStatusAddress } from "../decide/settings/addresses.js";
import type { Settings } from "../decide/settings.js";
import type { StatusBoard } from "../decide/status.js";
import { NodeSide } from "./node-side.js";
import { StatusRoutes } from "./routes.js";
import { socketPath } from "./socket-path.js";
import { StatusView } from "./view.js";
import { Waiters } from "./waiters.js";

export interface StatusServerOptions {
  readonly board: StatusBoard;
  readonly settings: Pick<Settings, "home" | "root" | "backupDir" | "statusAddress" | "rpcAddress">;
  readonly machine: Pick<Machine, "files" | "clock">;
  /** Of the application. */
  readonly args: readonly string[];
  readonly log: (level: "info" | "warn", message: string) => void;
}

export interface StatusServer {
  /** `host:port`; undefined: it is served at the socket alone. */
  readonly address: string | undefined;
  close(): Promise<void>;
}

/** A sidecar has few readers; beyond that it is no use to anybody. */
const LIMITS: ServerLimits = {
  ...SERVER_LIMITS,
  connections: 256,
  headerMillis: 5_000,
  requestMillis: 10_000,
  answerMillis: 10_000,
  unreadBytes: 16 * 1_048_576,
};
const STATUS_ADDRESS = "CHAINVISOR_STATUS_ADDRESS";
const CLOSE_MILLIS = 500;
/** A path of a socket has no more bytes on any system. */
const SOCKET_PATH_BYTES_MAX = 103;

/** Never rejects. */
export async function openStatus(options: StatusServerOptions): Promise<StatusServer> {
  const { board, settings, machine, log } = options;
  const node = new NodeSide({ ...options, ...settings });
  const view = new StatusView({ board, node, clock: machine.clock });
  const waiters = new Waiters(board);
  const unread = new UnreadBytes(LIMITS);
  const page = oncePage(unread);
  const routes = new StatusRoutes({ board, view, waiters, node, settings, machine, unread, page });
  const listener: RequestListener = (request, response) => void routes.answer(request, response);
  const servers: Server[] = [];
  const opened = async <T>(open: (server: Server) => Promise<T>): Promise<T | undefined> => {
    const server = makeHttpServer(listener, LIMITS);
    try {
      const made = await open(server);
      servers.push(server);
      return made;
    } catch (error) {
      log("warn", `${messageOf(error)}; the upgrade goes on without it`);
      return undefined;
    }
  };
  const { statusAddress, root } = settings;
  const address =
    statusAddress === ""
      ? undefined
      : await opened(async (server) => {
          const wanted = parseStatusAddress(statusAddress, STATUS_ADDRESS);
          return hostPort(await listen(server, wanted, STATUS_ADDRESS));
        });
  if (address !== undefined) log("info", `status at http://${address}/supervisor`);
  await opened((server) => listenAt(server, socketPath(root)));
  return {
    address,
    close: async () => {
      view.close();
      waiters.close();
      await Promise.all(servers.map((server) => closeServer(server, CLOSE_MILLIS)));
    },
  };
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();

/** Loaded when it is asked for: its bytes are the largest part of the sidecar. */
function oncePage(unread: UnreadBytes): () => Promise<PageFiles> {
  let page: Promise<PageFiles> | undefined;
  return () => {
    page ??= import("../../serve/api/page-bytes.js").then(
      ({ PAGE_FILES }) => new PageFiles(PAGE_FILES, sha256, unread),
    );
    return page;
  };
}

/** The sidecar's own user alone may connect. @throws Error: the path is too long, or in use */
async function listenAt(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    throw new Error(`${path} is too long for a socket: \`chainvisor status\` asks the address instead`);
  }
  await removeOldSocket(path);
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    // The socket is made within this call.
    const before = process.umask(0o177);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(before);
    }
  });
  chmodSync(path, 0o600);
}
