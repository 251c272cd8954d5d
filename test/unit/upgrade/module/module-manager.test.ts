/** ModuleManager around its steps: what it logs and remembers, data under a new module, and steps that fail (migrations.test.ts has the order). */
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { ModuleManager, reachedVersions } from "../../../../host/upgrade/module/migrations.js";
import type { UpgradeContext } from "../../../../host/upgrade/module/upgrade-handler.js";
import { memoryStores } from "../../../vectors/memory-stores.js";

function context(): UpgradeContext & { readonly lines: string[] } {
  const stores = memoryStores(["auth", "bank", "likes"]);
  const lines: string[] = [];
  return {
    ...{ chainId: "c-1", height: 5n, time: { seconds: 0n, nanos: 0 }, stores, lines },
    store: (name) => stores.store(name),
    log: (_level, message) => void lines.push(message),
    progress: () => undefined,
  };
}

const versions = (map: Record<string, bigint>) => new Map(Object.entries(map));

/** Modules at these versions, with a step from each version that is named, which writes down that it ran. */
function manager(modules: Record<string, bigint>, steps: Record<string, readonly bigint[]> = {}) {
  const ran: string[] = [];
  const made = new ModuleManager(
    ...Object.entries(modules).map(([name, consensusVersion]) => ({
      ...{ name, consensusVersion },
      initGenesis: () => void ran.push(`${name} genesis`),
    })),
  );
  for (const [name, from] of Object.entries(steps)) {
    for (const version of from) made.registerMigration(name, version, () => void ran.push(`${name} ${version}`));
  }
  return { made, ran };
}

describe("ModuleManager.runMigrations()", () => {
  test("a module that is at its version, with and without steps → nothing runs", () => {
    const { made, ran } = manager({ auth: 1n, bank: 2n }, { bank: [1n, 2n] });
    expect(made.runMigrations(context(), versions({ auth: 1n, bank: 2n }))).toEqual(versions({ auth: 1n, bank: 2n }));
    expect(ran).toEqual([]);
  });

  test("modules by name, auth last, a new one by its genesis; each said in the log", () => {
    const { made, ran } = manager({ auth: 2n, likes: 1n, bank: 2n }, { auth: [1n], bank: [1n] });
    const seen = context();
    made.runMigrations(seen, versions({ auth: 1n, bank: 1n }));
    expect(ran).toEqual(["bank 1", "likes genesis", "auth 1"]);
    expect(seen.lines).toEqual([
      "migrating module bank from version 1 to version 2",
      "adding a new module: likes",
      "migrating module auth from version 1 to version 2",
    ]);
    expect(reachedVersions(seen)).toEqual(versions({ auth: 2n, bank: 2n, likes: 1n }));
  });

  test("a new module whose store has data → UPG_MIGRATION_VERSION_MAP, its genesis does not run", () => {
    const { made, ran } = manager({ likes: 1n });
    const seen = context();
    seen.store("likes").set(utf8("k"), utf8("v"));
    expect(() => made.runMigrations(seen, new Map())).toThrow(
      expect.objectContaining({ code: "UPG_MIGRATION_VERSION_MAP" }),
    );
    expect(ran).toEqual([]);
  });

  test("a step that throws → UPG_MIGRATION_FAILED that names module and step, with the cause", () => {
    const made = new ModuleManager({ name: "bank", consensusVersion: 2n });
    const cause = new Error("boom");
    made.registerMigration("bank", 1n, () => {
      throw cause;
    });
    expect(() => made.runMigrations(context(), versions({ bank: 1n }))).toThrow(
      expect.objectContaining({
        ...{ code: "UPG_MIGRATION_FAILED", cause },
        message: "module bank, from version 1 to version 2: boom",
      }),
    );
  });
});
