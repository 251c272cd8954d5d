/** A home whose sidecar serves its status: another one for each test of the file that asks for it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Settings } from "../../../host/visor/decide/settings.js";
import { Board } from "../../../host/visor/status/board.js";
import { openStatus, type StatusServer } from "../../../host/visor/status/server.js";
import { statusMachine } from "./status-machine.js";

export const plan = { name: "v2", height: "1000", info: "", origin: "chain" } as const;

class StatusHome {
  home = "";
  board = new Board(statusMachine.clock);
  /** What the servers write to the log. */
  lines: string[] = [];
  server!: StatusServer;

  readonly settingsOf = (change: Partial<Settings> = {}) =>
    ({
      ...{
        home: this.home,
        root: join(this.home, "cosmovisor"),
        name: "chaind",
        backupDir: this.home,
        isCaseKept: false,
        isRestartedAfterUpgrade: true,
        customPreUpgrade: "",
      },
      ...{ statusAddress: "127.0.0.1:0", rpcAddress: "http://127.0.0.1:1" },
      ...change,
    }) as Settings;

  /** One more server of this status. */
  async open(change: Partial<Settings> = {}): Promise<StatusServer> {
    const { board } = this;
    const log = (_level: string, message: string) => this.lines.push(message);
    const args = ["start", "--api.address", "tcp://127.0.0.1:1"];
    return openStatus({ board, settings: this.settingsOf(change), machine: statusMachine, args, log });
  }

  readonly url = (path: string) => `http://${this.server.address}${path}`;
}

/** Registered for the file that calls it: files share this module. */
export function useStatusHome(): StatusHome {
  const status = new StatusHome();
  beforeEach(async () => {
    status.home = mkdtempSync(join(tmpdir(), "chain-upgrade-status-"));
    mkdirSync(join(status.home, "cosmovisor"));
    mkdirSync(join(status.home, "data"));
    status.board = new Board(statusMachine.clock);
    status.lines = [];
    status.server = await status.open();
  });
  afterEach(async () => {
    await status.server.close();
    rmSync(status.home, { recursive: true });
  });
  return status;
}
