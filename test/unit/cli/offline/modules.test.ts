/** `chaind upgrade modules`: which modules a chain cannot go on without, and why. */
import { expect, test } from "vitest";
import type { Module } from "../../../../host/chain/app/module.js";
import { moduleRows } from "../../../../host/cli/offline/commands/modules.js";
import { exampleChain } from "../../../example-chain.js";

test("moduleRows() of the example chain → each module with stores, probe and every reason why it is vital", () => {
  const rows = new Map(moduleRows(exampleChain).map((row) => [row.module, row]));
  expect([...rows.keys()]).toEqual(exampleChain.modules.map(({ name }) => name));
  expect(
    [...rows.values()]
      .filter((row) => row.is_vital)
      .map((row) => row.module)
      .sort(),
  ).toEqual([...exampleChain.table.vitalModules]);
  expect(rows.get("bank")).toEqual({
    ...{ module: "bank", version: "2", stores: ["bank"], has_probe: true, is_vital: true },
    why: ["auth depends on it", "staking depends on it", "gov depends on it"],
  });
  expect(rows.get("auth")?.why[0]).toBe("it checks transactions and takes fees");
  expect(rows.get("staking")?.why).toContain("it gives validators their power");
  expect(rows.get("gov")?.why).toEqual(["its account schedules upgrades"]);
  expect(rows.get("upgrade")?.why).toEqual(["it keeps plans and module versions"]);
});

test("moduleRows() of a module that nothing needs → not vital, without a reason", () => {
  const notes: Module = { name: "notes", consensusVersion: 1n, stores: [] };
  expect(moduleRows({ modules: [...exampleChain.modules, notes] }).at(-1)).toEqual({
    ...{ module: "notes", version: "1", stores: [], has_probe: false, is_vital: false, why: [] },
  });
});
