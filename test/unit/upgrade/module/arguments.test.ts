/** What a program in JavaScript may give the library, and no type keeps out: refused by name, before anything runs. */
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../../host/base/errors/errors.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import type { Sha256, Timestamp } from "../../../../host/base/types/types.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { loadHandler } from "../../../../host/upgrade/handler/handler.js";
import { Keeper } from "../../../../host/upgrade/module/keeper.js";
import { ModuleManager } from "../../../../host/upgrade/module/migrations.js";
import { UpgradableApp } from "../../../../host/upgrade/module/upgradable-app.js";
import { thrownBy } from "../../../thrown-by.js";
import { AUTHORITY, core, V1 } from "./notes-versions.js";

/** `value` as something that the types rule out. */
const wrongly = <T>(value: unknown) => value as T;
const refused = (work: () => unknown, code: ErrorCode = "UPG_INVALID_ARGUMENT", says = "") =>
  expect(thrownBy(work)).toMatchObject({ code, message: expect.stringContaining(says) });

describe("sha256", () => {
  const OTHERS: readonly (readonly [what: string, given: unknown])[] = [
    ["3 bytes", () => new Uint8Array(3)],
    ["a text", () => "x"],
    ["another hash of 32 bytes", (bytes: Uint8Array) => sha256(sha256(bytes))],
    ["no function", undefined],
  ];
  test.each(OTHERS)("CommitMultiStore and loadHandler() with %s → UPG_INVALID_ARGUMENT", (_, given) => {
    const other = wrongly<Sha256>(given);
    refused(() => new CommitMultiStore(new MemoryDatabase(), { sha256: other }), "UPG_INVALID_ARGUMENT", "SHA-256");
    refused(() => loadHandler(new Uint8Array(), { sha256: other }), "UPG_INVALID_ARGUMENT", "SHA-256");
  });
});

describe("UpgradableApp.finalizeBlock()", () => {
  const TIMES = [
    ...[undefined, {}, { seconds: 1, nanos: 0 }, { seconds: 1n }, { seconds: 1n, nanos: Number.NaN }],
    ...[
      { seconds: 1n << 80n, nanos: 0 },
      { seconds: 1n, nanos: 5e9 },
      { seconds: 1n, nanos: 0.5 },
    ],
  ];
  test.each(TIMES)("with the time %o → UPG_INVALID_ARGUMENT, and a block with a good one is made", (time) => {
    const options = {
      chainId: "c-1",
      core,
      sha256,
      authority: AUTHORITY,
      versions: [V1],
      initGenesis: () => undefined,
    };
    const app = new UpgradableApp({ ...options, database: new MemoryDatabase() });
    app.load();
    refused(() => app.finalizeBlock(wrongly<Timestamp>(time), () => undefined));
    app.finalizeBlock({ seconds: 1n, nanos: 0 }, () => undefined);
    expect(app.commit().version).toBe(1n);
  });
});

describe("ModuleManager", () => {
  const MODULES = [
    ...[
      { name: "a", consensusVersion: 1 },
      { name: "a", consensusVersion: 0n },
      { name: "a", consensusVersion: -1n },
    ],
    ...[{ name: "", consensusVersion: 1n }, { consensusVersion: 1n }, { name: "a", consensusVersion: 1n << 64n }],
  ];
  test.each(MODULES)("of %o → UPG_INVALID_ARGUMENT", (module) => {
    refused(() => new ModuleManager(wrongly(module)));
  });

  test("of one name twice → UPG_INVALID_ARGUMENT", () => {
    const module = { name: "a", consensusVersion: 1n };
    refused(() => new ModuleManager(module, module), "UPG_INVALID_ARGUMENT", "module a is there twice");
  });

  test("registerMigration() of no function, from a text, of an unknown module → UPG_INVALID_ARGUMENT", () => {
    const modules = new ModuleManager({ name: "a", consensusVersion: 2n });
    refused(() => modules.registerMigration("a", 1n, wrongly(5)));
    refused(() => modules.registerMigration("a", wrongly("1"), () => undefined));
    refused(() => modules.registerMigration("zz", 1n, () => undefined), "UPG_INVALID_ARGUMENT", "no module zz");
  });
});

describe("Keeper.softwareUpgrade()", () => {
  const PLANS: readonly (readonly [plan: unknown, code: ErrorCode])[] = [
    [undefined, "UPG_INVALID_PLAN_BYTES"],
    ["v2", "UPG_INVALID_PLAN_BYTES"],
    [{ name: 5, height: 9n, info: "" }, "UPG_INVALID_PLAN_NAME"],
    [{ name: "v2", height: 9n, info: 5 }, "UPG_INVALID_PLAN_INFO"],
    [{ name: "v2", height: 9n }, "UPG_INVALID_PLAN_INFO"],
    [{ name: "v2", height: 9, info: "" }, "UPG_INVALID_PLAN_HEIGHT"],
  ];
  test.each(PLANS)("of the plan %o → %s, nothing written", (plan, code) => {
    const store = new MemoryKVStore();
    const keeper = new Keeper({ core, authority: AUTHORITY });
    refused(() => keeper.softwareUpgrade(store, 1n, { authority: AUTHORITY, plan: wrongly(plan) }), code);
    expect([...store.iterate()]).toEqual([]);
  });
});
