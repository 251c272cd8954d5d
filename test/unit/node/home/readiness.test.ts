/** Is the node's own handler ready? The judgement of its log, its metrics and its status. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { App } from "../../../../host/chain/app/app.js";
import { Home } from "../../../../host/node/home/home.js";
import { readinessOf } from "../../../../host/node/home/readiness.js";
import { V1 } from "../../../example-chain.js";
import { load } from "../../../guest/build.js";
import { Chain } from "../../../scenario/chain.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-readiness-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const plan = { name: "v9", height: 9n, info: "" };
const home = new Home(folder);

/** A node whose plan has a staged handler with these fields in its manifest. */
function appWith(manifest: object): App {
  const process = new Chain().start({ versions: [V1], staged: () => [load({}, { name: "v9", ...manifest })] });
  process.schedule(plan);
  process.app.keeper.lookForStaged();
  return process.app;
}

const hashOf = (app: App): string | undefined => app.keeper.findHandler(plan).handler?.wasm?.hash;

function rehearsed(exit: number, hash: string | undefined): void {
  const file = home.rehearsalFile(plan.name);
  mkdirSync(dirname(file), { recursive: true });
  const handler = hash === undefined ? null : { kind: "wasm", sha256: hash };
  writeFileSync(file, JSON.stringify({ exit, verdict: "would fail", message: `of ${hash}`, handler }));
}

describe("readinessOf()", () => {
  test("it takes the stored version → ready; another one → unfit, with the module and both versions", () => {
    const at = (from: number) => readinessOf(appWith({ versions: { auth: { from: [from], to: 3 } } }), home, plan);
    expect(at(1)).toMatchObject({ state: "ready", problem: "" });
    expect(at(2)).toMatchObject({ state: "unfit", problem: expect.stringContaining("auth is stored at 1") });
  });

  test.each([
    [
      "deletes the only store of a module that stays, declared",
      { deleted: ["gov"] },
      { deleteStores: ["gov"] },
      [],
      "gov",
    ],
    [
      "renames the only store of a module that stays, declared",
      { renamed: [{ old_key: "staking", new_key: "staking9" }] },
      { deleteStores: ["staking"] },
      [],
      "staking",
    ],
    ["deletes a store of a module that stays", { deleted: ["gov"] }, {}, [], "allows.deleteStores"],
    ["removes a vital module", { deleted: ["gov"] }, {}, ["gov"], "allows.removeModules"],
    ["removes a module and keeps its store", {}, { removeModules: ["gov"] }, ["gov"], "allows.keepStores"],
    ["deletes a store that is missing", { deleted: ["nine"] }, {}, [], "is to be deleted but is not stored"],
    ["adds a store that is there", { added: ["auth"] }, {}, [], "already has data"],
  ])("%s → unfit, as its block will refuse it", (_, changes, allows, removes, problem) => {
    const storeUpgrades = { added: [], renamed: [], deleted: [], ...changes };
    const found = readinessOf(appWith({ storeUpgrades, allows, removes }), home, plan);
    expect(found).toMatchObject({ state: "unfit", problem: expect.stringContaining(problem) });
  });

  test("it brings a module without a store of it, or one whose store has data → unfit", () => {
    const at = (versions: object) => readinessOf(appWith({ versions }), home, plan);
    expect(at({ auth: { to: 2 } })).toMatchObject({ state: "unfit" });
    expect(at({ nine: { to: 1 } })).toMatchObject({ state: "ready" });
  });

  test("its last rehearsal failed → unfit, with why; one of another file, one that applied, none → ready", () => {
    const app = appWith({});
    const state = () => readinessOf(app, home, plan);
    const hash = hashOf(app);
    rehearsed(20, hash);
    expect(state()).toMatchObject({ state: "unfit", problem: expect.stringContaining(`would fail: of ${hash}`) });
    rehearsed(1, hash);
    expect(state()).toMatchObject({ state: "unfit" });
    rehearsed(20, "cd".repeat(32));
    expect(state()).toMatchObject({ state: "ready" });
    rehearsed(0, hash);
    expect(state()).toMatchObject({ state: "ready" });
    rmSync(home.rehearsalFile(plan.name));
    expect(state()).toMatchObject({ state: "ready" });
  });
});
