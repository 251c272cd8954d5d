/** Addresses in settings. A wrong one is reported where settings are read, not when the sidecar first uses it. */
import { goQuote } from "../../../upgrade/plan-info/go-quote.js";

const PORT_MAX = 65_535;
/** Where only a port is given. */
const LOCALHOST = "127.0.0.1";

/**
 * The URL of the node's RPC, without a slash at its end. CometBFT writes `tcp://`. Only a URL with a scheme of HTTP may leave out the port.
 *
 * @throws Error
 */
export function parseRpcAddress(text: string, name: string): string {
  const isUrl = /^https?:\/\/[^/:]/.test(text);
  const url = isUrl ? text : `http://${text.replace(/^tcp:\/\//, "")}`;
  const hasPort = /^http:\/\/(?:\[[^\]/]+\]|[^:/\s]+):[0-9]+\/*$/.test(url);
  if ((isUrl || hasPort) && URL.canParse(url)) return url.replace(/\/+$/, "");
  throw new Error(`${name} must be an address such as "http://127.0.0.1:26657", got ${goQuote(text)}`);
}

/** Where the status is served: `host:port`, also as a URL. @throws Error */
export function parseStatusAddress(text: string, name: string): { host: string; port: number } {
  const found = /^(?:https?:\/\/|tcp:\/\/)?(?:\[([^\]/]*)\]|([^\]/:\s]*)):([0-9]{1,5})\/?$/.exec(text);
  const [, ofSix, host, port] = found ?? [];
  if (port === undefined || Number(port) > PORT_MAX) {
    throw new Error(`${name} must be host:port, such as "127.0.0.1:26670", got ${goQuote(text)}`);
  }
  return { host: ofSix || host || LOCALHOST, port: Number(port) };
}

/** `host` or `host:port`, after `https://` for TLS. @throws Error */
export function parseGrpcAddress(text: string, name: string): string {
  const authority = text.replace(/^[a-z]+:\/\//, "").replace(/\/$/, "");
  const port = /:([0-9]+)$/.exec(authority)?.[1] ?? "0";
  if (URL.canParse(`http://${authority}`) && !/[/\s]/.test(authority) && Number(port) <= PORT_MAX) return text;
  throw new Error(`${name} must be host:port, such as "localhost:9090", got ${goQuote(text)}`);
}
