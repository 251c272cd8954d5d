/** Keeper, hooks and UpgradableApp as a library user has them: by public names alone, over a database that is kept. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../host/bytes.js";
import * as library from "../../../host/index.js";
import { sha256 } from "../../../host/native/sha256.js";
import { MemoryFiles } from "../../scenario/files.js";
import { KeptDatabase } from "../../scenario/kept-database.js";

const { Core, endBlocker, Halt, Keeper, preBlocker, UpgradableApp } = library;
const V1: library.AppVersion = {
  ...{ number: 1n, plan: undefined, modules: new Map([["notes", 1n]]), stores: ["notes", "upgrade"] },
};
const V2: library.AppVersion = {
  ...{ number: 2n, plan: "v2", modules: new Map([["notes", 2n]]), stores: ["likes", "notes", "upgrade"] },
};
const bytes = (text: string) => new TextEncoder().encode(text);
const core = new Core();
const AUTHORITY = "gov";

class Chain {
  readonly database = new KeptDatabase();
  readonly files = new MemoryFiles();
  log: string[] = [];

  start(versions: readonly library.AppVersion[], more: Partial<library.UpgradableAppOptions<library.AppVersion>> = {}) {
    const app = new UpgradableApp({
      ...{ chainId: "notes-1", core, sha256, authority: AUTHORITY, versions },
      ...{ database: this.database, files: this.files, log: (level, text) => void this.log.push(`${level} ${text}`) },
      initGenesis: (stores) => stores.store("notes").set(bytes("1"), bytes("hello")),
      ...more,
    });
    app.keeper.setUpgradeHandler("v2", () => new Map([["notes", 2n]]), { storeUpgrades: { added: ["likes"] } });
    return app;
  }

  /** A process of the old program that has halted before the plan's height, 4. */
  halted(): this {
    expect(this.halt(this.start([V1]), true)).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 4n });
    return this;
  }

  /** Makes blocks until it halts. */
  halt(app: library.UpgradableApp, schedules = false): unknown {
    try {
      app.load();
      for (let count = 0; count < 10; count++) block(app, schedules && app.nextHeight === 2n);
    } catch (error) {
      return error;
    }
    throw new Error("it did not halt");
  }
}

function block(app: library.UpgradableApp, schedules = false): library.FinalizedBlock {
  const made = app.finalizeBlock({ seconds: 1_800_000_000n, nanos: 0 }, ({ stores, height }) => {
    const plan = { name: "v2", height: 4n, info: "" };
    if (schedules) app.keeper.softwareUpgrade(stores.store("upgrade"), height, { authority: AUTHORITY, plan });
  });
  app.commit();
  return made;
}

describe("UpgradableApp", () => {
  test("the old program → halts at the height at each start, exit 10, upgrade-info.json written, nothing committed", () => {
    const chain = new Chain().halted();
    expect(JSON.parse(chain.files.text("upgrade-info.json") ?? "")).toMatchObject({ name: "v2", height: 4 });
    for (let again = 0; again < 2; again++) {
      const app = chain.start([V1]);
      const halt = chain.halt(app);
      expect(halt).toBeInstanceOf(Halt);
      expect(halt).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", kind: { exit: 10 } });
      expect(app.lastCommitID.version).toBe(3n);
      expect(() => block(app)).toThrow(halt as Error);
    }
  });

  test("the new program → opens the new stores and applies at the first start; later starts are of the new version", () => {
    const chain = new Chain().halted();
    const app = chain.start([V1, V2]);
    expect(app.load()).toBe(V2);
    expect(app.multiStore.names).toEqual(["likes", "notes", "upgrade"]);
    const { applied, appHash, height } = block(app);
    expect([applied?.plan.name, height]).toEqual(["v2", 4n]);
    expect(app.lastCommitID).toEqual({ version: 4n, hash: appHash });
    expect(block(app).applied).toBeUndefined();
    expect(app.keeper.moduleVersions(app.multiStore.store("upgrade"))).toEqual(V2.modules);
    const later = chain.start([V1, V2]);
    expect(later.load()).toBe(V2);
    expect(block(later).height).toBe(6n);
  });

  test("a program that carries both, before the height → UPG_HALT_BINARY_TOO_EARLY (11); the old one makes the blocks", () => {
    const chain = new Chain();
    const halt = chain.halt(chain.start([V1, V2]), true);
    expect(halt).toMatchObject({ code: "UPG_HALT_BINARY_TOO_EARLY", height: 3n, kind: { exit: 11 } });
    expect(chain.halt(chain.start([V1]))).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 4n });
    expect(block(loaded(chain.start([V1, V2]))).applied?.plan.name).toBe("v2");
  });

  test("stores of the old version at the height → UPG_HALT_RESTART: a list of versions does not replace the loader", () => {
    const { keeper, multiStore } = loaded(new Chain().halted().start([V1, V2]));
    keeper.markStoresOpened(undefined);
    const base = { ...multiStore.loaded(), storeUpgrades: { added: [], renamed: [], deleted: [] } };
    const input = { keeper, branch: multiStore.branch(), base, block: blockFacts(4n) };
    expect(() => preBlocker(input)).toThrow(expect.objectContaining({ code: "UPG_HALT_RESTART" }));
  });

  test("an old program on the new state → UPG_HALT_HANDLER_MISSING (12) before any store is opened", () => {
    const chain = new Chain().halted();
    block(loaded(chain.start([V1, V2])));
    const old = chain.start([V1]);
    expect(() => old.load()).toThrow(
      expect.objectContaining({
        code: "UPG_HALT_HANDLER_MISSING",
        details: expect.objectContaining({ last_upgrade: "v2" }),
      }),
    );
    expect(old.multiStore.names).toEqual([]);
  });

  test("a genesis version that the program lacks → UPG_INVALID_GENESIS; a handler for a plan of no version → UPG_INVALID_ARGUMENT", () => {
    const chain = new Chain();
    expect(() => chain.start([V1], { genesisVersion: 2n }).load()).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_GENESIS" }),
    );
    expect(loaded(chain.start([V1, V2], { genesisVersion: 2n })).version).toBe(V2);
    expect(() => chain.start([V1]).version).toThrow("before load()");
  });

  test("a skip height → the plan is cleared in its block and the old version goes on", () => {
    const chain = new Chain().halted();
    const app = loaded(chain.start([V1], { skipHeights: [4n] }));
    expect(block(app)).toMatchObject({ height: 4n, applied: undefined });
    expect(app.keeper.plan(app.multiStore.store("upgrade"))).toBeUndefined();
    expect(app.version).toBe(V1);
  });

  test("haltHeight → UPG_HALT_HEIGHT (13) at that height and after it, not before", () => {
    const chain = new Chain();
    const app = chain.start([V1], { haltHeight: 3n });
    expect(chain.halt(app)).toMatchObject({ code: "UPG_HALT_HEIGHT", height: 3n, kind: { exit: 13 } });
    expect(app.lastCommitID.version).toBe(2n);
    expect(block(loaded(chain.start([V1], { haltHeight: 4n }))).height).toBe(3n);
  });

  test("upgrade-info.json that does not agree with state → a warning, and state decides", () => {
    const chain = new Chain().halted();
    chain.files.put("upgrade-info.json", '{"name":"v3","height":4}');
    expect(block(loaded(chain.start([V1, V2]))).applied?.plan.name).toBe("v2");
    expect(chain.log).toContainEqual(expect.stringMatching(/^warn upgrade-info.json names the upgrade "v3"/));
  });

  test("recordHalt() → the record in halt.json, with the program's own commands; the next committed block removes it", () => {
    const chain = new Chain();
    const app = chain.start([V1], { haltHeight: 3n });
    const halt = chain.halt(app) as library.Halt;
    const record = app.recordHalt(halt, { time: "2027-01-15T08:00:00Z", home: "/srv/notes", program: "notesd" });
    expect(record).toMatchObject({ code: "UPG_HALT_HEIGHT", height: "3", last_committed_height: "2" });
    expect(record.commands).toEqual(["notesd start --home /srv/notes"]);
    expect(JSON.parse(chain.files.text("halt.json") ?? "")).toEqual(record);
    block(loaded(chain.start([V1])));
    expect(chain.files.text("halt.json")).toBeUndefined();
  });

  test("recordHalt() on a disk that refuses → the record all the same, and a warning", () => {
    const chain = new Chain();
    const app = chain.start([V1], { haltHeight: 1n });
    const halt = chain.halt(app) as library.Halt;
    chain.files.isRefusing = { write: true };
    expect(app.recordHalt(halt, { time: "" })).toMatchObject({ last_committed_height: "0", app_hash: "" });
    expect(chain.log.at(-1)).toMatch(/^warn halt.json could not be written/);
  });

  test("a block's own part that throws → nothing is committed, and the app has ended", () => {
    const chain = new Chain();
    const app = loaded(chain.start([V1]));
    const run = () => {
      throw new Error("boom");
    };
    expect(() => app.finalizeBlock({ seconds: 0n, nanos: 0 }, run)).toThrow("boom");
    expect(() => app.commit()).toThrow("boom");
    expect(loaded(chain.start([V1])).nextHeight).toBe(1n);
  });

  test("commit() without a block, a second block without commit() → UPG_BUG_ASSERT", () => {
    const chain = new Chain();
    expect(() => loaded(chain.start([V1])).commit()).toThrow(expect.objectContaining({ code: "UPG_BUG_ASSERT" }));
    const app = loaded(chain.start([V1]));
    app.finalizeBlock({ seconds: 0n, nanos: 0 }, () => undefined);
    expect(() => block(app)).toThrow("was run already");
  });

  test("a Wasm handler → its receipt, with the roots before and in the block, proven under the app hash", () => {
    const handler = library.loadHandler(readFileSync("build/examples/split-balances.wasm"), { sha256 });
    const old = {
      ...V1,
      modules: new Map([
        ["auth", 1n],
        ["bank", 1n],
      ]),
      stores: ["auth", "upgrade"],
    };
    const upgraded = {
      ...V2,
      modules: new Map([
        ["auth", 2n],
        ["bank", 2n],
      ]),
      stores: ["auth", "bank", "upgrade"],
    };
    const chain = new Chain();
    const start = (versions: readonly library.AppVersion[]) => {
      const options = { ...{ chainId: "c-1", core, sha256, authority: AUTHORITY, versions }, database: chain.database };
      const app = new UpgradableApp({ ...options, initGenesis: () => undefined });
      app.keeper.setWasmHandler(handler);
      return app;
    };
    chain.halt(start([old]), true);
    const app = loaded(start([old, upgraded]));
    expect(block(app).applied?.handler.wasm).toBe(handler);
    const receipt = library.decodeReceipt(
      app.keeper.core.receipt(app.multiStore.at(4n).store("upgrade"), "v2") ?? new Uint8Array(),
    );
    expect(receipt).toMatchObject({ plan: "v2", height: 4n, checks: ["supply", "balances"] });
    expect(toHex(receipt.handlerSha256)).toBe(handler.hash);
    expect(receipt.stores.map(({ name, rootAfter }) => [name, rootAfter.length])).toEqual([
      ["auth", 32],
      ["bank", 32],
    ]);
  });
});

const blockFacts = (height: bigint) => ({ chainId: "c-1", height, time: { seconds: 0n, nanos: 0 }, appVersion: 0n });

function loaded(app: library.UpgradableApp): library.UpgradableApp {
  app.load();
  return app;
}

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

describe("Keeper", () => {
  const store = () => new library.MemoryKVStore();
  const plan = { name: "v2", height: 5n, info: "" };

  test("softwareUpgrade, cancelUpgrade by another address → UPG_UNAUTHORIZED, nothing written", () => {
    const keeper = new Keeper({ core, authority: AUTHORITY });
    const kept = store();
    const refused = expect.objectContaining({ code: "UPG_UNAUTHORIZED" });
    expect(() => keeper.softwareUpgrade(kept, 1n, { authority: "me", plan })).toThrow(refused);
    keeper.softwareUpgrade(kept, 1n, { authority: AUTHORITY, plan });
    expect(() => keeper.cancelUpgrade(kept, { authority: "me" })).toThrow(refused);
    expect(keeper.plan(kept)).toEqual(plan);
    keeper.cancelUpgrade(kept, { authority: AUTHORITY });
    expect(keeper.plan(kept)).toBeUndefined();
  });

  test("two handlers for one plan → UPG_HANDLER_DUPLICATE; with versions, one that none of them carries is ignored", () => {
    const keeper = new Keeper({ core, authority: AUTHORITY, versions: [V1, V2] });
    const handler = () => new Map<string, bigint>();
    keeper.setUpgradeHandler("v2", handler);
    expect(() => keeper.setUpgradeHandler("v2", handler)).toThrow(
      expect.objectContaining({ code: "UPG_HANDLER_DUPLICATE" }),
    );
    keeper.setUpgradeHandler("v3", handler);
    expect([keeper.hasHandler("v2"), keeper.hasHandler("v3")]).toEqual([true, false]);
  });

  test.each([0n, -1n, 2n ** 63n])("writeUpgradeInfo() at height %s → UPG_INVALID_HEIGHT, no file", (height) => {
    const files = new MemoryFiles();
    const keeper = new Keeper({ core, authority: AUTHORITY, files });
    expect(() => keeper.writeUpgradeInfo(height, core.encodePlan(plan))).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_HEIGHT" }),
    );
    expect(files.contents).toEqual([]);
    keeper.writeUpgradeInfo(2n ** 63n - 1n, core.encodePlan(plan));
    expect(files.written).toEqual(["upgrade-info.json"]);
  });
});
