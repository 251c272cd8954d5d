/** Wasm handlers that are for another plan, pinned otherwise, or do not fit the chain: what they end with, and when. */
import { describe, expect, test } from "vitest";
import type { WasmHandler } from "../../host/upgrade/handler/handler.js";
import { V1 } from "../example-chain.js";
import { type GuestParts, load, type ManifestSource } from "../guest/build.js";
import { Chain, failureOf } from "./chain.js";
import { splitBalances } from "./versions.js";

/** A chain of version 1 whose next block is before block 4, where `v2` is due. */
function beforeTheHeight(info = ""): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n, info });
  old.upTo(3n);
  return chain;
}

const MANIFEST = {
  stores: [{ name: "bank", access: "rw" }],
  storeUpgrades: { added: ["bank"], renamed: [], deleted: [] },
  versions: { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } },
};

/** A small handler for `v2`. */
function small(parts: GuestParts = {}, manifest: Record<string, unknown> = {}): WasmHandler {
  const source: ManifestSource = { ...MANIFEST, ...manifest };
  return load(parts, source);
}

const FAIL = {
  imports: '(import "chain" "fail" (func $fail (param i32 i32 i32)))',
  run: "(call $fail (i32.const 7) (i32.const 16) (i32.const 9)) (i32.const 0)",
  more: '(data (i32.const 16) "not today")',
};

interface Refused {
  readonly what: string;
  readonly handler: () => WasmHandler;
  readonly code: string;
  readonly exit: number;
  readonly message: string;
}

const REFUSED: readonly Refused[] = [
  {
    what: "a manifest that names a store the chain lacks",
    handler: () => small({}, { stores: [...MANIFEST.stores, { name: "purse", access: "r" }] }),
    code: "UPG_HANDLER_LAYOUT",
    exit: 21,
    message: '"purse"',
  },
  {
    what: "a manifest whose `from` is not what is stored",
    handler: () => small({}, { versions: { ...MANIFEST.versions, auth: { from: [3, 4], to: 5 } } }),
    code: "UPG_HANDLER_LAYOUT",
    exit: 21,
    message: "auth is stored at 1, the handler takes 3 or 4",
  },
  {
    what: "a manifest that brings a stored module as new",
    handler: () => small({}, { versions: { ...MANIFEST.versions, gov: { to: 1 } } }),
    code: "UPG_HANDLER_LAYOUT",
    exit: 21,
    message: "gov is stored at 1",
  },
  {
    what: "a manifest that leads elsewhere than the known version",
    handler: () => small({}, { versions: { ...MANIFEST.versions, gov: { from: [1], to: 2 } } }),
    code: "UPG_MIGRATION_VERSION_MAP",
    exit: 20,
    message: "gov expected 1, got 2",
  },
  {
    what: "a manifest that removes a module which the known version has",
    handler: () => small({}, { removes: ["staking"], allows: { removeModules: ["staking"], keepStores: ["staking"] } }),
    code: "UPG_MIGRATION_VERSION_MAP",
    exit: 20,
    message: "staking expected 1, got none",
  },
  {
    what: "a guest that says no",
    handler: () => small(FAIL),
    code: "UPG_MIGRATION_FAILED",
    exit: 20,
    message: "not today",
  },
  {
    what: "a guest that traps",
    handler: () => small({ run: "(unreachable)" }),
    code: "UPG_HANDLER_TRAP",
    exit: 21,
    message: "unreachable",
  },
  {
    what: "a guest that answers a failure",
    handler: () => small({ run: "(i32.const -9)" }),
    code: "UPG_MIGRATION_FAILED",
    exit: 20,
    message: "9",
  },
];

describe("wasm handler at the height", () => {
  for (const { what, handler, code, exit, message } of REFUSED) {
    test(`${what} → ${code} (${exit}), nothing written; a good handler applies afterwards`, () => {
      const chain = beforeTheHeight();
      const before = chain.contents();
      for (let again = 0; again < 2; again++) {
        const failure = chain.start({ handlers: [handler()] }).untilHalt();
        expect(failure).toMatchObject({ code, kind: { exit } });
        expect(failure.message).toContain(message);
        expect(chain.contents()).toEqual(before);
      }
      expect(chain.start({ handlers: [splitBalances()] }).block().applied?.plan.name).toBe("v2");
    });
  }

  test("whose store upgrades lack what the version mounts → UPG_STORE_UPGRADE (30) at start", () => {
    const chain = beforeTheHeight();
    const handler = small({}, { stores: [], storeUpgrades: { added: [], renamed: [], deleted: [] } });
    expect(chain.failToStart({ handlers: [handler] })).toMatchObject({ code: "UPG_STORE_UPGRADE", kind: { exit: 30 } });
  });
});

describe("handler for another plan", () => {
  test("of a version that this process knows → the due plan has no handler (10)", () => {
    const chain = beforeTheHeight();
    const other = load({}, { name: "v9" });
    const V9 = { ...V1, number: 2n, plan: "v9" };
    const process = chain.start({ versions: [V1, V9], handlers: [other] });
    expect(process.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", kind: { exit: 10 } });
  });

  test("that no known version carries → it is reported and counts as absent: Pending before the height, 10 at it", () => {
    const chain = new Chain();
    const options = { versions: [V1], handlers: [splitBalances()] };
    const old = chain.start(options);
    const said =
      'the handler for plan "v2" is not used: this process knows app versions up to 1, and none of them has that plan';
    expect(old.log).toContainEqual(expect.stringContaining(said));
    old.schedule({ name: "v2", height: 4n });
    expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 4n });
    expect(chain.start(options).untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: 4n });
    chain.start({ handlers: [splitBalances()] }).block();
    expect(chain.failToStart(options)).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING", kind: { exit: 12 } });
  });
});

describe("two handlers for one plan", () => {
  test("registered in one process → UPG_HANDLER_DUPLICATE (21), nothing written", () => {
    const chain = beforeTheHeight();
    const before = chain.contents();
    const failure = chain.failToStart({ handlers: [splitBalances(), small()] });
    expect(failure).toMatchObject({ code: "UPG_HANDLER_DUPLICATE", kind: { exit: 21 } });
    expect(failure.message).toContain('"v2"');
    expect(chain.contents()).toEqual(before);
  });
});

describe("plan that pins a hash", () => {
  const pin = (hash: string) => JSON.stringify({ handler: { sha256: hash } });

  test("of the handler that is here → it applies", () => {
    const chain = beforeTheHeight(pin(splitBalances().hash));
    expect(chain.start({ handlers: [splitBalances()] }).block().applied?.plan.name).toBe("v2");
  });

  for (const [what, info] of [
    ["not hex", pin("not hex")],
    ["no object", '{"binaries":{},"Handler":"see the forum"}'],
    ["given twice", `{"handler":{"sha256":"${"ab".repeat(32)}"},"HANDLER":{}}`],
  ] as const) {
    test(`a pin that is ${what} → UPG_INVALID_PLAN_INFO when it is scheduled; in state all the same, it pins nothing`, () => {
      const chain = new Chain();
      const old = chain.start({ versions: [V1] });
      const before = chain.contents();
      const failure = failureOf(() => old.schedule({ name: "v2", height: 4n, info }));
      expect(failure).toMatchObject({ code: "UPG_INVALID_PLAN_INFO", kind: { exit: 2 } });
      expect(failure.message).toContain("invalid handler");
      expect(chain.contents()).toEqual(before);

      const plan = { name: "v2", height: 4n, info };
      const { core } = old.app.keeper;
      chain.start({ versions: [V1] }).block({
        changes: [(context) => core.schedule(context.store("upgrade"), context.height, plan)],
      });
      chain.start({ versions: [V1] }).upTo(3n);
      const next = chain.start({ handlers: [splitBalances()] });
      expect(next.block().applied?.plan.name).toBe("v2");
    });
  }
  test("another → Pending with a warning before the height, UPG_HANDLER_HASH (21) at it, each time; nothing written", () => {
    const info = pin("ab".repeat(32));
    const chain = new Chain();
    chain.start({ versions: [V1] }).schedule({ name: "v2", height: 4n, info });
    const process = chain.start({ handlers: [splitBalances()] });
    process.upTo(3n);
    expect(process.warnings[0]).toContain(splitBalances().hash);
    const before = chain.contents();
    expect(process.untilHalt()).toMatchObject({ code: "UPG_HANDLER_HASH", kind: { exit: 21 } });
    const again = chain.start({ handlers: [splitBalances()] });
    expect(again.app.version).toBe(V1);
    const failure = again.untilHalt();
    expect(failure).toMatchObject({ code: "UPG_HANDLER_HASH", kind: { exit: 21 } });
    expect(failure.message).toContain(splitBalances().hash);
    expect(chain.contents()).toEqual(before);
    expect(chain.files.contents).toEqual([]);
  });

  test("that nobody has here → UPG_HALT_UPGRADE_NEEDED; a function of the program is not it", () => {
    const chain = beforeTheHeight(pin("ab".repeat(32)));
    expect(chain.start().untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    const functions = [{ plan: "v2", run: () => new Map<string, bigint>() }];
    const failure = chain.start({ functions }).untilHalt();
    expect(failure).toMatchObject({ code: "UPG_HANDLER_HASH" });
    expect(failure.message).toContain("a function of this program");
  });

  test("and a skip height → the mismatch does not matter", () => {
    const chain = beforeTheHeight(pin("ab".repeat(32)));
    const process = chain.start({ handlers: [splitBalances()], skipHeights: [4n] });
    process.block();
    expect(process.plan).toBeUndefined();
  });
});
