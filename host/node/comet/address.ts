/** Where an ABCI server listens, as CometBFT's `proxy_app` names it. */
import type { ListenOptions } from "node:net";
import { UpgradeError } from "../../base/errors/errors.js";

/** Of a unix socket's path on Linux, without the byte that ends it; other systems have fewer. */
const UNIX_PATH_BYTES_MAX = 107;

export type AbciAddress =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

/** `unix:///path`, `tcp://host:port` or `host:port`. @throws UpgradeError UPG_INVALID_CONFIG */
export function parseAbciAddress(text: string): AbciAddress {
  const [, path] = /^unix:\/\/(.+)$/.exec(text) ?? [];
  if (path !== undefined) {
    const length = Buffer.byteLength(path);
    if (length <= UNIX_PATH_BYTES_MAX) return { kind: "unix", path };
    const what = `the path of a unix socket has at most ${UNIX_PATH_BYTES_MAX} bytes, this one ${length}: ${path}`;
    throw new UpgradeError("UPG_INVALID_CONFIG", `${what}. Use tcp://127.0.0.1:26658, or a home with a shorter path`);
  }
  const [, six, host, port] = /^(?:tcp:\/\/)?(?:\[([0-9a-fA-F:]+)\]|([a-zA-Z0-9.-]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const number = Number(port ?? Number.NaN);
  if (number <= 65_535) return { kind: "tcp", host: six ?? (host || "0.0.0.0"), port: number };
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `"${text}" is no address: expected unix:///path or tcp://127.0.0.1:26658`,
  );
}

export function addressText(address: AbciAddress): string {
  if (address.kind === "unix") return `unix://${address.path}`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `tcp://${host}:${address.port}`;
}

export function listenOptions(address: AbciAddress): ListenOptions {
  return address.kind === "unix" ? { path: address.path } : { host: address.host, port: address.port };
}

/** Can other machines reach it? A program that does drives the application. */
export function isOpenToOthers(address: AbciAddress): boolean {
  if (address.kind === "unix") return false;
  return !["localhost", "::1"].includes(address.host) && !address.host.startsWith("127.");
}
