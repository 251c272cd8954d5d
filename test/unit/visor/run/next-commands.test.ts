/** The commands that the sidecar and the halt record offer after a failure, where a sidecar runs the node. */
import { describe, expect, test } from "vitest";
import { nextStep } from "../../../../host/upgrade/halt-next.js";
import { realMachine } from "../../../../host/visor/real-machine.js";
import { statusFromDisk } from "../../../../host/visor/without-sidecar/from-disk.js";
import { ScriptsHome } from "../scripts-home.js";

describe("what to do next, where a sidecar runs the node", () => {
  const again = (home: ScriptsHome) => `chainvisor --home ${home.path} --name dummyd run start --x`;

  test("the first block after a switch fails → another program first, then a start with the arguments of this run", async () => {
    const home = new ScriptsHome();
    home.program(
      "genesis",
      `printf '%s' '${JSON.stringify({ name: "chain2", height: 49 })}' > ${home.planFile}; exit 1`,
    );
    home.program("upgrades/chain2", "echo usage; exit 1");
    expect(await home.run(["start", "--x"])).toBe(1);
    expect(home.board.current.next).toEqual([
      `chainvisor --home ${home.path} --name dummyd add-upgrade chain2 <program> --force`,
      again(home),
    ]);
    const after = await statusFromDisk(home.settings(), realMachine);
    expect(after.next).toEqual(home.board.current.next);
  });

  test("a crash of any other block → a start as the last one; the program's own records get the same command", async () => {
    const home = new ScriptsHome();
    home.program("genesis", 'echo "$CHAINVISOR_START" >> $OUT; exit 7');
    expect(await home.run(["start", "--x"])).toBe(1);
    expect(home.board.current.next).toEqual([again(home)]);
    expect(home.out).toBe(`${again(home)}\n`);
  });

  test("a halt's record → the sidecar's command, with the flag of a skip; as a service → systemctl, which takes no flag", () => {
    const facts = {
      code: "UPG_MIGRATION_FAILED",
      height: "9",
      home: "/h",
      program: "chaind",
      plan: "v2",
      details: {},
    } as const;
    const startCommand = "chainvisor run start";
    const skip = `${startCommand} --unsafe-skip-upgrades 9`;
    expect(nextStep({ ...facts, startCommand }).commands).toEqual([startCommand, skip]);
    const serviceCommand = "systemctl start chaind";
    expect(nextStep({ ...facts, startCommand, serviceCommand }).commands).toEqual([serviceCommand, skip]);
  });
});
