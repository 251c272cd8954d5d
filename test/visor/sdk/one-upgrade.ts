/** One real upgrade of a chain, under one of the supervisors, with everything staged. */
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import type { SdkApp } from "./sdk-app.js";
import { commandOf, place, Supervised, type SupervisorName } from "./supervised.js";

export interface UpgradeOptions {
  readonly app: SdkApp;
  readonly home: string;
  readonly supervisor: SupervisorName;
  readonly cosmovisor: string;
  /** Time between blocks. */
  readonly commit: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface UpgradeResult {
  /** From the line of the halt to that of the first new block's commit, in seconds. */
  readonly firstNewBlock: number;
  readonly height: number;
  readonly exit: number | null;
  readonly leftRunning: number;
  readonly current: string;
  readonly upgraded: boolean;
}

const PATIENCE_MILLIS = 90_000;

/** Cosmovisor's own variables and no other, but for what serves two nodes on one machine. */
function environment(app: SdkApp, home: string): Record<string, string> {
  return {
    ...{ DAEMON_HOME: home, DAEMON_NAME: app.name, DAEMON_ALLOW_DOWNLOAD_BINARIES: "false" },
    ...{ DAEMON_RESTART_AFTER_UPGRADE: "true", UNSAFE_SKIP_BACKUP: "true", COSMOVISOR_COLOR_LOGS: "false" },
    ...app.env,
  };
}

export async function oneUpgrade(options: UpgradeOptions): Promise<UpgradeResult> {
  const { app, supervisor, cosmovisor, commit } = options;
  const home = await app.homeAt(options.home).init(commit);
  place(home.path, "genesis", app.name, app.before);
  place(home.path, "upgrades/v2", app.name, app.after);
  const env = { ...environment(app, home.path), ...options.env };
  // The node of a home is on a port of its own here; the usual one is what both expect.
  const own: Record<string, string> =
    supervisor === "chainvisor"
      ? { CHAINVISOR_RPC_ADDRESS: `http://127.0.0.1:${home.rpc}`, CHAINVISOR_STATUS_ADDRESS: "" }
      : {};
  const start = ["run", "start", "--home", home.path, ...home.start];
  const running = new Supervised(commandOf(supervisor, cosmovisor), start, { ...env, ...own }, home.path);
  try {
    await home.untilHeight(2);
    const height = await home.propose();
    const halted = await running.says(/UPGRADE \\?"v2\\?" NEEDED at/, PATIENCE_MILLIS);
    const made = await running.says(home.committed(height), PATIENCE_MILLIS);
    await home.untilHeight(height + 2);
    const upgraded = await home.isUpgraded();
    const current = readlinkSync(join(home.path, "cosmovisor/current"));
    const { exit, leftRunning } = await running.stop();
    return { firstNewBlock: (made - halted) / 1_000, height, exit, leftRunning, current, upgraded };
  } catch (error) {
    throw new Error(`${supervisor}: ${error instanceof Error ? error.message : error}\n${running.tail(30)}`, {
      cause: error,
    });
  } finally {
    await running.stop();
  }
}
