/** The projects that `handler new` makes: each fits the layout that the example chain has before its plan. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles } from "../../../../host/cli/author/new-project.js";
import { parseFixture } from "../../../../host/upgrade/test-kit/fixture.js";

const ROOT = join(import.meta.dirname, "../../../..");
const files = (plan: string) => projectFiles({ name: "mine", plan, packageRoot: ROOT });

test.each([
  ["v2", ['plan("v2"', 'migrate("bank", 1, 2)', "./supply"], "fixtures/three-accounts.json", ["auth"]],
  ["v3", ['plan("v3"', 'migrate("bank", 2, 3)'], "fixtures/three-holders.json", ["bank"]],
] as const)(
  "projectFiles() for plan %s → a migration from the version before it, with its scene",
  (plan, words, scene, stores) => {
    const made = files(plan);
    for (const word of words) expect(made.get("assembly/index.ts")).toContain(word);
    const { stores: before } = parseFixture(made.get(scene) ?? "");
    expect(Object.keys(before ?? {})).toEqual(stores);
    expect(made.get("test/handler.test.js")).toContain("assertStandardChecks");
  },
);

test("projectFiles() for plan v2 → each file that its source imports is one of the project", () => {
  const made = files("v2");
  const imported = [...(made.get("assembly/index.ts") ?? "").matchAll(/from "\.\/(\w+)"/g)];
  expect(imported.map(([, name]) => made.has(`assembly/${name}.ts`))).toEqual([true]);
});
