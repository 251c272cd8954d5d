/** A migration, a handler and a block are synchronous: an `async` one is refused by name, since what it does later would be lost. */
import { describe, expect, test } from "vitest";
import { synchronous } from "../../../../host/base/errors/synchronous.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { ModuleManager } from "../../../../host/upgrade/module/migrations.js";
import { UpgradableApp } from "../../../../host/upgrade/module/upgradable-app.js";
import type { UpgradeContext } from "../../../../host/upgrade/module/upgrade-handler.js";
import { thrownBy } from "../../../thrown-by.js";
import { memoryStores } from "../../../vectors/memory-stores.js";
import { AUTHORITY, core, V1 } from "./notes-versions.js";

const later = async () => {
  await undefined;
  throw new Error("after the await");
};

const context: UpgradeContext = {
  ...{ chainId: "c-1", height: 5n, time: { seconds: 0n, nanos: 0 }, stores: memoryStores(["notes"]) },
  ...{ store: (name) => context.stores.store(name), log: () => undefined, progress: () => undefined },
};

test("synchronous() with a promise → UPG_INVALID_ARGUMENT; anything else → as it is", () => {
  expect(thrownBy(() => synchronous("it", later()))).toMatchObject({
    ...{ code: "UPG_INVALID_ARGUMENT", message: "it returned a promise; it is synchronous" },
  });
  for (const value of [undefined, null, 0, "then", JSON.parse('{"then":1}')])
    expect(synchronous("it", value)).toBe(value);
});

describe("ModuleManager.runMigrations()", () => {
  const steps = (run: () => unknown) => {
    const modules = new ModuleManager({ name: "notes", consensusVersion: 2n });
    modules.registerMigration("notes", 1n, () => run() as undefined);
    return thrownBy(() => modules.runMigrations(context, new Map([["notes", 1n]])));
  };
  const where = "module notes, from version 1 to version 2";

  test("an async step, also one that fails later → UPG_MIGRATION_FAILED that names it", () => {
    for (const run of [async () => undefined, later]) {
      const message = `${where}: the step returned a promise; it is synchronous`;
      expect(steps(run)).toMatchObject({ code: "UPG_MIGRATION_FAILED", message });
    }
  });

  test("a step that returns an Error → UPG_MIGRATION_FAILED with it, as of a handler", () => {
    const message = `${where}: no room`;
    expect(steps(() => new Error("no room"))).toMatchObject({ code: "UPG_MIGRATION_FAILED", message });
  });

  test("an async genesis of a new module → UPG_MIGRATION_FAILED", () => {
    const modules = new ModuleManager({ name: "notes", consensusVersion: 1n, initGenesis: later });
    const error = thrownBy(() => modules.runMigrations(context, new Map()));
    expect(error).toMatchObject({ code: "UPG_MIGRATION_FAILED", message: expect.stringContaining("its genesis: ") });
  });
});

describe("UpgradableApp.finalizeBlock()", () => {
  const app = (initGenesis: () => void) => {
    const options = { chainId: "c-1", core, sha256, authority: AUTHORITY, versions: [V1], initGenesis };
    const made = new UpgradableApp({ ...options, database: new MemoryDatabase() });
    made.load();
    return made;
  };
  const time = { seconds: 1n, nanos: 0 };

  test("an async part of its own, an async genesis → UPG_INVALID_ARGUMENT, and nothing can be committed", () => {
    const byBlock = app(() => undefined);
    expect(thrownBy(() => byBlock.finalizeBlock(time, later))).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(thrownBy(() => byBlock.commit())).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(thrownBy(() => app(later).finalizeBlock(time, () => undefined))).toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: "initGenesis returned a promise; it is synchronous",
    });
  });
});
