/** A node of this project that runs under nobody: at its height nobody would switch it. */
import { expect, test } from "vitest";
import { Home as NodeHome } from "../../../../host/node/home/home.js";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { supervisionReadiness } from "../../../../host/visor/stage/supervision.js";
import { ScriptsHome } from "../scripts-home.js";

test("a node that runs without a sidecar → the sidecar is missing; with one, or with a relay → nothing", () => {
  const home = new ScriptsHome();
  home.write("data/chain.mdb", "");
  const found = () => supervisionReadiness(realMachine.files, home.settings()).map(({ what, state }) => [what, state]);
  expect(found()).toEqual([]);
  const { lockFile, relayLockFile } = new NodeHome(home.path);
  const node = HomeLock.acquire(lockFile);
  expect(found()).toEqual([["sidecar", "missing"]]);
  for (const other of [home.file("cosmovisor/chainvisor.lock"), relayLockFile]) {
    const lock = HomeLock.acquire(other);
    expect(found()).toEqual([]);
    lock.release();
  }
  node.release();
});
