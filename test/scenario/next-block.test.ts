/** Plans for now: the very next block, the block that schedules them, and heights that were missed. */
import { describe, expect, test } from "vitest";
import { toHex } from "../../host/base/text/bytes.js";
import { V1, V2 } from "../example-chain.js";
import { Chain } from "./chain.js";
import { splitBalances, toV2 } from "./versions.js";

const NEW = { handlers: [splitBalances()] };

describe("plan for the very next block", () => {
  test("the binary that has the handler → UPG_HALT_RESTART (14), the file, nothing in state; started again, it applies", () => {
    const chain = new Chain();
    const running = chain.start(NEW);
    running.block();
    running.schedule({ name: "v2", height: 3n, info: "now" });
    const before = chain.contents();
    const halt = running.untilHalt();
    expect(halt).toMatchObject({ code: "UPG_HALT_RESTART", kind: { exit: 14 }, height: 3n, plan: { name: "v2" } });
    expect(chain.files.text("upgrade-info.json")).toBe(
      '{"name":"v2","time":"0001-01-01T00:00:00Z","height":3,"info":"now"}',
    );
    expect(chain.contents()).toEqual(before);
    const again = chain.start(NEW);
    expect(again.warnings).toEqual([]);
    expect(again.app.version).toBe(V2);
    again.blocks(2);
    expect(again.doneHeight("v2")).toBe(3n);
  });

  test("a handler without store upgrades → UPG_HALT_RESTART all the same: another version runs", () => {
    const chain = new Chain();
    const version = { ...V2, stores: V1.stores, layouts: V1.layouts };
    const options = { versions: [V1, version], functions: [toV2({ storeUpgrades: {} })] };
    const running = chain.start(options);
    running.schedule({ name: "v2", height: 2n });
    expect(running.untilHalt()).toMatchObject({ code: "UPG_HALT_RESTART" });
    expect(chain.start(options).block().applied?.plan.name).toBe("v2");
  });

  test("with or without the restart's detour over the old binary → the same app hash", () => {
    const [detour, direct] = [new Chain(), new Chain()].map((chain, index) => {
      const running = chain.start(index === 0 ? NEW : { versions: [V1] });
      running.schedule({ name: "v2", height: 2n });
      running.untilHalt();
      return toHex(chain.start(NEW).block().appHash);
    });
    expect(detour).toBe(direct);
  });
});

describe("plan whose height is the block that schedules it", () => {
  test("the old binary → that block commits, the next one halts, and Done says its height", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.blocks(2);
    old.schedule({ name: "v2", height: 3n });
    expect(old.height).toBe(3n);
    expect(old.untilHalt()).toMatchObject({
      code: "UPG_HALT_UPGRADE_NEEDED",
      height: 4n,
      message: 'UPGRADE "v2" NEEDED at height: 3: ',
    });
    expect(chain.files.text("upgrade-info.json")).toBe('{"name":"v2","time":"0001-01-01T00:00:00Z","height":4}');
    const next = chain.start(NEW);
    expect(next.warnings).toEqual([]);
    next.block();
    expect(next.doneHeight("v2")).toBe(4n);
  });

  test("the new binary → UPG_HALT_RESTART, then the same", () => {
    const chain = new Chain();
    const running = chain.start(NEW);
    running.schedule({ name: "v2", height: 1n });
    expect(running.untilHalt()).toMatchObject({ code: "UPG_HALT_RESTART", height: 2n });
    const again = chain.start(NEW);
    again.block();
    expect(again.doneHeight("v2")).toBe(2n);
  });
});

describe("height that was missed", () => {
  test("the plan of an earlier height → it fires in the next block there is", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.blocks(2);
    // A plan in the past cannot be scheduled; one that a rollback or an import left behind can be there.
    old.block({
      changes: [
        (context) => {
          const { core } = old.app.keeper;
          core.schedule(context.store("upgrade"), 1n, { name: "v2", height: 1n, info: "" });
        },
      ],
    });
    expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 4n });
    const next = chain.start(NEW);
    expect(next.block()).toMatchObject({ height: 4n, applied: { plan: { name: "v2", height: 1n } } });
    expect(next.doneHeight("v2")).toBe(4n);
  });

  test("a plan in the past → it cannot be scheduled", () => {
    const old = new Chain().start({ versions: [V1] });
    old.blocks(2);
    expect(() => old.schedule({ name: "v2", height: 2n })).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_PLAN_IN_PAST" }),
    );
  });
});
