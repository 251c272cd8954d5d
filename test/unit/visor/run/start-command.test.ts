/** The command that `next` and `halt.json` name to start this node again: as it was started last. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { keepStart, lastStart, takeBackStart } from "../../../../host/visor/stage/start-command.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-starts-"));
afterAll(() => rmSync(folder, { recursive: true }));

const settings = { home: "/srv/chain", name: "chaind" };
const args = ["start", "--engine", "cometbft", "--moniker", "a node"];
const RUN = "chainvisor --home /srv/chain --name chaind run start --engine cometbft --moniker 'a node'";
const SYSTEM = "0::/system.slice/chaind.service\n";
const SESSION = "0::/user.slice/user-1000.slice/session-3.scope\n";
const own = String(process.pid);

function kept(group: string, env: NodeJS.ProcessEnv) {
  const files = { ...realMachine.files, readPart: () => utf8(group) };
  const path = join(folder, "start.json");
  const { run, start } = keepStart(files, path, { settings, args, env });
  expect(lastStart(files, path, settings)).toMatchObject({ run, start });
  expect(run).toBe(RUN);
  return start;
}

test.each<[string, string, NodeJS.ProcessEnv, string]>([
  ["systemd", SYSTEM, { SYSTEMD_EXEC_PID: own, INVOCATION_ID: "6c1b" }, "systemctl start chaind"],
  ["a shell of systemd's", SYSTEM, { SYSTEMD_EXEC_PID: String(process.ppid) }, "systemctl start chaind"],
  ["systemd before 248", SYSTEM, { INVOCATION_ID: "6c1b" }, "systemctl start chaind"],
  [
    "systemd with control groups of version 1",
    "12:pids:/system.slice/x.service\n1:name=systemd:/system.slice/chaind.service\n",
    { SYSTEMD_EXEC_PID: own },
    "systemctl start x",
  ],
  [
    "a user's systemd",
    "0::/user.slice/user-1000.slice/user@1000.service/app.slice/node@a.service\n",
    { SYSTEMD_EXEC_PID: own },
    "systemctl --user start node@a",
  ],
  ["a person in a session that has systemd's variables", SESSION, { INVOCATION_ID: "6c1b" }, RUN],
  ["a program of another unit's process", SYSTEM, { SYSTEMD_EXEC_PID: "1", INVOCATION_ID: "6c1b" }, RUN],
  ["a person", SESSION, {}, RUN],
  ["something in a container", "0::/\n", { INVOCATION_ID: "6c1b" }, RUN],
])(
  "keepStart() of a sidecar that was started by %s → its command, for later commands too",
  (_what, group, env, start) => {
    expect(kept(group, env)).toBe(start);
  },
);

test("lastStart() without a start that was kept → run start", () => {
  const { start, service } = lastStart(realMachine.files, join(folder, "none.json"), settings);
  expect({ start, service }).toEqual({
    start: "chainvisor --home /srv/chain --name chaind run start",
    service: undefined,
  });
});

test("takeBackStart() of a service whose arguments were refused → the start before it, by hand: the service would be refused again", () => {
  const path = join(folder, "refused.json");
  const env = { SYSTEMD_EXEC_PID: own };
  const files = { ...realMachine.files, readPart: () => utf8(SYSTEM) };
  keepStart(files, path, { settings, args, env });
  const refused = keepStart(files, path, { settings, args: ["strat"], env });
  expect(takeBackStart(files, path, settings, refused)).toBe(RUN);
  expect(lastStart(files, path, settings)).toMatchObject({ run: RUN, service: "systemctl start chaind" });
});
