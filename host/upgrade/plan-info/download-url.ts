/** What a URL must be for a plan to offer it for download: stricter than the Cosmos SDK, which takes any text that parses. */
import { UpgradeError } from "../../base/errors/errors.js";
import { goQuote } from "./go-quote.js";
import type { GoUrl } from "./go-url.js";

/** What the downloader fetches. */
const DOWNLOAD_SCHEMES = Object.freeze(["https", "http", "file"] as const);

export type DownloadScheme = (typeof DOWNLOAD_SCHEMES)[number];

const PORT_MAX = 65_535;

/**
 * The scheme of a URL that can be downloaded: http(s) with a host, no user name and a possible port, or `file:` with
 * an absolute path on this machine.
 *
 * @throws UpgradeError UPG_INVALID_PLAN_INFO
 */
export function downloadScheme(url: GoUrl): DownloadScheme {
  const scheme = DOWNLOAD_SCHEMES.find((known) => known === url.scheme);
  if (scheme === undefined) {
    const given = url.scheme === "" ? "none" : goQuote(url.scheme);
    throw refused(`unsupported scheme: ${given} (it must be https, http or file)`);
  }
  if (scheme === "file") checkFile(url);
  else checkHttp(url);
  return scheme;
}

function checkFile(url: GoUrl): void {
  if (url.host !== "" && url.host !== "localhost") {
    throw refused(`unsupported file URL: it names the host ${goQuote(url.host)}; write file:///<path>`);
  }
  if (!url.path.startsWith("/")) throw refused("unsupported file URL: its path must be absolute");
}

function checkHttp(url: GoUrl): void {
  if (url.userinfo !== undefined) throw refused("unsupported host: a plan is public, so a URL must not carry a login");
  const [, host = "", port = ""] = /^(.*?)(?::([0-9]*))?$/.exec(url.host) ?? [];
  if (host === "") throw refused("unsupported host: the URL has none");
  if (Number(port) > PORT_MAX) throw refused(`unsupported host: port ${port} is above ${PORT_MAX}`);
}

function refused(text: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", text);
}
