/** Skip heights: the plan is cleared, not Done, and nothing of the new version happens. */
import { describe, expect, test } from "vitest";
import { V1, V2 } from "../example-chain.js";
import { Chain, type ProcessOptions } from "./chain.js";
import { splitBalances, toV2 } from "./versions.js";

/** A chain of version 1 whose next block is before block 4, where `v2` is due. */
function beforeTheHeight(): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n, info: "go" });
  old.upTo(3n);
  return chain;
}

describe("skip height", () => {
  const PROCESSES: readonly (readonly [string, ProcessOptions])[] = [
    ["with the version that would add stores", { handlers: [splitBalances()] }],
    ["with the new version, its handler absent", {}],
    ["with the old version", { versions: [V1] }],
  ];
  for (const [who, options] of PROCESSES) {
    test(`${who} → no store added, plan cleared, not Done, and the old version goes on, after a restart too`, () => {
      const chain = beforeTheHeight();
      const skipping = chain.start({ ...options, skipHeights: [4n] });
      expect(skipping.app.version).toBe(V1);
      skipping.block();
      expect(skipping.log).toContain('info UPGRADE "v2" SKIPPED at 4: go');
      expect(skipping.plan).toBeUndefined();
      expect(skipping.doneHeight("v2")).toBe(0n);
      expect(skipping.state.names).toEqual(V1.stores);
      expect(skipping.versions).toEqual({ auth: "1", bank: "1", gov: "1", staking: "1", upgrade: "1" });
      skipping.blocks(2);
      const again = chain.start(options);
      expect(again.app.version).toBe(V1);
      again.blocks(2);
      expect(again.state.names).toEqual(V1.stores);
      expect(chain.files.contents).toEqual([]);
    });
  }

  test("by whichever process → the same app hash at every height", () => {
    const hashes = PROCESSES.map(([, options]) => {
      const chain = beforeTheHeight();
      const skipping = chain.start({ ...options, skipHeights: [9n, 4n] });
      return skipping.blocks(3).map(({ appHash }) => Buffer.from(appHash).toString("hex"));
    });
    expect(hashes[1]).toEqual(hashes[0]);
    expect(hashes[2]).toEqual(hashes[0]);
  });

  test("of the plan, when the plan is due later than planned → nothing is skipped: the block's height counts", () => {
    const chain = new Chain();
    chain.start({ versions: [V1] }).schedule({ name: "v2", height: 1n });
    const next = chain.start({ handlers: [splitBalances()], skipHeights: [1n] });
    next.block();
    expect(next.doneHeight("v2")).toBe(2n);
  });

  test("then the same name again → it can be scheduled, and applies", () => {
    const chain = beforeTheHeight();
    const skipping = chain.start({ versions: [V1], skipHeights: [4n] });
    skipping.block();
    skipping.schedule({ name: "v2", height: 7n });
    expect(skipping.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 7n });
    const next = chain.start({ handlers: [splitBalances()], skipHeights: [4n] });
    expect(next.app.version).toBe(V2);
    next.block();
    expect(next.doneHeight("v2")).toBe(7n);
  });

  test("after a handler that fails → the old version goes on from the block before", () => {
    const chain = beforeTheHeight();
    const failing = toV2({ run: () => new Error("the accounts do not add up") });
    const before = chain.contents();
    for (let again = 0; again < 2; again++) {
      expect(chain.start({ functions: [failing] }).untilHalt()).toMatchObject({
        code: "UPG_MIGRATION_FAILED",
        kind: { exit: 20 },
        message: "the accounts do not add up",
      });
      expect(chain.contents()).toEqual(before);
    }
    expect(chain.start({ versions: [V1] }).untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    const old = chain.start({ versions: [V1], skipHeights: [4n] });
    expect(old.blocks(3).at(-1)?.height).toBe(6n);
    expect(old.plan).toBeUndefined();
    expect(old.state.names).toEqual(V1.stores);
  });
});
