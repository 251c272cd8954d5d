/** ModuleManager: which migrations run, in which order, and what it refuses. */
import { describe, expect, test } from "vitest";
import { ModuleManager } from "../../../../host/upgrade/module/migrations.js";
import type { UpgradeContext } from "../../../../host/upgrade/module/upgrade-handler.js";
import { MemoryStores } from "../../../../host/upgrade/test-kit/memory-stores.js";

function contextOver(stores = new MemoryStores()): UpgradeContext {
  return {
    chainId: "test-1",
    height: 10n,
    time: { seconds: 0n, nanos: 0 },
    stores,
    store: (name) => stores.store(name),
    log: () => undefined,
    progress: () => undefined,
  };
}

/** A manager that writes down what it runs. */
function managerOf(versions: Readonly<Record<string, bigint>>, ran: string[]): ModuleManager {
  const modules = Object.entries(versions).map(([name, consensusVersion]) => ({
    name,
    consensusVersion,
    initGenesis: () => ran.push(`${name} genesis`),
  }));
  const manager = new ModuleManager(...modules);
  for (const { name, consensusVersion } of modules) {
    for (let from = 1n; from < consensusVersion; from++) {
      manager.registerMigration(name, from, () => ran.push(`${name} ${from}`));
    }
  }
  return manager;
}

const refusal = (code: string, text: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(text) });

describe("runMigrations()", () => {
  test("from 1 to 4 → the steps 1, 2 and 3, once each, and the new map", () => {
    const ran: string[] = [];
    const map = managerOf({ bank: 4n }, ran).runMigrations(contextOver(), new Map([["bank", 1n]]));
    expect(ran).toEqual(["bank 1", "bank 2", "bank 3"]);
    expect(map).toEqual(new Map([["bank", 4n]]));
  });

  test("at its version already → no step", () => {
    const ran: string[] = [];
    managerOf({ bank: 3n }, ran).runMigrations(contextOver(), new Map([["bank", 3n]]));
    expect(ran).toEqual([]);
  });

  test("several modules → by name, auth last; in the order that was set", () => {
    const from = new Map(["auth", "bank", "staking"].map((name) => [name, 1n] as const));
    const ran: string[] = [];
    const manager = managerOf({ auth: 2n, staking: 2n, bank: 2n }, ran);
    manager.runMigrations(contextOver(), from);
    expect(ran).toEqual(["bank 1", "staking 1", "auth 1"]);
    ran.length = 0;
    manager.setOrderMigrations("auth", "staking", "bank");
    manager.runMigrations(contextOver(), from);
    expect(ran).toEqual(["auth 1", "staking 1", "bank 1"]);
  });

  test("a module that the map lacks → its genesis, no step", () => {
    const ran: string[] = [];
    managerOf({ bank: 3n }, ran).runMigrations(contextOver(), new Map());
    expect(ran).toEqual(["bank genesis"]);
  });

  test("a step that nobody registered → UPG_MIGRATION_STUCK names it, after the steps before it", () => {
    let steps = 0;
    const manager = new ModuleManager({ name: "bank", consensusVersion: 4n });
    manager.registerMigration("bank", 1n, () => steps++);
    manager.registerMigration("bank", 3n, () => steps++);
    expect(() => manager.runMigrations(contextOver(), new Map([["bank", 1n]]))).toThrow(
      refusal("UPG_MIGRATION_STUCK", "module bank from version 2 to version 3"),
    );
    expect(steps).toBe(1);
  });

  test("no migration at all → UPG_MIGRATION_STUCK names the module", () => {
    const manager = new ModuleManager({ name: "bank", consensusVersion: 2n });
    expect(() => manager.runMigrations(contextOver(), new Map([["bank", 1n]]))).toThrow(
      refusal("UPG_MIGRATION_STUCK", "no migrations found for module bank"),
    );
  });

  test("a version above the module's → UPG_MIGRATION_VERSION_MAP", () => {
    expect(() => managerOf({ bank: 2n }, []).runMigrations(contextOver(), new Map([["bank", 3n]]))).toThrow(
      refusal("UPG_MIGRATION_VERSION_MAP", "down from version 3 to 2"),
    );
  });
});

describe("registerMigration() and setOrderMigrations()", () => {
  test("a step twice, or from version 0 → UPG_INVALID_ARGUMENT", () => {
    const manager = managerOf({ bank: 2n }, []);
    const step = () => undefined;
    expect(() => manager.registerMigration("bank", 1n, step)).toThrow(
      refusal("UPG_INVALID_ARGUMENT", "already exists"),
    );
    expect(() => manager.registerMigration("bank", 0n, step)).toThrow(refusal("UPG_INVALID_ARGUMENT", "start at 1"));
  });

  test.each([[["bank"]], [["bank", "bank"]], [["bank", "mint"]], [["bank", "auth", "mint"]]])(
    "the order %j of auth and bank → UPG_INVALID_ARGUMENT",
    (order) => {
      const manager = managerOf({ auth: 1n, bank: 1n }, []);
      expect(() => manager.setOrderMigrations(...order)).toThrow(refusal("UPG_INVALID_ARGUMENT", "exactly once"));
    },
  );
});
