/** The program of an upgrade that is made already is linked in place of one that is too old. */
import { existsSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { listBackups } from "../../../../host/visor/backup/list.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { planText, ScriptsHome } from "../scripts-home.js";

test("exit 12 beyond the plan's block → its program is linked; no backup, no custom script, and its plan file keeps the info", async () => {
  const home = new ScriptsHome();
  const info = '{"binaries":{}}';
  home.program("genesis", "exit 12");
  home.program("upgrades/v2", `test "$1" = pre-upgrade && exit 1\necho v2 >> $OUT`);
  home.write("cosmovisor/upgrades/v2/upgrade-info.json", JSON.stringify({ name: "v2", height: 6, info }));
  symlinkSync("genesis", home.file("cosmovisor", "current"));
  home.write("cosmovisor/pre.sh", "#!/bin/sh\necho script > script-ran\n", 0o755);
  home.write("data/upgrade-info.json", planText("v2", 6));
  home.write("data/chain.mdb", "");
  const changes = { customPreUpgrade: "pre.sh", isBackupSkipped: false };
  const exit = await home.run(["start"], changes, { storeHeight: async () => 8n });
  expect(exit, home.lines.join("\n")).toBe(0);
  expect([home.out, home.current]).toEqual(["v2\n", "upgrades/v2"]);
  expect(existsSync(home.file("script-ran"))).toBe(false);
  expect(listBackups(realMachine.files, home.path)).toEqual([]);
  expect(JSON.parse(home.read("cosmovisor/upgrades/v2/upgrade-info.json"))).toMatchObject({ height: 6, info });
});
