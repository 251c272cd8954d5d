/**
 * Upgrades by handlers of a home, one after another: which version runs, and whether a process may go on, comes from
 * state and from the one handler whose plan is due. What else lies there means nothing.
 */
import { describe, expect, test } from "vitest";
import type { WasmHandler } from "../../host/upgrade/handler/handler.js";
import { V1, V2 } from "../example-chain.js";
import { data, load } from "../guest/build.js";
import { Chain, type ProcessOptions } from "./chain.js";
import { splitBalances } from "./versions.js";

const handlers = [splitBalances()];

/** A handler that adds a module with a store of its own, and writes one pair to it. */
function adding(plan: string, module: string, value = "7"): WasmHandler {
  return load(
    {
      imports: '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))',
      run: "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 17) (i32.const 1))) (i32.const 0)",
      more: data(16, `k${value}`),
    },
    {
      name: plan,
      stores: [{ name: module, access: "rw" }],
      storeUpgrades: { added: [module] },
      versions: { [module]: { to: 1 } },
    },
  );
}

const raising = (plan: string, module: string, from: number, to: number): WasmHandler =>
  load({}, { name: plan, versions: { [module]: { from: [from], to } } });

/** Schedules a plan two blocks ahead, lets the process halt there, and applies it in the next one. */
function upgrade(chain: Chain, plan: string, before: ProcessOptions, after: ProcessOptions) {
  const old = chain.start(before);
  const height = old.height + 3n;
  old.schedule({ name: plan, height });
  expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height });
  const next = chain.start(after);
  expect(next.block().applied?.plan.name).toBe(plan);
  next.block();
  return next;
}

/** A chain at version 2, by the program's own upgrade. */
function atVersion2(): Chain {
  const chain = new Chain();
  upgrade(chain, "v2", { versions: [V1] }, { handlers });
  return chain;
}

describe("upgrades by handlers of the home", () => {
  const v9 = adding("v9", "nine");
  const v10 = adding("v10", "ten");

  for (const [order, both] of [
    ["as they were applied", [v9, v10]],
    ["the other way round", [v10, v9]],
  ] as const) {
    test(`v2 → v9 → v10, handlers registered ${order} → each applied, stores and modules of all, one number more each`, () => {
      const chain = atVersion2();
      const third = upgrade(chain, "v9", { handlers }, { handlers, home: [v9] });
      expect(third.app.version).toMatchObject({ number: 3n, plan: "v9", layouts: V2.layouts });
      const fourth = upgrade(chain, "v10", { handlers, home: [v9] }, { handlers, home: both });
      expect(fourth.app.version).toMatchObject({ number: 4n, plan: "v10", layouts: V2.layouts });
      expect(fourth.state.names).toEqual(["auth", "bank", "gov", "nine", "staking", "ten", "upgrade"]);
      expect(fourth.versions).toEqual({
        ...{ auth: "2", bank: "2", gov: "1", nine: "1", staking: "1", ten: "1", upgrade: "1" },
      });
      expect(chain.start({ handlers, home: both }).blocks(2)).toHaveLength(2);
    });
  }

  test("the same state → the same version, whatever lies in the home; so do queries of every height", () => {
    const chain = atVersion2();
    upgrade(chain, "v9", { handlers }, { handlers, home: [v9] });
    upgrade(chain, "v10", { handlers, home: [v9] }, { handlers, home: [v9, v10] });
    const other = adding("v3", "three");
    const seen = [[], [v9], [v10], [v9, v10], [v10, other], [other, v9, v10]].map((home) => {
      const process = chain.start({ handlers, home });
      const heights = Array.from({ length: Number(process.height) }, (_, i) => BigInt(i + 1));
      return heights.map((height) => {
        const { number, plan, modules, stores } = process.app.at(height).version;
        return { height, number, plan, modules: [...modules].sort(), stores: [...stores].sort() };
      });
    });
    for (const each of seen) expect(each).toEqual(seen[0]);
    expect(new Set(seen[0]?.map(({ number }) => number))).toEqual(new Set([1n, 2n, 3n, 4n]));
  });

  test("v9's file gone once v10 is applied, or both → the node goes on", () => {
    const chain = atVersion2();
    upgrade(chain, "v9", { handlers }, { handlers, home: [v9] });
    upgrade(chain, "v10", { handlers }, { handlers, home: [v10] });
    expect(chain.start({ handlers, home: [v10] }).blocks(2)).toHaveLength(2);
    expect(chain.start({ handlers }).blocks(2)).toHaveLength(2);
  });

  test("v9's file gone, a layout of the program's own raised by it → the node goes on, and applies v10", () => {
    const chain = atVersion2();
    upgrade(chain, "v9", { handlers }, { handlers, home: [raising("v9", "bank", 2, 3)] });
    const next = upgrade(chain, "v10", { handlers }, { handlers, home: [raising("v10", "bank", 3, 4)] });
    expect(next.versions["bank"]).toBe("4");
    expect(chain.start({ handlers }).app.version.layouts).toEqual(V2.layouts);
  });

  test("a handler for a plan that nobody scheduled → the node starts and runs", () => {
    const chain = atVersion2();
    expect(chain.start({ handlers, home: [adding("v3", "three")] }).blocks(3)).toHaveLength(3);
    expect(chain.start({ handlers, home: [adding("a3", "three")] }).blocks(3)).toHaveLength(3);
  });

  test("v2 skipped, its handler still there, then a rescue → applied; version 1's code goes on", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.schedule({ name: "v2", height: 4n });
    old.untilHalt();
    chain.start({ handlers, skipHeights: [4n] }).blocks(2);
    const rescue = adding("rescue", "lifeboat");
    const next = upgrade(chain, "rescue", { handlers }, { handlers, home: [rescue] });
    expect(next.app.version).toMatchObject({ number: 2n, plan: "rescue", layouts: V1.layouts });
    expect(next.state.names).toEqual(["auth", "gov", "lifeboat", "staking", "upgrade"]);
    expect(chain.start({ versions: [V1], home: [rescue] }).blocks(2)).toHaveLength(2);
    const v2 = upgrade(chain, "v2", { versions: [V1], home: [rescue] }, { handlers, home: [rescue] });
    expect(v2.app.version).toMatchObject({ number: 3n, plan: "v2", layouts: V2.layouts });
    expect(v2.versions).toMatchObject({ auth: "2", bank: "2", lifeboat: "1" });
    expect(v2.state.names).toEqual(["auth", "bank", "gov", "lifeboat", "staking", "upgrade"]);
  });

  test("v2 skipped, and a rescue under another name that brings its layouts → version 2's code runs", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.schedule({ name: "v2", height: 4n });
    old.untilHalt();
    chain.start({ handlers, skipHeights: [4n] }).blocks(2);
    const rescue = load(
      {},
      {
        name: "rescue",
        storeUpgrades: { added: ["bank"] },
        versions: { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } },
      },
    );
    const next = upgrade(chain, "rescue", { handlers }, { handlers, home: [rescue] });
    expect(next.app.version).toMatchObject({ number: 2n, plan: "rescue", layouts: V2.layouts });
    expect(chain.failToStart({ versions: [V1], home: [rescue] })).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING" });
  });

  test("the middle one skipped, its file still there → the one after it is applied", () => {
    const chain = atVersion2();
    const old = chain.start({ handlers });
    const height = old.height + 3n;
    old.schedule({ name: "v9", height });
    old.untilHalt();
    chain.start({ handlers, home: [v9], skipHeights: [height] }).blocks(2);
    const next = upgrade(chain, "v10", { handlers, home: [v9] }, { handlers, home: [v9, v10] });
    expect(next.state.names).toEqual(["auth", "bank", "gov", "staking", "ten", "upgrade"]);
  });

  test("rolled back in memory of nobody: two chains with files that differ → one app hash at every height", () => {
    const hashes = [[v9], [v9, adding("v3", "three"), raising("a", "gov", 1, 2)]].map((home) => {
      const chain = atVersion2();
      const next = upgrade(chain, "v9", { handlers, home: home.slice(1) }, { handlers, home });
      return next.appHash;
    });
    expect(hashes[0]).toBe(hashes[1]);
  });
});

describe("last upgrade by a handler of the home", () => {
  const v9 = adding("v9", "nine");

  test("its file is there with other bytes → UPG_HANDLER_HASH (21), by file and both hashes; nothing written", () => {
    const chain = atVersion2();
    upgrade(chain, "v9", { handlers }, { handlers, home: [v9] });
    chain.stop();
    const before = chain.contents();
    const other = adding("v9", "nine", "8");
    const failure = chain.failToStart({ handlers, home: [other] });
    expect(failure).toMatchObject({ code: "UPG_HANDLER_HASH", kind: { exit: 21 } });
    for (const text of ["handlers/v9.wasm", v9.hash, other.hash]) expect(failure.message).toContain(text);
    expect(chain.contents()).toEqual(before);
  });

  test("an older program, with the file → UPG_HALT_HANDLER_MISSING (12): it lacks the code that ran", () => {
    const chain = atVersion2();
    upgrade(chain, "v9", { handlers }, { handlers, home: [v9] });
    for (const home of [[v9], []]) {
      const halt = chain.failToStart({ versions: [V1], home });
      expect(halt).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING", kind: { exit: 12 } });
    }
  });

  test("an older program, the next plan due and its handler here → UPG_HALT_HANDLER_MISSING (12), nothing applied", () => {
    const chain = atVersion2();
    upgrade(chain, "v9", { handlers }, { handlers, home: [v9] });
    const v10 = adding("v10", "ten");
    const old = chain.start({ handlers });
    old.schedule({ name: "v10", height: old.height + 2n });
    old.untilHalt();
    const before = chain.contents();
    const halt = chain.failToStart({ versions: [V1], home: [v9, v10] });
    expect(halt).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING" });
    expect(chain.contents()).toEqual(before);
    expect(chain.start({ handlers, home: [v10] }).block().applied?.plan.name).toBe("v10");
  });

  test("without this node's record (a home of an older program): with the file it runs, without → 12 and how to go on", () => {
    for (const handler of [v9, raising("v9", "bank", 2, 3)]) {
      const chain = atVersion2();
      upgrade(chain, "v9", { handlers }, { handlers, home: [handler] });
      chain.stop();
      const records = { start: Uint8Array.of(0x75), end: Uint8Array.of(0x76) };
      expect(chain.database.keys(records)).toHaveLength(2);
      chain.database.transaction((batch) => {
        for (const key of chain.database.keys(records)) batch.remove(key);
      });
      expect(chain.start({ handlers, home: [handler] }).blocks(1)).toHaveLength(1);
      expect(chain.failToStart({ handlers })).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING" });
      expect(chain.failToStart({ versions: [V1], home: [handler] })).toMatchObject({
        code: "UPG_HALT_HANDLER_MISSING",
      });
    }
  });
});

test("the program's own handler, staged as well → it waits for its height, and the program begins as the old version", () => {
  const chain = new Chain();
  const early = chain.start({ handlers });
  early.schedule({ name: "v2", height: early.height + 3n });
  expect(early.untilHalt()).toMatchObject({ code: "UPG_HALT_BINARY_TOO_EARLY" });
  const again = new Chain();
  const first = again.start({ handlers, staged: () => handlers });
  const height = first.height + 3n;
  first.schedule({ name: "v2", height });
  expect(first.untilHalt()).toMatchObject({ code: "UPG_HALT_RESTART", height });
  expect(again.start({ handlers, staged: () => handlers }).block().applied?.plan.name).toBe("v2");
});
