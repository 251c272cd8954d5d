/** What a function of a module throws in a block ends the block with the names of module and function; nothing of it is written. */
import { describe, expect, test } from "vitest";
import { assert, UpgradeError } from "../../host/base/errors/errors.js";
import { LOG_BYTES_MAX } from "../../host/base/types/limits.js";
import type { KVStore, MultiStore } from "../../host/base/types/types.js";
import type { ChainUpgradeHandler } from "../../host/chain/app/chain.js";
import { defineChain, migrate } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { type ExportFacts, type ModuleGenesis, moduleGenesis } from "../../host/chain/app/genesis/module-genesis.js";
import { HookCalls } from "../../host/chain/app/hooks/hook-calls.js";
import type { Module } from "../../host/chain/app/module.js";
import { documentText } from "../../host/cli/offline/export-document.js";
import type { AppliedUpgrade } from "../../host/upgrade/module/hooks.js";
import { exampleChain } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { genesisText } from "./genesis-text.js";
import { chainWith, next, upgraded } from "./one-upgrade.js";

const TYPE_ERROR = "Cannot read properties of undefined (reading 'x')";
// The types forbid this read; a module in plain JavaScript can make it.
const typeError = () => (undefined as unknown as { x: undefined }).x;
const throwing = (thrown: unknown) => () => {
  throw thrown;
};
/** `fails` is called at this height only. */
const failingAt = (height: bigint, fails: () => unknown) => (context: { readonly height: bigint }) => {
  if (context.height === height) fails();
};

const hostile = new Proxy({}, { get: throwing(new Error("gotcha")), has: throwing(new Error("gotcha")) });
const THROWN: readonly (readonly [what: string, thrown: unknown, text: string])[] = [
  ["an Error", new Error("boom"), "failed at height 3: boom. "],
  ["undefined", undefined, "it threw undefined, which is no Error"],
  ["a text", "words", "it threw words, which is no Error"],
  ["a proxy that throws", hostile, "it threw no readable message"],
  ["an error of this project", new UpgradeError("UPG_INVALID_KEY", "no key"), "no key (UPG_INVALID_KEY)"],
];

describe("in an ordinary block → UPG_BUG_MODULE (70) with module, function and height", () => {
  for (const hook of ["beginBlock", "endBlock"] as const) {
    test.each(THROWN)(`${hook} throws %s`, (_what, thrown, text) => {
      const { app } = upgraded(chainWith({ [hook]: failingAt(3n, throwing(thrown)) }));
      const failure = failureOf(() => next(app));
      expect(failure).toMatchObject({ code: "UPG_BUG_MODULE", kind: { exit: 70 }, details: { height: "3" } });
      expect(failure.cause).toBe(thrown);
      expect(failure.message).toContain(`${hook === "beginBlock" ? "BeginBlock" : "EndBlock"} of module own failed`);
      expect(failure.message).toContain(text);
      expect(app.lastCommitID.version).toBe(2n);
    });
  }

  test("a message of megabytes is cut as those of handlers are", () => {
    const { app } = upgraded(chainWith({ endBlock: failingAt(3n, throwing(new Error("y".repeat(5_000_000)))) }));
    expect(failureOf(() => next(app)).message.length).toBeLessThan(LOG_BYTES_MAX + 500);
  });

  test("errors of the disk keep their code", () => {
    const full = new UpgradeError("UPG_STORE_FULL", "no space");
    const { app } = upgraded(chainWith({ endBlock: failingAt(3n, throwing(full)) }));
    expect(failureOf(() => next(app))).toBe(full);
  });
});

describe("in the block of an upgrade → UPG_MIGRATION_* (20) with module and function, nothing written", () => {
  const FAILING: readonly (readonly [what: string, code: string, own: Partial<Module>])[] = [
    ["BeginBlock of module own", "UPG_MIGRATION_HOOK", { beginBlock: failingAt(2n, typeError) }],
    ["EndBlock of module own", "UPG_MIGRATION_HOOK", { endBlock: failingAt(2n, typeError) }],
    [
      'invariant "total" of module own',
      "UPG_MIGRATION_INVARIANT",
      { invariants: [{ name: "total", check: () => String(typeError()) }] },
    ],
    ["the probe of module own", "UPG_MIGRATION_PROBE", { probe: () => String(typeError()) }],
  ];
  test.each(FAILING)("%s → %s", (what, code, own) => {
    const failure = failureOf(() => upgraded(chainWith(own)));
    expect(failure).toMatchObject({ code, kind: { exit: 20, cause: "state" } });
    expect(failure.details).toMatchObject({ plan: "next", plan_height: "2" });
    expect(failure.message).toContain(what);
    expect(failure.message).toContain(TYPE_ERROR);
  });

  test("an invariant that returns a promise", () => {
    // The types forbid a promise here; a module in plain JavaScript can return one.
    const check = () => Promise.resolve("broken") as unknown as string;
    const failure = failureOf(() => upgraded(chainWith({ invariants: [{ name: "total", check }] })));
    expect(failure).toMatchObject({ code: "UPG_MIGRATION_INVARIANT" });
    expect(failure.message).toContain("returned a promise");
  });

  test("an assertion of a module → its words, without the request to report it", () => {
    const endBlock = failingAt(2n, () => assert(false, "proposal 77 is in a queue and not in the store"));
    const failure = failureOf(() => upgraded(chainWith({ endBlock })));
    expect(failure).toMatchObject({ code: "UPG_MIGRATION_HOOK" });
    expect(failure.message).toContain(
      "EndBlock of module own failed: proposal 77 is in a queue and not in the store. ",
    );
    expect(failure.message).not.toContain("report it");
  });
});

describe("a migration, or the genesis of a new module, that calls Math.random() → the module, its versions and the function", () => {
  const random = () => void Math.random();
  const CALLING: readonly (readonly [what: string, from: bigint, own: Partial<Module>])[] = [
    [
      "the migration of module own from version 1 to version 2",
      1n,
      { consensusVersion: 3n, migrations: { 1: random, 2: () => undefined } },
    ],
    [
      "genesis of module own",
      0n,
      { genesis: moduleGenesis({ read: () => undefined, init: random, export: () => ["{}"] }) },
    ],
  ];
  test.each(CALLING)("%s", (what, from, own) => {
    const { name, modules } = exampleChain;
    const module = { name: "own", consensusVersion: 1n, stores: [], ...own } as Module;
    const upgrades = [{ plan: "next", from: { own: from }, handler: migrate }];
    const chain = defineChain({ name, modules: [...modules, module], upgrades });
    const failure = failureOf(() => upgraded(chain, { register: () => undefined }));
    expect(failure.code).toBe("UPG_MIGRATION_FAILED");
    expect(failure.message).toContain(`${what} used Math.random(), whose result differs between nodes: `);
  });
});

describe("endless recursion → UPG_BUG_ENGINE_LIMIT (70) with module and function", () => {
  // Adds after the call, so that no engine can make a loop of it.
  const deep = (): number => 1 + deep();
  const store = () => deep();
  const RECURSING: readonly (readonly [what: string, own: Partial<Module>])[] = [
    ["BeginBlock of module own", { beginBlock: failingAt(3n, store) }],
    ["EndBlock of module own", { endBlock: failingAt(3n, store) }],
    ["EndBlock of module own", { isBounded: true, endBlock: failingAt(3n, store) }],
    ['nextEndTime() of module "own"', { nextEndTime: () => void deep() as undefined }],
  ];
  test.each(RECURSING)("%s", (what, own) => {
    const run = () => {
      const { app } = upgraded(chainWith(own));
      next(app);
      return app.nextEndTime;
    };
    const failure = failureOf(run);
    expect(failure).toMatchObject({ code: "UPG_BUG_ENGINE_LIMIT", kind: { exit: 70 } });
    expect(failure.message).toMatch(new RegExp(`^in ${what.replace(/[()]/g, "\\$&")}, the JavaScript engine refused`));
  });

  test("the migration of module own from version 1 to version 2", () => {
    const { name, modules } = exampleChain;
    const own: Module = { name: "own", consensusVersion: 2n, stores: [], migrations: { 1: () => void deep() } };
    const upgrades = [{ plan: "next", from: { own: 1n }, handler: migrate }];
    const chain = defineChain({ name, modules: [...modules, own], upgrades });
    const failure = failureOf(() => upgraded(chain, { register: () => undefined }));
    expect(failure.code).toBe("UPG_BUG_ENGINE_LIMIT");
    expect(failure.message).toContain(
      "in the migration of module own from version 1 to version 2, the JavaScript engine",
    );
  });
});

describe("an assertion in what an upgrade runs → UPG_MIGRATION_FAILED (20), without the request to report it", () => {
  const breaks = () => assert(false, "proposal 77 is in a queue and not in the store");
  const own: Module = { name: "own", consensusVersion: 2n, stores: [], migrations: { 1: breaks } };
  const failing: readonly (readonly [what: string, handler: ChainUpgradeHandler])[] = [
    // Throws before it would return the version map that the type asks for.
    ["the handler", breaks as unknown as ChainUpgradeHandler],
    ["a migration of a module", migrate],
  ];
  test.each(failing)("%s", (_what, handler) => {
    const { name, modules } = exampleChain;
    const chain = defineChain({
      ...{ name, modules: [...modules, own] },
      upgrades: [{ plan: "next", from: { own: 1n }, handler }],
    });
    const failure = failureOf(() => upgraded(chain, { register: () => undefined }));
    expect(failure).toMatchObject({ code: "UPG_MIGRATION_FAILED", kind: { exit: 20, cause: "state" } });
    expect(failure.message).toContain("proposal 77 is in a queue and not in the store");
    expect(failure.message).not.toContain("report it");
  });
});

describe("in genesis and in an export → UPG_BUG_MODULE (70) with module and function", () => {
  const state = { read: () => undefined, init: () => undefined, export: () => ["{}"] };
  const chainOf = (own: Partial<ModuleGenesis>) => chainWith({ genesis: moduleGenesis({ ...state, ...own }) });
  const boom = throwing(new Error("boom"));
  const FUNCTIONS: readonly (readonly [what: string, own: Partial<ModuleGenesis>])[] = [
    ["InitGenesis of module own", { init: boom }],
    // The types forbid a promise here; a module in plain JavaScript can return one.
    ["InitGenesis of module own", { init: () => Promise.resolve() as unknown as undefined }],
    ["InitGenesis of module own", { init: (context) => context.store("bank").set(new Uint8Array(), Uint8Array.of(1)) }],
    ["genesis.accountAdded of module own", { accountAdded: boom as never }],
    ["genesis.read of module own", { read: boom }],
    ["genesis.lists of module own", { lists: boom as never }],
  ];
  test.each(FUNCTIONS)("%s", (what, own) => {
    const failure = failureOf(() => upgraded(chainOf(own)));
    expect(failure).toMatchObject({ code: "UPG_BUG_MODULE", kind: { exit: 70 } });
    expect(failure.message).toContain(`${what} failed: `);
    expect(failure.message).not.toContain("report it");
  });

  test("an error of the document keeps its code", () => {
    const wrong = new UpgradeError("UPG_INVALID_GENESIS", "genesis.app_state.own.motto: must be a text");
    for (const name of ["read", "init"]) {
      expect(failureOf(() => upgraded(chainOf({ [name]: throwing(wrong) })))).toBe(wrong);
    }
  });

  const EXPORTS: readonly (readonly [how: string, own: () => Iterable<string>])[] = [
    ["throws at once", boom],
    [
      "throws after a piece",
      function* () {
        yield "{";
        boom();
      },
    ],
    // The types forbid this result; a module in plain JavaScript can return it.
    ["returns no pieces", () => undefined as unknown as string[]],
    [
      "writes",
      function* (this: unknown, { view }: ExportFacts = {} as ExportFacts) {
        (view.store("bank") as KVStore).delete(Uint8Array.of(1));
        yield "{}";
      } as () => Iterable<string>,
    ],
  ];
  test.each(EXPORTS)("an export that %s", (_how, own) => {
    const chain = chainOf({ export: own });
    const { app } = upgraded(chain);
    const { stores: view, version } = app.at();
    const begun = parseGenesis(chain, genesisText());
    const facts = { chain, view, begun, version, time: "", initialHeight: 3n, appVersion: 1n, raw: undefined };
    const failure = failureOf(() => [...documentText(facts)]);
    expect(failure).toMatchObject({ code: "UPG_BUG_MODULE", kind: { exit: 70 } });
    expect(failure.message).toContain("ExportGenesis of module own failed: ");
  });
});

describe("UPG_STORE_CORRUPT in the block of an upgrade", () => {
  const corrupt = new UpgradeError("UPG_STORE_CORRUPT", "it cannot be decoded");
  const applied = {
    plan: { name: "v2", height: 2n, info: "" },
    handler: { wasm: undefined },
  } as unknown as AppliedUpgrade;
  const stores = { names: ["own"], store: () => ({ get: throwing(corrupt) }) } as unknown as MultiStore;
  const hooks = new HookCalls({ height: 2n, applied }, stores);

  test("of a record that a module decodes → the handler's fault", () => {
    expect(failureOf(() => hooks.call("EndBlock of module own", throwing(corrupt)))).toMatchObject({
      code: "UPG_MIGRATION_HOOK",
    });
  });

  test("of a store → the disk's, even if the module catches it", () => {
    const reads = () => {
      try {
        hooks.stores.store("own").get(Uint8Array.of(1));
      } catch {
        // It goes on.
      }
    };
    expect(failureOf(() => hooks.call("EndBlock of module own", reads))).toBe(corrupt);
  });
});
