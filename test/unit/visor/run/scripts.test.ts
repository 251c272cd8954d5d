/** What runs between the old program and the new one: the operator's script, and the new program's `pre-upgrade`. */
import { describe, expect, test } from "vitest";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { planText, ScriptsHome } from "../scripts-home.js";

/** It comes to height 49, and waits there to be ended. */
const genesis = (home: ScriptsHome) =>
  home.program(
    "genesis",
    [
      `if [ "$1" = status ]; then echo '{"sync_info":{"latest_block_height":"49"}}'; exit 0; fi`,
      `printf '${planText("chain2", 49)}' > "$4"`,
      "sleep 30",
    ].join("\n"),
  );
const chain2 = (home: ScriptsHome) => home.program("upgrades/chain2", 'test "$1" = pre-upgrade && exit 1; exit 0');

const ARGS = (home: ScriptsHome) => ["foo", "bar", "1234", home.planFile];

describe("scripts before the switch", () => {
  test("the custom script is missing → its name and that it does not exist; the link is the old one", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    expect(await home.run(ARGS(home), { customPreUpgrade: "missing.sh" })).toBe(1);
    expect(home.lines.at(-1)).toMatch(/^error stat .*missing\.sh: no such file or directory$/);
    expect(home.current).toBe("genesis");
  });

  test("the custom script → it has the plan's name and height, in the home, once", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    home.write("cosmovisor/preupgrade.sh", '#!/bin/sh\necho "$PWD" >> "upgrade_name_$1_height_$2"\n');
    expect(await home.run(ARGS(home), { customPreUpgrade: "preupgrade.sh" }), home.lines.join("\n")).toBe(0);
    expect(home.read("upgrade_name_chain2_height_49")).toBe(`${home.path}\n`);
  });

  test("the custom script fails → the switch is not made", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    home.write("cosmovisor/pre.sh", "#!/bin/sh\nexit 4\n");
    expect(await home.run(ARGS(home), { customPreUpgrade: "pre.sh" })).toBe(1);
    expect([home.current, home.lines.at(-1)]).toEqual(["genesis", expect.stringContaining("exit status 4")]);
  });

  test("the custom script does not end → the log has each minute what is waited for; it ends → the switch is made", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    home.write("cosmovisor/slow.sh", `#!/bin/sh\nwhile ! test -e ${home.file("go")}; do sleep 0.05; done\n`, 0o755);
    const sleep: typeof realMachine.clock.sleep = (millis, signal) =>
      realMachine.clock.sleep(millis === 60_000 ? 20 : millis, signal);
    const machine = { ...realMachine, clock: { ...realMachine.clock, sleep } };
    const ended = home.run(ARGS(home), { customPreUpgrade: "slow.sh" }, { machine });
    await home.says(`${home.file("cosmovisor/slow.sh")} has run for 2 min and has not ended: the node waits for it`);
    home.write("go", "");
    expect(await ended, home.lines.join("\n")).toBe(0);
    expect(home.current).toBe("upgrades/chain2");
  });

  test.each([
    ["0", 0, 0, "upgrades/chain2", "pre-upgrade successful"],
    ["1", 0, 0, "upgrades/chain2", "pre-upgrade command does not exist. continuing the upgrade."],
    ["30", 0, 30, "genesis", "pre-upgrade command failed : exit status 30"],
    ["31", 0, 1, "genesis", "pre-upgrade command failed. reached max attempt of retries - 0"],
    ["31", 1, 1, "genesis", "pre-upgrade command failed. reached max attempt of retries - 1"],
    ["77", 0, 0, "upgrades/chain2", "pre-upgrade ended with exit status 77"],
    ["127", 0, 1, "genesis", "cannot be run: pre-upgrade ended with exit status 127"],
  ])(
    "pre-upgrade of the new program ends with %s, %d retries → exit %d, %s",
    async (status, retries, exit, link, line) => {
      const home = new ScriptsHome();
      genesis(home);
      home.program("upgrades/chain2", `if [ "$1" = pre-upgrade ]; then echo asked >> $OUT; exit ${status}; fi`);
      expect(await home.run(ARGS(home), { preUpgradeRetriesMax: retries })).toBe(exit);
      expect(home.current).toBe(link);
      expect(home.lines.join("\n")).toContain(line);
      expect(home.out.match(/asked/g)).toHaveLength(retries + 1);
    },
  );
});

test("pre-upgrade refuses, with a reason → the reason is in the sidecar's last line, its status and its record", async () => {
  const home = new ScriptsHome();
  genesis(home);
  home.program("upgrades/chain2", `test "$1" = pre-upgrade && { echo checking; echo "no room: 3 of 9" >&2; exit 30; }`);
  expect(await home.run(ARGS(home))).toBe(30);
  const words = "pre-upgrade command failed : exit status 30: no room: 3 of 9";
  expect(home.lines.at(-1)).toBe(`error ${words}`);
  expect(home.board.current.message).toBe(words);
  expect(JSON.parse(home.read("cosmovisor/failure.json"))).toMatchObject({ message: words, exit: 30 });
});
