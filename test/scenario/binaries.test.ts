/** Which binary runs when: too old, too new, the right one, two upgrades in a row, and a halt height. */
import { describe, expect, test } from "vitest";
import { V1, V2 } from "../example-chain.js";
import { Chain, failureOf } from "./chain.js";
import { splitBalances, toV3, V3 } from "./versions.js";

/** A chain of version 1 at the upgrade block 6, whose old binary has halted there. */
function atTheHeight(): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 6n });
  expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", kind: { exit: 10 } });
  expect(old.height).toBe(5n);
  return chain;
}

describe("old binary", () => {
  test("at the height → UPG_HALT_UPGRADE_NEEDED each time it is started, with the same file, and nothing in state", () => {
    const chain = atTheHeight();
    const before = chain.contents();
    const info = chain.files.text("upgrade-info.json");
    expect(info).toBe('{"name":"v2","time":"0001-01-01T00:00:00Z","height":6}');
    for (let again = 0; again < 2; again++) {
      const halt = chain.start({ versions: [V1] }).untilHalt();
      expect(halt).toMatchObject({
        code: "UPG_HALT_UPGRADE_NEEDED",
        height: 6n,
        message: 'UPGRADE "v2" NEEDED at height: 6: ',
      });
      expect(chain.files.text("upgrade-info.json")).toBe(info);
    }
    expect(chain.contents()).toEqual(before);
  });

  test("on state that the new one has upgraded → UPG_HALT_HANDLER_MISSING (12) before any store is opened", () => {
    const chain = atTheHeight();
    chain.start({ handlers: [splitBalances()] }).blocks(2);
    const before = chain.contents();
    const halt = chain.failToStart({ versions: [V1] });
    expect(halt).toMatchObject({
      code: "UPG_HALT_HANDLER_MISSING",
      kind: { exit: 12 },
      message: "wrong app version 0, upgrade handler is missing for v2 upgrade plan",
    });
    expect(chain.contents()).toEqual(before);
    expect(chain.files.text("upgrade-info.json")).toContain('"height":6');
  });

  test("on upgraded state, with the next plan due → UPG_HALT_UPGRADE_NEEDED (10): the plan's version is the one to start", () => {
    const chain = atTheHeight();
    const middle = chain.start({ handlers: [splitBalances()] });
    middle.block();
    middle.schedule({ name: "v3", height: 8n });
    const halt = chain.failToStart({ versions: [V1] });
    expect(halt).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", kind: { exit: 10 } });
    expect(chain.files.text("upgrade-info.json")).toContain('"name":"v3"');
  });

  test("without the handler's file, the version of the last upgrade known → it runs", () => {
    const chain = atTheHeight();
    chain.start({ handlers: [splitBalances()] }).block();
    expect(
      chain
        .start()
        .blocks(2)
        .map(({ height }) => height),
    ).toEqual([7n, 8n]);
  });
});

describe("new binary", () => {
  test("before the height → UPG_HALT_BINARY_TOO_EARLY (11), nothing written; the old one goes on", () => {
    const chain = new Chain();
    chain.start({ versions: [V1] }).schedule({ name: "v2", height: 6n });
    const before = chain.contents();
    const early = chain.start({ handlers: [splitBalances()] });
    expect(early.untilHalt()).toMatchObject({
      code: "UPG_HALT_BINARY_TOO_EARLY",
      kind: { exit: 11 },
      message:
        'BINARY UPDATED BEFORE TRIGGER! UPGRADE "v2" - in binary but not executed on chain. Downgrade your binary',
    });
    expect(chain.contents()).toEqual(before);
    expect(chain.files.contents).toEqual([]);
    expect(chain.start({ versions: [V1] }).untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
  });

  test("at the height → the version of the plan, its stores, and Done in one block", () => {
    const chain = atTheHeight();
    const next = chain.start({ handlers: [splitBalances()] });
    expect(next.app.version).toBe(V2);
    expect(next.block().applied?.plan.name).toBe("v2");
    expect(next.doneHeight("v2")).toBe(6n);
    expect(next.plan).toBeUndefined();
    expect(next.state.names).toEqual(V2.stores);
    expect(next.versions).toEqual({ auth: "2", bank: "2", gov: "1", staking: "1", upgrade: "1" });
    expect(next.warnings).toEqual([]);
    expect(next.blocks(2).every(({ applied }) => applied === undefined)).toBe(true);
  });

  test("without a plan, before and after → it runs the version of the state", () => {
    const chain = new Chain();
    const early = chain.start({ handlers: [splitBalances()] });
    expect(early.app.version).toBe(V1);
    expect(early.blocks(2)).toHaveLength(2);
  });
});

describe("two upgrades in a row", () => {
  test("v2, then v3 in the next block → both applied, each by a process of its own, all stores as v3 has them", () => {
    const chain = atTheHeight();
    const second = chain.start({ versions: [V1, V2], handlers: [splitBalances()] });
    second.block();
    second.schedule({ name: "v3", height: 8n });
    const halt = second.untilHalt();
    expect(halt).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 8n });

    const gov = [...second.state.store("gov").iterate()];
    const options = { versions: [V1, V2, V3], handlers: [splitBalances()], functions: [toV3()] };
    const third = chain.start(options);
    expect(third.app.version).toBe(V3);
    third.blocks(2);
    expect([third.doneHeight("v2"), third.doneHeight("v3")]).toEqual([6n, 8n]);
    expect(third.state.names).toEqual(["auth", "bank", "government", "oracle", "upgrade"]);
    expect([...third.state.store("government").iterate()]).toEqual(gov);
    expect(third.versions).toEqual({ auth: "2", bank: "2", oracle: "1", upgrade: "1" });
    expect(chain.start(options).blocks(1)[0]?.height).toBe(10n);
    expect(chain.failToStart()).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING" });
  });
});

describe("haltHeight", () => {
  test("reached → UPG_HALT_HEIGHT (13) before the block, each time; no upgrade-info.json; without it the chain goes on", () => {
    const chain = new Chain();
    const first = chain.start({ haltHeight: 4n });
    expect(first.untilHalt()).toMatchObject({ code: "UPG_HALT_HEIGHT", kind: { exit: 13 }, height: 4n });
    expect(first.height).toBe(3n);
    const before = chain.contents();
    for (const haltHeight of [4n, 2n]) {
      expect(chain.start({ haltHeight }).untilHalt()).toMatchObject({ code: "UPG_HALT_HEIGHT", height: 4n });
    }
    expect(chain.contents()).toEqual(before);
    expect(chain.files.contents).toEqual([]);
    expect(chain.start({ haltHeight: 0n }).blocks(3).at(-1)?.height).toBe(6n);
  });

  test("on the height of an upgrade → UPG_HALT_HEIGHT comes first, the file is not written, and the upgrade applies later", () => {
    const chain = new Chain();
    chain.start({ versions: [V1] }).schedule({ name: "v2", height: 3n });
    chain.start({ versions: [V1] }).upTo(2n);
    const before = chain.contents();
    for (const options of [{ versions: [V1] }, { handlers: [splitBalances()] }]) {
      const halt = failureOf(() => chain.start({ ...options, haltHeight: 3n }).block());
      expect(halt).toMatchObject({ code: "UPG_HALT_HEIGHT" });
    }
    expect(chain.files.contents).toEqual([]);
    expect(chain.contents()).toEqual(before);
    expect(chain.start({ handlers: [splitBalances()] }).block().applied?.plan.name).toBe("v2");
  });
});
