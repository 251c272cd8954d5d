/** Which of a program's modules have code for several layouts. */
import { expect, test } from "vitest";
import { codedModules } from "../../../../host/chain/app/versions/of-state.js";
import { V1, V2 } from "../../../example-chain.js";

test("codedModules() of one version → none; of two → those whose layout changed between them, or that one lacks", () => {
  expect(codedModules([V1])).toEqual([]);
  expect(codedModules([V1, V1])).toEqual([]);
  const changed = [...V2.modules].filter(([name, version]) => V1.modules.get(name) !== version).map(([name]) => name);
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.length).toBeLessThan(V2.modules.size);
  expect(codedModules([V1, V2]).sort()).toEqual(changed.sort());
  const fewer = { ...V1, modules: new Map([...V1.modules].slice(1)) };
  expect(codedModules([V1, fewer])).toEqual([...V1.modules.keys()].slice(0, 1));
});
