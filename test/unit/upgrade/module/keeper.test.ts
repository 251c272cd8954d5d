/** The Keeper as a library user has it, by public names alone. */
import { describe, expect, test } from "vitest";
import { Keeper, MemoryKVStore } from "../../../../host/index.js";
import { MemoryFiles } from "../../../scenario/files.js";
import { AUTHORITY, core, V1, V2 } from "./notes-versions.js";

describe("Keeper", () => {
  const store = () => new MemoryKVStore();
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
