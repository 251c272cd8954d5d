/** Handlers that run without an error and yet do what their author did not mean: the build warns, a scene's check fails. */
import { describe, expect, test } from "vitest";
import { manifestWarnings } from "../../../host/cli/author/semantics.js";
import { testFixture } from "../../../host/cli/author/testing/fixture-runs.js";
import type { Fixture } from "../../../host/upgrade/test-kit/index.js";
import { load } from "../build.js";

const BANK: Fixture = { stores: { bank: [["0x02", "7"]] } };
/** Puts 00 under 00 into its first store, where it has one. */
const WRITES = {
  imports: '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))',
  run: "(drop (call $set (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 1))) (i32.const 0)",
};
const bank = { stores: [{ name: "bank", access: "rw" }] };
const raised = (module: string) => ({ versions: { [module]: { from: [1], to: 2 } } });

/** Warnings of the build, and the checks that fail on a scene. */
function failed(manifest: Record<string, unknown>, scene: Fixture): readonly [warnings: string[], failed: string[]] {
  const handler = load(manifest["stores"] ? { ...WRITES, batch: "(i32.const 4)" } : {}, { name: "v3", ...manifest });
  const { checks } = testFixture(handler, { name: "scene", fixture: scene });
  const messages = checks.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message}`);
  return [manifestWarnings(handler.manifest), messages];
}

describe("a handler that", () => {
  test("writes and raises no version → a warning with what to do, and a scene that fails as the node's guard does", () => {
    const [warnings, messages] = failed(bank, BANK);
    expect(warnings).toEqual([
      'no module\'s version rises, and "bank" can be written to: nodes refuse writes to the store of a module whose version ' +
        "stays. Raise it (migrate), or allow writeStores",
    ]);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain("guards: nodes refuse it: UPG_MIGRATION_VERSION_MAP");
    expect(messages[0]).toContain('writes to the store "bank" of the module "bank", whose version stays');
  });

  test("raises the version, or says that it writes without → no warning, and the scene holds", () => {
    for (const more of [raised("bank"), { allows: { writeStores: ["bank"] } }]) {
      expect(failed({ ...bank, ...more }, BANK)).toEqual([[], []]);
    }
  });

  test("writes to the store of a module that the scene has at a version, and raises another's → the scene fails", () => {
    const manifest = { ...bank, ...raised("auth") };
    expect(failed(manifest, { ...BANK, versions: { bank: 5 } })).toEqual([
      [],
      [expect.stringContaining('the module "bank", whose version stays 5')],
    ]);
    // A store that no module is named after belongs to one of those that go on.
    expect(failed(manifest, BANK)).toEqual([[], []]);
  });

  test("deletes the store of a module that stays → a warning, and the scene fails; with the module removed neither", () => {
    const deletes = { ...raised("auth"), storeUpgrades: { deleted: ["gov"] } };
    const scene = { stores: { gov: [["0x01", "a"]] } } as const;
    const [warnings, messages] = failed(deletes, scene);
    expect(warnings).toEqual([expect.stringContaining('"gov": the store is deleted, and no module of that name')]);
    expect(messages).toEqual([expect.stringContaining('deletes the store "gov", and the module "gov" stays')]);
    const removes = { ...deletes, removes: ["gov"] };
    expect(failed(removes, scene)).toEqual([
      [],
      [expect.stringContaining('removes the module "gov", without which the chain cannot go on')],
    ]);
    expect(failed({ ...removes, allows: { removeModules: ["gov"] } }, scene)).toEqual([[], []]);
  });

  test("renames the store of a module that stays → a warning, and the scene fails; with a step of the module neither", () => {
    const renames = { storeUpgrades: { renamed: [{ old_key: "gov", new_key: "zz" }] } };
    const scene = { stores: { gov: [["0x01", "a"]] } } as const;
    const [warnings, messages] = failed({ ...renames, ...raised("auth") }, scene);
    expect(warnings).toEqual([expect.stringContaining('"gov": the store is renamed, and no module of that name')]);
    expect(messages).toEqual([expect.stringContaining('takes the store "gov" away from the module "gov"')]);
    expect(failed({ ...renames, ...raised("gov") }, scene)).toEqual([[], []]);
  });

  test("declares a store that the scene lacks → the scene fails and names both; an empty list is enough", () => {
    const misspelt = { stores: [{ name: "bnak", access: "rw" }], ...raised("bank") };
    const [, messages] = failed(misspelt, BANK);
    expect(messages).toEqual([
      'stores: the manifest declares "bnak", the scene has "bank": "bnak": [] if that is empty',
    ]);
    expect(failed(misspelt, { stores: { bank: [], bnak: [] } })[1]).toEqual([]);
    expect(failed(misspelt, {})[1]).toEqual([]);
    const renamed = { old_key: "bank", new_key: "coins" };
    const manifest = { stores: [{ name: "coins", access: "rw" }], storeUpgrades: { renamed: [renamed] } };
    expect(failed({ ...manifest, ...raised("bank") }, BANK)[1]).toEqual([]);
  });

  test("scans a store that this upgrade adds → a warning, and the scene fails", () => {
    const added = { ...bank, storeUpgrades: { added: ["bank"] }, versions: { bank: { to: 1 } } };
    const message = 'the scan of "bank" meets no pair: this upgrade adds the store';
    expect(failed({ ...added, scans: [{ store: "bank" }] }, {})).toEqual([[message], [`scans: ${message}`]]);
  });
});
