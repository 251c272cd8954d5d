/** The record of an end that is none of a worker's: its commands are those of what holds the connections. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { Home } from "../../../../host/node/home/home.js";
import { Halt } from "../../../../host/upgrade/module/halt.js";
import { recordHalt } from "../../../../host/visor/hot/halt-record.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  [{}, /^\S+ relay --home \S+$/],
  [
    { startCommand: "chainvisor --home /h --name chaind run start --engine cometbft" },
    /^chainvisor --home \/h --name chaind run start --engine cometbft$/,
  ],
  [{ startCommand: "chainvisor run start", serviceCommand: "systemctl start chaind" }, /^systemctl start chaind$/],
])("recordHalt() of UPG_HALT_WORKER, started by %j → that command", (starts, command) => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const home = new Home(folder);
  recordHalt(home, new Halt("UPG_HALT_WORKER", "the worker is gone", 7n), undefined, () => undefined, starts);
  vi.restoreAllMocks();
  const { commands, next } = JSON.parse(readFileSync(home.haltFile, "utf8"));
  expect(commands).toHaveLength(1);
  expect(commands[0]).toMatch(command);
  expect(next).toContain(`\`${commands[0]}\``);
});
