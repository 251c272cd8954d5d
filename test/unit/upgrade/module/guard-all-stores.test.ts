/** A module of several stores that loses one of them (specification 2.29). */
import { expect, test } from "vitest";
import { guardAllStores } from "../../../../host/upgrade/module/guards.js";
import { thrownBy } from "../../../thrown-by.js";

const table = { moduleStores: new Map([["notes", ["notes", "counts"]]]) };
const versions = new Map([["notes", 1n]]);
const handler = (deleted: readonly string[]) => ({
  planName: "v2",
  storeUpgrades: { added: [], renamed: [], deleted },
});

test("the module stays and had both → UPG_MIGRATION_VERSION_MAP with the store that is missing", () => {
  const change = { before: versions, after: versions };
  const error = thrownBy(() => guardAllStores(handler(["counts"]), ["notes"], change, table));
  expect(error).toMatchObject({ code: "UPG_MIGRATION_VERSION_MAP" });
  expect(error).toMatchObject({
    message: expect.stringContaining('after "v2" the module notes is in the version map and has no store "counts"'),
  });
});

test.each([
  ["it keeps both", [], ["notes", "counts"], versions],
  ["it is removed with them", ["notes", "counts"], [], new Map<string, bigint>()],
  ["it lacked one before", [], ["notes"], versions],
])("%s → accepted", (_, deleted, opened, after) => {
  expect(() => guardAllStores(handler(deleted), opened, { before: versions, after }, table)).not.toThrow();
});
