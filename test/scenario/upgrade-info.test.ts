/** upgrade-info.json beside the state: state decides, the file is for people and sidecars, and a wrong one is reported. */
import { describe, expect, test } from "vitest";
import { V1 } from "../example-chain.js";
import { Chain } from "./chain.js";
import { splitBalances } from "./versions.js";

const INFO = "the plan's info";

/** A chain that has halted before block 4 for `v2`. */
function halted(): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n, info: INFO });
  expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
  return chain;
}

const file = (fields: object) =>
  JSON.stringify({ name: "v2", time: "0001-01-01T00:00:00Z", height: 4, info: INFO, ...fields });

/** The hash of block 4 where nothing was wrong with the file. */
const UNDISTURBED = (() => {
  const next = halted().start({ handlers: [splitBalances()] });
  next.block();
  return next.appHash;
})();

const WRONG: readonly (readonly [what: string, content: string | Uint8Array | undefined, warning: string])[] = [
  ["missing", undefined, "is missing"],
  ["torn", file({}).slice(0, 40), "is torn"],
  ["empty", "", "is torn"],
  ["not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), "is torn"],
  ["an array", "[1]", "is torn"],
  ["with a height that is a text", file({ height: "4" }), "is torn"],
  ["with a height that is no integer", file({ height: 4.5 }), "is torn"],
  ["stale", file({ height: 3 }), "is stale: it names the height 3"],
  ["of a later height", file({ height: 5 }), "is stale: it names the height 5"],
  ["for another name", file({ name: "v9" }), 'names the upgrade "v9"'],
  ["with other info", file({ info: "something else" }), "carries another info"],
  ["without its info", file({ info: undefined }), "carries another info"],
];

describe("start at the height, upgrade-info.json", () => {
  for (const [what, content, warning] of WRONG) {
    test(`${what} → one warning, and the upgrade applies as state says`, () => {
      const chain = halted();
      if (content === undefined) chain.files.remove("upgrade-info.json");
      else chain.files.put("upgrade-info.json", content);
      const before = chain.files.contents;
      const next = chain.start({ handlers: [splitBalances()] });
      expect(next.warnings).toHaveLength(1);
      expect(next.warnings[0]).toContain(warning);
      expect(next.warnings[0]).toContain('state has the plan "v2" due at height 4, and state decides');
      next.block();
      expect(next.doneHeight("v2")).toBe(4n);
      expect(next.appHash).toBe(UNDISTURBED);
      expect(chain.files.contents).toEqual(before);
    });
  }

  test("that cannot be read → one warning, and the upgrade applies", () => {
    const chain = halted();
    chain.files.isRefusing = { read: true };
    const next = chain.start({ handlers: [splitBalances()] });
    expect(next.warnings).toEqual([expect.stringContaining("cannot be read")]);
    next.block();
    expect(next.appHash).toBe(UNDISTURBED);
  });

  test("as it was written → no warning", () => {
    expect(halted().start({ handlers: [splitBalances()] }).warnings).toEqual([]);
  });
});

describe("start at other heights, upgrade-info.json", () => {
  test("that names an upgrade which is not due in state → silence, and no store upgrade", () => {
    const chain = new Chain();
    chain.start({ versions: [V1] }).blocks(3);
    chain.files.put("upgrade-info.json", file({}));
    const next = chain.start({ handlers: [splitBalances()] });
    expect(next.app.version).toBe(V1);
    next.blocks(2);
    expect(next.warnings).toEqual([]);
    expect(next.state.names).toEqual(V1.stores);
  });

  test("of an upgrade that was applied → silence", () => {
    const chain = halted();
    chain.start({ handlers: [splitBalances()] }).blocks(2);
    expect(chain.files.text("upgrade-info.json")).toBe(file({}));
    expect(chain.start({ handlers: [splitBalances()] }).warnings).toEqual([]);
  });
});

describe("upgrade-info.json that cannot be written", () => {
  test("at UPG_HALT_UPGRADE_NEEDED → UPG_STORE_IO (30), never 10; when it can, 10", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.schedule({ name: "v2", height: 4n });
    old.upTo(3n);
    const before = chain.contents();
    chain.files.isRefusing = { write: true };
    expect(old.untilHalt()).toMatchObject({ code: "UPG_STORE_IO", kind: { exit: 30 } });
    expect(chain.start({ versions: [V1] }).untilHalt()).toMatchObject({ code: "UPG_STORE_IO" });
    expect(chain.contents()).toEqual(before);
    expect(chain.files.contents).toEqual([]);
    chain.files.isRefusing = {};
    expect(chain.start({ versions: [V1] }).untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
  });

  test("at UPG_HALT_RESTART → UPG_STORE_IO (30), never 14", () => {
    const chain = new Chain();
    const process = chain.start({ handlers: [splitBalances()] });
    process.schedule({ name: "v2", height: 2n });
    chain.files.isRefusing = { write: true };
    expect(process.untilHalt()).toMatchObject({ code: "UPG_STORE_IO", kind: { exit: 30 } });
  });

  test("while the handler is here → the upgrade applies: nothing needs to be written", () => {
    const chain = halted();
    chain.files.isRefusing = { write: true };
    const next = chain.start({ handlers: [splitBalances()] });
    next.block();
    expect(next.appHash).toBe(UNDISTURBED);
  });
});
