/** PreBlocker and EndBlocker as a library user calls them, by public names alone, over stores that were opened by hand. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import * as library from "../../../../host/index.js";
import { AUTHORITY, blockFacts, core, V1 } from "./notes-versions.js";

const { endBlocker, Keeper, preBlocker } = library;

/** A keeper without a list of versions, over stores that were opened by hand. */
function byHand(storeUpgrades: Partial<library.StoreUpgrades> = {}) {
  const database = new library.MemoryDatabase();
  const keeper = new Keeper({ core, authority: AUTHORITY, skipHeights: [9n] });
  keeper.setUpgradeHandler("v2", () => new Map([["notes", 2n]]), { storeUpgrades });
  const open = (names: readonly string[], upgrades?: library.StoreUpgrades) => {
    const multiStore = new library.CommitMultiStore(database, { sha256 });
    multiStore.mount(...names);
    if (upgrades) library.upgradeStoreLoader(3n, upgrades)(multiStore);
    else library.defaultStoreLoader(multiStore);
    return multiStore;
  };
  const before = open(["notes", "upgrade"]);
  const store = before.store("upgrade");
  keeper.setModuleVersions(store, V1.modules);
  before.commit();
  keeper.softwareUpgrade(store, 2n, { authority: AUTHORITY, plan: { name: "v2", height: 3n, info: "" } });
  before.commit();
  const input = (multiStore: library.CommitMultiStore, height: bigint): library.HookInput => ({
    ...{ keeper, branch: multiStore.branch(), base: multiStore.loaded(), block: blockFacts(height) },
  });
  return { keeper, open, before, input };
}

const ADDED = { added: ["likes"], renamed: [], deleted: [] };

describe("preBlocker() and endBlocker() without a list of versions", () => {
  test("stores opened with the handler's upgrades → Apply, by the store loader alone", () => {
    const { open, input } = byHand(ADDED);
    const given = input(open(["likes", "notes", "upgrade"], ADDED), 3n);
    const pre = preBlocker(given);
    expect(pre).toMatchObject({ decision: "Apply", isUpgradeBlock: true, plan: { name: "v2" } });
    expect(endBlocker(given, pre)?.versionsAfter).toEqual(new Map([["notes", 2n]]));
  });

  test("stores opened as they were → UPG_HALT_RESTART; a handler without store upgrades needs none", () => {
    const { before, input } = byHand(ADDED);
    expect(() => preBlocker(input(before, 3n))).toThrow(expect.objectContaining({ code: "UPG_HALT_RESTART" }));
    const plain = byHand();
    expect(preBlocker(plain.input(plain.before, 3n)).decision).toBe("Apply");
  });

  test("before the height, a handler that is here → UPG_HALT_BINARY_TOO_EARLY; no handler → Pending, EndBlocker does nothing", () => {
    const { before, input } = byHand();
    expect(() => preBlocker(input(before, 2n))).toThrow(expect.objectContaining({ code: "UPG_HALT_BINARY_TOO_EARLY" }));
    const given = { ...input(before, 2n), keeper: new Keeper({ core, authority: AUTHORITY }) };
    const pre = preBlocker(given);
    expect(pre).toEqual({ decision: "Pending", isUpgradeBlock: false, plan: { name: "v2", height: 3n, info: "" } });
    expect(endBlocker(given, pre)).toBeUndefined();
  });

  test("a skip height → Skip, the plan cleared in the branch", () => {
    const { before, input } = byHand();
    const given = input(before, 9n);
    expect(preBlocker(given)).toMatchObject({ decision: "Skip", isUpgradeBlock: true, plan: { name: "v2" } });
    expect(given.keeper.plan(given.branch.store("upgrade"))).toBeUndefined();
    expect(given.keeper.plan(before.store("upgrade"))).toBeDefined();
  });

  test("the last upgrade's handler is missing → halt in the first block of a process, not after a commit", () => {
    const { open, before, input } = byHand();
    const given = input(before, 3n);
    endBlocker(given, preBlocker(given));
    given.branch.write();
    before.commit();
    const other = new Keeper({ core, authority: AUTHORITY });
    const reopened = open(["notes", "upgrade"]);
    expect(reopened.loaded().hasCommitted).toBe(false);
    expect(() => preBlocker({ ...input(reopened, 4n), keeper: other })).toThrow(
      expect.objectContaining({ code: "UPG_HALT_HANDLER_MISSING" }),
    );
    reopened.commit();
    expect(preBlocker({ ...input(reopened, 5n), keeper: other })).toEqual({
      decision: "Idle",
      isUpgradeBlock: false,
      plan: undefined,
    });
  });

  test("the plan changes between the hooks → UPG_BUG_PLAN_CHANGED", () => {
    const { before, input, keeper } = byHand();
    const given = input(before, 3n);
    const pre = preBlocker(given);
    keeper.softwareUpgrade(given.branch.store("upgrade"), 3n, {
      authority: AUTHORITY,
      plan: { name: "v2", height: 8n, info: "x" },
    });
    expect(() => endBlocker(given, pre)).toThrow(expect.objectContaining({ code: "UPG_BUG_PLAN_CHANGED" }));
  });

  test("the block's branch and the loaded stores cannot be swapped: tsc refuses it", () => {
    const { before, input } = byHand();
    const { keeper, block: facts } = input(before, 3n);
    // @ts-expect-error a branch does not know what the stores were opened with
    const asBase: library.HookInput = { keeper, block: facts, branch: before.branch(), base: before.branch() };
    // @ts-expect-error loaded stores cannot be written
    const asBranch: library.HookInput = { keeper, block: facts, branch: before.loaded(), base: before.loaded() };
    expect([asBase, asBranch]).toHaveLength(2);
  });
});
