/** UpgradableApp as a library user has it: by public names alone, over a database that is kept. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import * as library from "../../../../host/index.js";
import { MemoryFiles } from "../../../scenario/files.js";
import { KeptDatabase } from "../../../scenario/kept-database.js";
import { AUTHORITY, blockFacts, core, V1, V2 } from "./notes-versions.js";

const { Halt, preBlocker, UpgradableApp } = library;
const bytes = (text: string) => new TextEncoder().encode(text);

class Chain {
  readonly database = new KeptDatabase();
  readonly files = new MemoryFiles();
  log: string[] = [];

  start(versions: readonly library.AppVersion[], more: Partial<library.UpgradableAppOptions<library.AppVersion>> = {}) {
    const app = new UpgradableApp({
      ...{ chainId: "notes-1", core, sha256, authority: AUTHORITY, versions },
      ...{ database: this.database, files: this.files, log: (level, text) => void this.log.push(`${level} ${text}`) },
      initGenesis: (stores) => stores.store("notes").set(bytes("1"), bytes("hello")),
      ...more,
    });
    app.keeper.setUpgradeHandler("v2", () => new Map([["notes", 2n]]), { storeUpgrades: { added: ["likes"] } });
    return app;
  }

  /** A process of the old program that has halted before the plan's height, 4. */
  halted(): this {
    expect(this.halt(this.start([V1]), true)).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 4n });
    return this;
  }

  /** Makes blocks until it halts. */
  halt(app: library.UpgradableApp, schedules = false): unknown {
    try {
      app.load();
      for (let count = 0; count < 10; count++) block(app, schedules && app.nextHeight === 2n);
    } catch (error) {
      return error;
    }
    throw new Error("it did not halt");
  }
}

function block(app: library.UpgradableApp, schedules = false): library.FinalizedBlock {
  const made = app.finalizeBlock({ seconds: 1_800_000_000n, nanos: 0 }, ({ stores, height }) => {
    const plan = { name: "v2", height: 4n, info: "" };
    if (schedules) app.keeper.softwareUpgrade(stores.store("upgrade"), height, { authority: AUTHORITY, plan });
  });
  app.commit();
  return made;
}

describe("UpgradableApp", () => {
  test("the old program → halts at the height at each start, exit 10, upgrade-info.json written, nothing committed", () => {
    const chain = new Chain().halted();
    expect(JSON.parse(chain.files.text("upgrade-info.json") ?? "")).toMatchObject({ name: "v2", height: 4 });
    for (let again = 0; again < 2; again++) {
      const app = chain.start([V1]);
      const halt = chain.halt(app);
      expect(halt).toBeInstanceOf(Halt);
      expect(halt).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", kind: { exit: 10 } });
      expect(app.lastCommitID.version).toBe(3n);
      expect(() => block(app)).toThrow(halt as Error);
    }
  });

  test("the new program → opens the new stores and applies at the first start; later starts are of the new version", () => {
    const chain = new Chain().halted();
    const app = chain.start([V1, V2]);
    expect(app.load()).toBe(V2);
    expect(app.multiStore.names).toEqual(["likes", "notes", "upgrade"]);
    const { applied, appHash, height } = block(app);
    expect([applied?.plan.name, height]).toEqual(["v2", 4n]);
    expect(app.lastCommitID).toEqual({ version: 4n, hash: appHash });
    expect(block(app).applied).toBeUndefined();
    expect(app.keeper.moduleVersions(app.multiStore.store("upgrade"))).toEqual(V2.modules);
    const later = chain.start([V1, V2]);
    expect(later.load()).toBe(V2);
    expect(block(later).height).toBe(6n);
  });

  test("a program that carries both, before the height → UPG_HALT_BINARY_TOO_EARLY (11); the old one makes the blocks", () => {
    const chain = new Chain();
    const halt = chain.halt(chain.start([V1, V2]), true);
    expect(halt).toMatchObject({ code: "UPG_HALT_BINARY_TOO_EARLY", height: 3n, kind: { exit: 11 } });
    expect(chain.halt(chain.start([V1]))).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 4n });
    expect(block(loaded(chain.start([V1, V2]))).applied?.plan.name).toBe("v2");
  });

  test("stores of the old version at the height → UPG_HALT_RESTART: a list of versions does not replace the loader", () => {
    const { keeper, multiStore } = loaded(new Chain().halted().start([V1, V2]));
    keeper.markStoresOpened(undefined);
    const base = { ...multiStore.loaded(), storeUpgrades: { added: [], renamed: [], deleted: [] } };
    const input = { keeper, branch: multiStore.branch(), base, block: blockFacts(4n) };
    expect(() => preBlocker(input)).toThrow(expect.objectContaining({ code: "UPG_HALT_RESTART" }));
  });

  test("an old program on the new state → UPG_HALT_HANDLER_MISSING (12) before any store is opened", () => {
    const chain = new Chain().halted();
    block(loaded(chain.start([V1, V2])));
    const old = chain.start([V1]);
    expect(() => old.load()).toThrow(
      expect.objectContaining({
        code: "UPG_HALT_HANDLER_MISSING",
        details: expect.objectContaining({ last_upgrade: "v2" }),
      }),
    );
    expect(old.multiStore.names).toEqual([]);
  });

  test("a genesis version that the program lacks → UPG_INVALID_GENESIS; a handler for a plan of no version → UPG_INVALID_ARGUMENT", () => {
    const chain = new Chain();
    expect(() => chain.start([V1], { genesisVersion: 2n }).load()).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_GENESIS" }),
    );
    expect(loaded(chain.start([V1, V2], { genesisVersion: 2n })).version).toBe(V2);
    expect(() => chain.start([V1]).version).toThrow("before load()");
  });

  test("a skip height → the plan is cleared in its block and the old version goes on", () => {
    const chain = new Chain().halted();
    const app = loaded(chain.start([V1], { skipHeights: [4n] }));
    expect(block(app)).toMatchObject({ height: 4n, applied: undefined });
    expect(app.keeper.plan(app.multiStore.store("upgrade"))).toBeUndefined();
    expect(app.version).toBe(V1);
  });

  test("haltHeight → UPG_HALT_HEIGHT (13) at that height and after it, not before", () => {
    const chain = new Chain();
    const app = chain.start([V1], { haltHeight: 3n });
    expect(chain.halt(app)).toMatchObject({ code: "UPG_HALT_HEIGHT", height: 3n, kind: { exit: 13 } });
    expect(app.lastCommitID.version).toBe(2n);
    expect(block(loaded(chain.start([V1], { haltHeight: 4n }))).height).toBe(3n);
  });

  test("upgrade-info.json that does not agree with state → a warning, and state decides", () => {
    const chain = new Chain().halted();
    chain.files.put("upgrade-info.json", '{"name":"v3","height":4}');
    expect(block(loaded(chain.start([V1, V2]))).applied?.plan.name).toBe("v2");
    expect(chain.log).toContainEqual(expect.stringMatching(/^warn upgrade-info.json names the upgrade "v3"/));
  });

  test("recordHalt() → the record in halt.json, with the program's own commands; the next committed block removes it", () => {
    const chain = new Chain();
    const app = chain.start([V1], { haltHeight: 3n });
    const halt = chain.halt(app) as library.Halt;
    const record = app.recordHalt(halt, { time: "2027-01-15T08:00:00Z", home: "/srv/notes", program: "notesd" });
    expect(record).toMatchObject({ code: "UPG_HALT_HEIGHT", height: "3", last_committed_height: "2" });
    expect(record.commands).toEqual(["notesd start --home /srv/notes"]);
    expect(JSON.parse(chain.files.text("halt.json") ?? "")).toEqual(record);
    block(loaded(chain.start([V1])));
    expect(chain.files.text("halt.json")).toBeUndefined();
  });

  test("recordHalt() on a disk that refuses → the record all the same, and a warning", () => {
    const chain = new Chain();
    const app = chain.start([V1], { haltHeight: 1n });
    const halt = chain.halt(app) as library.Halt;
    chain.files.isRefusing = { write: true };
    expect(app.recordHalt(halt, { time: "" })).toMatchObject({ last_committed_height: "0", app_hash: "" });
    expect(chain.log.at(-1)).toMatch(/^warn halt.json could not be written/);
  });

  test("a block's own part that throws → nothing is committed, and the app has ended", () => {
    const chain = new Chain();
    const app = loaded(chain.start([V1]));
    const run = () => {
      throw new Error("boom");
    };
    expect(() => app.finalizeBlock({ seconds: 0n, nanos: 0 }, run)).toThrow("boom");
    expect(() => app.commit()).toThrow("boom");
    expect(loaded(chain.start([V1])).nextHeight).toBe(1n);
  });

  test("commit() without a block, a second block without commit() → UPG_BUG_ASSERT", () => {
    const chain = new Chain();
    expect(() => loaded(chain.start([V1])).commit()).toThrow(expect.objectContaining({ code: "UPG_BUG_ASSERT" }));
    const app = loaded(chain.start([V1]));
    app.finalizeBlock({ seconds: 0n, nanos: 0 }, () => undefined);
    expect(() => block(app)).toThrow("was run already");
  });

  test("a Wasm handler → its receipt, with the roots before and in the block, proven under the app hash", () => {
    const handler = library.loadHandler(readFileSync("build/examples/split-balances.wasm"), { sha256 });
    const old = {
      ...V1,
      modules: new Map([
        ["auth", 1n],
        ["bank", 1n],
      ]),
      stores: ["auth", "upgrade"],
    };
    const upgraded = {
      ...V2,
      modules: new Map([
        ["auth", 2n],
        ["bank", 2n],
      ]),
      stores: ["auth", "bank", "upgrade"],
    };
    const chain = new Chain();
    const start = (versions: readonly library.AppVersion[]) => {
      const options = { ...{ chainId: "c-1", core, sha256, authority: AUTHORITY, versions }, database: chain.database };
      const app = new UpgradableApp({ ...options, initGenesis: () => undefined });
      app.keeper.setWasmHandler(handler);
      return app;
    };
    chain.halt(start([old]), true);
    const app = loaded(start([old, upgraded]));
    expect(block(app).applied?.handler.wasm).toBe(handler);
    const receipt = library.decodeReceipt(
      app.keeper.core.receipt(app.multiStore.at(4n).store("upgrade"), "v2") ?? new Uint8Array(),
    );
    expect(receipt).toMatchObject({ plan: "v2", height: 4n, checks: ["supply", "balances"] });
    expect(toHex(receipt.handlerSha256)).toBe(handler.hash);
    expect(receipt.stores.map(({ name, rootAfter }) => [name, rootAfter.length])).toEqual([
      ["auth", 32],
      ["bank", 32],
    ]);
  });
});

function loaded(app: library.UpgradableApp): library.UpgradableApp {
  app.load();
  return app;
}
