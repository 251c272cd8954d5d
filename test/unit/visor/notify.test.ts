/** What systemd gets, by a `systemd-notify` of PATH. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { realMachine } from "../../../host/visor/run/real-machine.js";
import { Board } from "../../../host/visor/status/board.js";
import { notifySystemd } from "../../../host/visor/status/notify.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-notify-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("notifySystemd()", () => {
  test("systemd-notify is on PATH → it sends READY=1 and the status, then STOPPING=1", async () => {
    const sent = join(root, "sent");
    const folder = join(root, "bin");
    // A folder of this name, and a file that is not executable, are no programs.
    mkdirSync(join(root, "first", "systemd-notify"), { recursive: true });
    mkdirSync(join(root, "second"));
    writeFileSync(join(root, "second", "systemd-notify"), "#!/bin/sh\nexit 3\n", { mode: 0o644 });
    mkdirSync(folder);
    writeFileSync(join(folder, "systemd-notify"), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${sent}\n`);
    chmodSync(join(folder, "systemd-notify"), 0o755);
    const path = [join(root, "first"), join(root, "second"), folder, "/usr/bin", "/bin"].join(":");
    const board = new Board(realMachine.clock);
    const env = { PATH: path, NOTIFY_SOCKET: "/run/x" };
    const end = notifySystemd({ machine: realMachine, board, env, cwd: root });
    board.update({ phase: "running", program: { name: "genesis", pid: 1, since: "" } as never });
    await end();
    expect(readFileSync(sent, "utf8").split("\n")).toEqual(["/run/x READY=1 STATUS=running", "/run/x STOPPING=1", ""]);
  });

  test("no systemd-notify on PATH → the run says so", async () => {
    const options = { args: [], env: { PATH: join(root, "none") }, cwd: root };
    const end = await realMachine.processes.run("systemd-notify", options);
    expect(end.error?.message).toBe("systemd-notify is not on PATH");
  });
});
