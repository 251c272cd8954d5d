/** A sidecar exits because a plan's program or handler is missing: what it prints, and what the next start does. */
import { existsSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { listBackups } from "../../../../host/visor/backup/list.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { statusFromDisk } from "../../../../host/visor/run/without-sidecar/from-disk.js";
import { DAEMON, type ScriptsHome } from "../scripts-home.js";
import { HANDLER, ourHome, PINNED } from "./handler-home.js";

describe("a sidecar that has ended for a missing program", () => {
  const halted = (home: ScriptsHome, info: string) => {
    const plan = { name: "v3", height: "6", info };
    const record = {
      v: 1,
      code: "UPG_HALT_UPGRADE_NEEDED",
      message: "it halts",
      next: "start it",
      commands: ["chaind start"],
    };
    const text = { ...record, height: "6", last_committed_height: "5", plan };
    home.write("data/upgrade-info.json", JSON.stringify({ ...plan, height: 6 }));
    home.program("genesis", `printf '%s' '${JSON.stringify(text)}' > ${home.file("data", "halt.json")}\nexit 10`);
  };

  test("its last line has the next command; the status afterwards says why it ended, and what is missing; the next run forgets it", async () => {
    const home = ourHome();
    halted(home, PINNED);
    expect(await home.run(["start"])).toBe(1);
    const stage = `mkdir -p ${home.file("handlers/staged")} && cp HANDLER.wasm ${home.file("handlers/staged")}/`;
    expect(home.lines.at(-1)).toMatch(
      /binary not present, downloading disabled: .* is missing; the handler that the plan pins/,
    );
    expect(home.lines.at(-1)?.endsWith(`Next: ${stage}`)).toBe(true);
    const after = await statusFromDisk(home.settings(), realMachine);
    expect(after).toMatchObject({
      phase: "failed",
      message: expect.stringMatching(/ended by itself with 1, at .*downloading disabled/),
    });
    expect(after.next).toEqual([stage, `chainvisor --home ${home.path} --name ${DAEMON} run start`]);
    home.write("handlers/staged/v3.wasm", HANDLER);
    const staged = await statusFromDisk(home.settings(), realMachine);
    expect(staged.readiness[0]).toMatchObject({ what: "program", state: "ready" });
    // What it lacked is there: the start alone is left.
    expect(staged.next).toEqual([`chainvisor --home ${home.path} --name ${DAEMON} run start`]);
    home.program("genesis", "exit 0");
    expect(await home.run(["start"])).toBe(0);
    expect(existsSync(home.file("cosmovisor/failure.json"))).toBe(false);
    expect((await statusFromDisk(home.settings(), realMachine)).phase).toBe("stopped");
  });

  test("the handler's file is staged, and the sidecar started again → a backup of before the upgrade, and the same program", async () => {
    const home = ourHome();
    halted(home, PINNED);
    const atHeight = { storeHeight: async () => 5n };
    expect(await home.run(["start"], {}, atHeight)).toBe(1);
    home.write("handlers/staged/v3.wasm", HANDLER);
    home.program(
      "genesis",
      `test "$1" = start || exit 0; echo run >> $OUT; rm ${home.file("data", "halt.json")}; exit 0`,
    );
    const phases: string[] = [];
    home.board.onChange(({ phase, plan }) => phases.push(`${phase} ${plan?.name}`));
    const lines = home.lines.length;
    expect(await home.run(["start"], { isBackupSkipped: false }, atHeight), home.lines.join("\n")).toBe(0);
    expect([...new Set(phases)].join(", ")).toContain("halted v3, backing up v3, migrating v3");
    const [backup] = listBackups(realMachine.files, home.path);
    expect(backup?.manifest).toMatchObject({ plan: { name: "v3", height: "6" }, program: "genesis" });
    expect(home.lines.slice(lines).filter((line) => line.includes("is missing"))).toEqual([]);
    expect(home.out).toBe("run\n");
  });

  test("a plan that pins nothing → add-upgrade; no program at all → init; of a plan's folder → add-upgrade --force", async () => {
    const home = ourHome();
    halted(home, "");
    const command = `chainvisor --home ${home.path} --name ${DAEMON}`;
    expect(await home.run(["start"])).toBe(1);
    expect(home.lines.at(-1)?.endsWith(`Next: ${command} add-upgrade v3 PROGRAM`)).toBe(true);
    rmSync(home.file("cosmovisor/genesis"), { recursive: true });
    expect(await home.run(["start"])).toBe(1);
    expect(home.lines.at(-1)?.endsWith(`Next: ${command} init PROGRAM`)).toBe(true);
  });
});
