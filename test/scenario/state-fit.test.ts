/** A program whose modules or stores are not those of the state that it is started on: refused before a block, and nothing is written. */
import { describe, expect, test } from "vitest";
import { notesChain } from "../../examples/notes-chain/chain.js";
import { notes } from "../../examples/notes-chain/notes.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import { App } from "../../host/chain/app/app.js";
import type { Chain, ChainOptions, ChainUpgrade } from "../../host/chain/app/chain.js";
import { defineChain, migrate } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { readdressed } from "../addresses.js";
import { load } from "../guest/build.js";
import { failureOf } from "./chain.js";
import { genesisText } from "./genesis-text.js";

const core = new Core();
const genesis = parseGenesis(notesChain, readdressed(genesisText(), notesChain.addresses));
const standard = notesChain.modules.filter(({ name }) => name !== "notes");
const [v2, v3] = notesChain.upgrades as readonly [ChainUpgrade, ChainUpgrade];
const shop: Module = { name: "shop", consensusVersion: 1n };
const raised: Module = { ...notes, consensusVersion: 3n, migrations: { ...notes.migrations, 2: () => undefined } };

const program = (
  modules: readonly Module[],
  upgrades: readonly ChainUpgrade[] = [v2, v3],
  more: Partial<ChainOptions> = {},
) => defineChain({ name: "notesd", addressPrefix: "notes", modules: [...standard, ...modules], upgrades, ...more });

/** The home of a chain. */
class Home {
  readonly database = new MemoryDatabase();
  readonly log: string[] = [];

  start(chain: Chain, handlers: readonly ReturnType<typeof load>[] = []): App {
    const { database } = this;
    const log = (level: string, message: string) => this.log.push(`${level} ${message}`);
    const app = new App({ chain, database, genesis, sha256, core, log });
    for (const handler of handlers) app.keeper.setWasmHandler(handler, { isOfHome: true });
    app.load();
    return app;
  }

  block(app: App, plan?: string): string {
    const { keeper, nextHeight: height } = app;
    const request = { authority: keeper.authority, plan: { name: plan ?? "", height: height + 1n, info: "" } };
    const time = { seconds: 1_700_000_000n + height, nanos: 0 };
    const schedule = (context: { store(name: string): Parameters<typeof keeper.softwareUpgrade>[0] }) =>
      keeper.softwareUpgrade(context.store(UPGRADE_STORE), height, request);
    const { appHash } = app.finalizeBlock({ height, time, changes: plan === undefined ? [] : [schedule] });
    app.commit();
    return toHex(appHash);
  }

  /** Applies a plan, by a start at its height. */
  upgrade(chain: Chain, plan: string, handlers: readonly ReturnType<typeof load>[] = []): void {
    this.block(this.start(chain), plan);
    this.block(this.start(chain, handlers));
  }

  /** The keys and values of the database. */
  contents(): string[] {
    const keys = this.database.keys({ start: Uint8Array.of(0), end: Uint8Array.of(0xff) });
    return [...keys].map((key) => `${toHex(key)}=${toHex(this.database.get(key) ?? new Uint8Array())}`);
  }
}

/** A home at app version 3, where notes has version 2. */
function atV3(): Home {
  const home = new Home();
  home.upgrade(notesChain, "v2");
  home.upgrade(notesChain, "v3");
  return home;
}

const MISFITS: readonly (readonly [what: string, chain: () => Chain, named: readonly string[]])[] = [
  [
    "a module's consensusVersion was raised without an upgrade",
    () => program([raised]),
    ['app version 3: the state has module "notes" at version 2, and this program has version 3', "from: { notes: 2n }"],
  ],
  [
    "the upgrade that migrates a module has no `from`, and brings another one",
    () => program([raised, shop], [v2, v3, { plan: "v4", handler: migrate, storeUpgrades: { added: ["shop"] } }]),
    ['module "notes" at version 2, and this program has version 3', "from: { notes: 2n }"],
  ],
  [
    "a module's consensusVersion was lowered",
    () => program([{ ...notes, consensusVersion: 1n, migrations: {} }], [v2, { plan: "v3", handler: () => new Map() }]),
    ['module "notes" at version 2, and this program has version 1', "consensusVersion to 2n"],
  ],
  ["a module came without an upgrade", () => program([notes, shop]), ['module "shop"', 'added: ["shop"]']],
  [
    "a module without stores came without an upgrade",
    () => program([notes, { ...shop, stores: [] }]),
    ['module "shop"', "from: { shop: 0n }"],
  ],
  [
    "a module got one more store without an upgrade",
    () => program([{ ...notes, stores: ["notes", "index"] }], [v2, v3]),
    ['the store "index"', 'added: ["index"]'],
  ],
];

for (const [what, chain, named] of MISFITS) {
  test(`${what} → UPG_INVALID_ARGUMENT at the start, with names and what to add; nothing written`, () => {
    const home = atV3();
    const before = home.contents();
    const failure = failureOf(() => home.start(chain()));
    expect(failure).toMatchObject({ code: "UPG_INVALID_ARGUMENT", kind: { exit: 2 }, details: { app_version: "3" } });
    for (const text of named) expect(failure.message).toContain(text);
    expect(home.contents()).toEqual(before);
    home.block(home.start(notesChain));
  });
}

test("the state has an earlier version than the newest one of the program, or the plan is due → refused as well", () => {
  const home = new Home();
  home.upgrade(notesChain, "v2");
  const stays: ChainUpgrade["handler"] = (_context, _plan, versions) => versions;
  const lower = program([notes], [v2, { plan: "v3", handler: stays }]);
  expect(failureOf(() => home.start(lower)).message).toContain(
    'module "notes" at version 1, and this program has version 2',
  );
  home.block(home.start(notesChain), "v3");
  expect(failureOf(() => home.start(lower))).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
});

test("the state has a module since genesis that an upgrade to come brings → refused, with what to change", () => {
  const home = new Home();
  home.block(home.start(program([shop], [])));
  const before = home.contents();
  const late = program([shop], [{ plan: "v2", handler: migrate, storeUpgrades: { added: ["shop"] } }]);
  const failure = failureOf(() => home.start(late));
  expect(failure).toMatchObject({ code: "UPG_INVALID_ARGUMENT", details: { app_version: "1" } });
  expect(failure.message).toContain(
    'the state has module "shop" at version 1, and this program brings it with the upgrade "v2"',
  );
  expect(home.contents()).toEqual(before);
});

describe("what fits", () => {
  test("a module and a version that an upgrade to come brings → the same app hashes as the program before, then the upgrade", () => {
    const [old, next] = [atV3(), atV3()];
    const chain = program(
      [raised, shop],
      [v2, v3, { plan: "v4", from: { notes: 2n }, handler: migrate, storeUpgrades: { added: ["shop"] } }],
    );
    const [before, after] = [old.start(notesChain), next.start(chain)];
    for (let blocks = 0; blocks < 3; blocks++) expect(next.block(after)).toBe(old.block(before));
    next.upgrade(chain, "v4");
    const app = next.start(chain);
    expect([app.version.number, app.version.modules.get("notes"), app.version.modules.get("shop")]).toEqual([
      4n,
      3n,
      1n,
    ]);
    expect(next.log.filter((line) => line.startsWith("warn"))).toEqual([]);
  });

  test("each height from genesis on, with the program of all versions → no warning", () => {
    const home = new Home();
    home.block(home.start(notesChain));
    for (const plan of ["v2", "v3"]) {
      home.block(home.start(notesChain));
      home.upgrade(notesChain, plan);
    }
    expect(home.log.filter((line) => line.startsWith("warn"))).toEqual([]);
  });
});

describe("after an upgrade that the program does not carry", () => {
  const allows = { removeModules: ["notes"] };
  const removing = load({}, { name: "x", removes: ["notes"], storeUpgrades: { deleted: ["notes"] }, allows });

  test("that removed a module → goes on, and a warning names the module", () => {
    const home = atV3();
    home.upgrade(notesChain, "x", [removing]);
    home.block(home.start(notesChain, [removing]));
    expect(home.log.join("\n")).toMatch(/warn .*module "notes", and the state does not.*The module does not run/);
  });

  test("that raised a module → goes on; a module that is stored lower than the program's → refused", () => {
    const home = atV3();
    const raising = load({}, { name: "x", versions: { bank: { from: [2], to: 7 } } });
    home.upgrade(notesChain, "x", [raising]);
    home.block(home.start(notesChain, [raising]));
    expect(failureOf(() => home.start(program([raised]), [raising])).message).toContain("from: { notes: 2n }");
  });
});

test("a module that the program no longer lists → a warning with its name and what to add", () => {
  const home = new Home();
  home.block(home.start(program([shop], [])));
  home.block(home.start(program([], [])));
  expect(home.log.join("\n")).toMatch(
    /warn the state has module "shop", which this program does not have.*removes: \["shop"\]/,
  );
});
