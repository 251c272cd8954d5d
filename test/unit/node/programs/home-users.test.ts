/** Who uses a home that is about to be swapped, whatever started them. */
import { type ChildProcess, spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { homeUsers } from "../../../../host/node/home/home-users.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { DAEMON, ScriptsHome } from "../../visor/scripts-home.js";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});
const run = (file: string, args: readonly string[], cwd: string): number => {
  const child = spawn(file, args, { cwd, stdio: ["pipe", "ignore", "ignore"] });
  started.push(child);
  return child.pid ?? 0;
};
const used = (home: ScriptsHome, path = home.path) =>
  homeUsers({ data: `${path}/data`, root: `${path}/cosmovisor`, name: DAEMON });
const until = async (isSo: () => boolean) => {
  while (!isSo()) await realMachine.clock.sleep(5);
};

describe("homeUsers()", () => {
  test("nobody → none; a file of the data is open → that process, by any name of the home", async () => {
    const home = new ScriptsHome();
    home.write("data/db/1", "x");
    expect(used(home)).toEqual([]);
    const pid = run("tail", ["-f", home.file("data/db/1")], "/");
    await until(() => used(home).length > 0);
    const link = `${home.path}-link`;
    symlinkSync(home.path, link);
    expect([used(home), used(home, link)]).toEqual([[pid], [pid]]);
  });

  test("its program runs, named in full or from its folder → that process; another home's → not", async () => {
    const [home, other] = [new ScriptsHome(), new ScriptsHome()];
    // A shell that starts a command is two processes of this name for a moment; one that waits for a line is one.
    const file = home.program("genesis", "read line");
    const pids = [run(file, [], "/"), run(`bin/${DAEMON}`, [], home.file("cosmovisor", "genesis"))];
    await until(() => used(home).length === 2);
    expect(used(home).sort()).toEqual(pids.sort());
    expect(used(other)).toEqual([]);
  });
});
