/** The `cometbft` program on this machine, and whether it is one that this node works with. */
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { INSTALL_ENGINE } from "../../../chain/comet-types/release.js";
import { onPath, requireRunnable } from "../../programs/spawn-program.js";

/** ABCI 2.0 as CometBFT 0.38 speaks it. */
const VERSION = /^v?0\.38\.\d+/;
const VERSION_MILLIS_MAX = 10_000;

export interface CometBinary {
  readonly path: string;
  readonly version: string;
}

/**
 * @param given by a flag; else the environment's COMETBFT_BIN, else `cometbft` of PATH
 * @throws UpgradeError UPG_INVALID_CONFIG: there is none, or one of another version
 */
export function findComet(given: string | undefined, env: NodeJS.ProcessEnv): CometBinary {
  const named = given ?? (env["COMETBFT_BIN"] || undefined);
  const isBare = named !== undefined && basename(named) === named;
  const path = named === undefined || isBare ? onPath(env["PATH"] ?? "", named ?? "cometbft") : named;
  if (path === undefined) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `there is no ${named ?? "cometbft"} on PATH: install it (\`${INSTALL_ENGINE}\`), or name it with --comet.bin or COMETBFT_BIN`,
    );
  }
  const version = versionOf(path);
  if (VERSION.test(version)) return { path, version };
  const what = `${path} is version ${JSON.stringify(version.slice(0, 40))}, and this node works with CometBFT 0.38`;
  throw new UpgradeError("UPG_INVALID_CONFIG", `${what}: \`${INSTALL_ENGINE}\``);
}

function versionOf(path: string): string {
  try {
    requireRunnable(path);
    const options = { encoding: "utf8", timeout: VERSION_MILLIS_MAX } as const;
    return execFileSync(path, ["version"], { ...options, stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `${path} cannot be run: ${messageOf(cause)}`, { cause });
  }
}
