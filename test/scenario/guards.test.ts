/** Mistakes of a handler that have hurt chains: refused with exit 20 before anything is written, unless it declares them. */
import { describe, expect, test } from "vitest";
import type { VersionMap } from "../../host/base/types/types.js";
import type { WasmHandler } from "../../host/upgrade/handler/handler.js";
import { ModuleManager } from "../../host/upgrade/module/migrations.js";
import { V1, V2 } from "../example-chain.js";
import { data, load, type ManifestSource } from "../guest/build.js";
import { Chain, type FunctionHandler, failureOf, type Process } from "./chain.js";
import { splitBalances, toV2 } from "./versions.js";

const handlers = [splitBalances()];
const MAP = "UPG_MIGRATION_VERSION_MAP";

/** A chain of version 1 before the upgrade block of `v2`. */
function beforeV2(prepare?: (process: Process) => void): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  prepare?.(old);
  old.schedule({ name: "v2", height: old.height + 3n });
  old.untilHalt();
  return chain;
}

/** A chain of version 2 before the upgrade block of `v3`. */
function beforeV3(prepare?: (process: Process) => void): Chain {
  const chain = beforeV2();
  const old = chain.start({ handlers });
  old.blocks(1);
  prepare?.(old);
  old.schedule({ name: "v3", height: old.height + 3n });
  old.untilHalt();
  return chain;
}

/** The upgrade ends with this, at every start, and nothing is written. */
function expectRefused(chain: Chain, start: Parameters<Chain["start"]>[0], code: string, ...texts: string[]): void {
  for (let again = 0; again < 2; again++) {
    const process = chain.start({ handlers, ...start });
    const before = chain.contents();
    const failure = failureOf(() => process.block());
    expect(failure).toMatchObject({ code, kind: { exit: 20 } });
    for (const text of texts) expect(failure.message).toContain(text);
    expect(chain.contents()).toEqual(before);
  }
}

const guest = (manifest: ManifestSource & object, writes = false): WasmHandler =>
  load(
    writes
      ? {
          imports: '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))',
          run: "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 17) (i32.const 8))) (i32.const 0)",
          // Of module gov: the id of its next proposal.
          more: data(16, Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0, 9)),
        }
      : {},
    { name: "v3", ...manifest },
  );

describe("an empty stored version map", () => {
  const forget = (process: Process) =>
    process.block({
      changes: [(context) => process.app.keeper.core.setVersionMap(context.store("upgrade"), new Map())],
    });

  // Specification 2.21.
  test("while a plan is applied → refused, with the remedy; declared, it is taken", () => {
    const chain = beforeV3(forget);
    expectRefused(chain, { home: [guest({})] }, MAP, "setModuleVersions");
    const allowed = guest({ allows: { emptyVersionMap: true }, versions: { nine: { to: 1 } } });
    expect(chain.start({ handlers, home: [allowed] }).block().applied?.plan.name).toBe("v3");
  });
});

describe("a module that is new", () => {
  const lost = (process: Process) =>
    process.block({
      changes: [
        (context) => {
          const { core } = process.app.keeper;
          const versions = new Map(core.versionMap(context.store("upgrade")));
          versions.delete("staking");
          core.setVersionMap(context.store("upgrade"), versions);
        },
      ],
    });

  // Specification 2.26.
  test("and whose store has data, by a manifest → refused: it would begin again over them", () => {
    const chain = beforeV3(lost);
    // A program that has the module for this state would be refused at its start.
    const versions = [V1, V2].map((version) => {
      return { ...version, modules: new Map([...version.modules].filter(([name]) => name !== "staking")) };
    });
    const home = [guest({ versions: { staking: { to: 1 } } })];
    expectRefused(chain, { home, versions }, MAP, '"staking"', "has data");
  });

  test("and whose store has data, by runMigrations → refused before its genesis runs", () => {
    let began = 0;
    const manager = new ModuleManager({ name: "auth", consensusVersion: 1n, initGenesis: () => began++ });
    const chain = beforeV2();
    const run: FunctionHandler["run"] = (context) => manager.runMigrations(context, new Map());
    const options = { handlers: [], functions: [toV2({ run })] };
    expectRefused(chain, options, MAP, '"auth"', "has data", "setModuleVersions");
    expect(began).toBe(0);
  });
});

describe("a function handler's version map", () => {
  const BAD: readonly (readonly [what: string, map: () => unknown])[] = [
    ["a number for a version", () => new Map([["m", 2]])],
    ["a number for a name", () => new Map([[1, 2n]])],
    ["a version below 0", () => new Map([["m", -1n]])],
    ["a version of 65 bits", () => new Map([["m", 1n << 64n]])],
    ["an empty name", () => new Map([["", 1n]])],
    ["a lone surrogate in a name", () => new Map([["\ud800", 1n]])],
    ["1,025 modules", () => new Map(Array.from({ length: 1_025 }, (_, i) => [`m${i}`, 1n]))],
  ];

  for (const [what, map] of BAD) {
    test(`${what} → ${MAP} (20), nothing written`, () => {
      const functions = [{ plan: "v2", run: map as FunctionHandler["run"], storeUpgrades: { added: ["bank"] } }];
      expectRefused(beforeV2(), { handlers: [], functions }, MAP);
    });
  }

  test("another one than runMigrations reached → refused, by module", () => {
    const manager = new ModuleManager({ name: "gov", consensusVersion: 2n });
    manager.registerMigration("gov", 1n, () => undefined);
    const run: FunctionHandler["run"] = (context, _, versions) => {
      manager.runMigrations(context, versions);
      return versions;
    };
    expectRefused(beforeV2(), { handlers: [], functions: [toV2({ run })] }, MAP, "gov 1, reached 2", "runMigrations");
  });

  test("a step that fails → UPG_MIGRATION_FAILED names module and step", () => {
    const manager = new ModuleManager({ name: "gov", consensusVersion: 2n });
    manager.registerMigration("gov", 1n, () => {
      throw new Error("boom");
    });
    const run: FunctionHandler["run"] = (context, _, versions: VersionMap) => manager.runMigrations(context, versions);
    const expected = "module gov, from version 1 to version 2: boom";
    expectRefused(beforeV2(), { handlers: [], functions: [toV2({ run })] }, "UPG_MIGRATION_FAILED", expected);
  });

  // Specification 2.27.
  test("a handler that writes to the upgrade store → UPG_MIGRATION_FAILED (20)", () => {
    const run: FunctionHandler["run"] = (context, _, versions) => {
      context.store("upgrade").delete(Uint8Array.of(0));
      return versions;
    };
    expectRefused(beforeV2(), { handlers: [], functions: [toV2({ run })] }, "UPG_MIGRATION_FAILED", '"upgrade"');
  });
});

describe("writes to a module's store", () => {
  const stores = [{ name: "gov", access: "rw" }];

  // Specification 2.25.
  test("without a version bump → refused; with one, or declared, they are taken", () => {
    const chain = beforeV3();
    expectRefused(chain, { home: [guest({ stores }, true)] }, MAP, '"gov"', "stays 1");
    for (const manifest of [{ versions: { gov: { from: [1], to: 2 } } }, { allows: { writeStores: ["gov"] } }]) {
      const other = beforeV3();
      expect(other.start({ handlers, home: [guest({ stores, ...manifest }, true)] }).block().applied).toBeDefined();
    }
  });
});

describe("what a chain cannot do without", () => {
  const deletes = { storeUpgrades: { deleted: ["gov"] } };
  const renames = (old_key: string) => ({ storeUpgrades: { renamed: [{ old_key, new_key: "zz" }] } });

  // Specification 2.23, 2.28.
  test("the store of a module that stays is deleted → refused, also declared: the module would have none", () => {
    const chain = beforeV3();
    expectRefused(chain, { home: [guest(deletes)] }, MAP, '"gov"', "allows.deleteStores");
    const declared = guest({ ...deletes, allows: { deleteStores: ["gov"] } });
    expectRefused(chain, { home: [declared] }, MAP, '"gov"', "is in the version map and has no store");
  });

  test.each(["gov", "bank", "staking", "auth"])("the store of %s is renamed → refused, declared or not", (store) => {
    const chain = beforeV3();
    expectRefused(chain, { home: [guest(renames(store))] }, MAP, `takes the store "${store}" away from the module`);
    const declared = guest({ ...renames(store), allows: { deleteStores: [store] } });
    expectRefused(chain, { home: [declared] }, MAP, `the module "${store}" is in the version map and has no store`);
  });

  test("a store is renamed and written to by its new name → refused: the guard knows its old one", () => {
    const stores = [{ name: "zz", access: "rw" }];
    const allows = { deleteStores: ["bank"], writeStores: ["zz"] };
    expectRefused(beforeV3(), { home: [guest({ ...renames("bank"), stores, allows }, true)] }, MAP, '"bank"');
  });

  // Specification 2.22.
  test.each(["auth", "bank", "gov", "staking"])("%s is removed with its store → refused", (module) => {
    const removes = { storeUpgrades: { deleted: [module] }, removes: [module] };
    expectRefused(beforeV3(), { home: [guest(removes)] }, MAP, `"${module}"`, "cannot go on", "allows.removeModules");
  });

  test("gov is removed with its store, declared → it is gone", () => {
    const removes = { ...deletes, removes: ["gov"], allows: { removeModules: ["gov"] } };
    const next = beforeV3().start({ handlers, home: [guest(removes)] });
    next.block();
    expect(next.versions).not.toHaveProperty("gov");
    expect(next.state.names).not.toContain("gov");
  });

  test("upgrade is removed → refused", () => {
    expectRefused(beforeV3(), { home: [guest({ removes: ["upgrade"] })] }, MAP, '"upgrade"', "cannot go on");
  });

  // Specification 2.24.
  test("a module is removed and its store stays → refused; declared, it stays", () => {
    const chain = beforeV3();
    const removes = { removes: ["staking"], allows: { removeModules: ["staking"] } };
    expectRefused(chain, { home: [guest(removes)] }, MAP, 'keeps its store "staking"', "allows.keepStores");
    const allows = { ...removes.allows, keepStores: ["staking"] };
    const next = chain.start({ handlers, home: [guest({ ...removes, allows })] });
    next.block();
    expect(next.state.names).toContain("staking");
    expect(next.versions).not.toHaveProperty("staking");
  });
});
