/** Where a home's node serves its RPC: the sidecar may have been given another address. */
import { join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { configValue, parseConfig } from "../../../base/terminal/config-file.js";
import { decodeLossy } from "../../../base/text/text.js";
import { flagIn } from "../own-home.js";
import { prefixOf } from "../program-variables.js";
import { parseRpcAddress } from "../settings/addresses.js";
import type { Settings } from "../settings.js";

const BYTES_MAX = 1_048_576;
const SETTING = "rpc.laddr";

export interface StartedNode {
  readonly files: Pick<Files, "read">;
  readonly settings: Pick<Settings, "home" | "name">;
  /** Arguments that the application was started with. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A URL that this machine can ask; undefined: nothing names one. Never throws. */
export function servedRpc({ files, settings: { home, name }, args, env }: StartedNode): string | undefined {
  const file = (each: string) => join(home, "config", each);
  const given =
    servedAddress(files, join(home, "data", "addresses.json")) ??
    flagIn(args, `--${SETTING}`) ??
    env[`${prefixOf(name)}RPC_LADDR`] ??
    configured(files, file("app.toml"), SETTING) ??
    configured(files, file("config.toml"), SETTING);
  try {
    const url = given && parseRpcAddress(`http://${localAddress(given)}`, SETTING);
    return url && new URL(url).port !== "0" ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A node of this project writes its addresses while it runs. */
function servedAddress(files: StartedNode["files"], path: string): string | undefined {
  try {
    const bytes = files.read(path, BYTES_MAX);
    const { rpc } = JSON.parse(decodeLossy(bytes ?? new Uint8Array())) as { rpc?: unknown };
    return typeof rpc === "string" ? rpc : undefined;
  } catch {
    return undefined;
  }
}

/** `host:port` by the flag that the node is started with, else by the file of settings; undefined: neither has it. */
export function givenAddress(
  { files, args }: Pick<StartedNode, "files" | "args">,
  path: string,
  setting: string,
): string | undefined {
  const given = flagIn(args, `--${setting}`) ?? configured(files, path, setting);
  return given && localAddress(given);
}

/** Undefined: it is absent, or the file cannot be read. */
function configured(files: StartedNode["files"], path: string, setting: string): string | undefined {
  try {
    const bytes = files.read(path, BYTES_MAX);
    return bytes && configValue(parseConfig(path, decodeLossy(bytes)), setting);
  } catch {
    return undefined;
  }
}

/** `host:port` of an address to listen at, as this machine reaches it. */
function localAddress(address: string): string {
  const local = address.replace(/^(?:tcp|https?):\/\//, "").replace(/^(?:0\.0\.0\.0|\[::\])(?=:)/, "127.0.0.1");
  return local.startsWith(":") ? `127.0.0.1${local}` : local;
}
