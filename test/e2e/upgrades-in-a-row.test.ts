/** Three upgrades in one chain's life by handlers of the home, as processes; file names sort wrongly; handlers wait for their height. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { build, data, guest } from "../guest/build.js";
import { DIST, TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";
import { makeBlocksUpTo, schedule, withNode } from "./prepared-home.js";

vi.setConfig({ testTimeout: 180_000 });

const HANDLERS = join(DIST, "handlers");

/** Adds a module with a store of its own, with one pair. */
function adding(plan: string, module: string): Uint8Array {
  const wat = guest({
    imports: '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))',
    run: "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 17) (i32.const 1))) (i32.const 0)",
    more: data(16, "k7"),
  });
  return build(wat, {
    name: plan,
    stores: [{ name: module, access: "rw" }],
    storeUpgrades: { added: [module] },
    versions: { [module]: { to: 1 } },
  });
}

/** Schedules a plan, three blocks ahead, and brings the chain before it. */
function plan(home: TestHome, name: string, blocksBefore = 1n): bigint {
  return withNode({ path: home.path, handlers: HANDLERS }, (node) => {
    const height = node.app.nextHeight + 2n;
    schedule(node, { name, height });
    makeBlocksUpTo(node, height - blocksBefore);
    return height;
  });
}

function place(home: TestHome, file: string, bytes: Uint8Array, folder = "handlers"): string {
  const path = join(home.path, folder);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, file), bytes);
  return join(path, file);
}

function facts(home: TestHome) {
  return withNode({ path: home.path, handlers: HANDLERS }, ({ app }) => {
    const { number, stores, modules } = app.version;
    return { number, stores: [...stores].sort(), modules: [...modules.keys()].sort() };
  });
}

test("v2 → v9 → v10 → v11, each file put there at its halt, names that sort the other way round → every one applied", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  expect((await home.start("--max-blocks", "2").end).exit).toBe(0);
  for (const [name, file] of [
    ["v9", "v9.wasm"],
    ["v10", "v10.wasm"],
    ["v11", "a.wasm"],
  ] as const) {
    const height = plan(home, name);
    expect((await home.start().end).exit).toBe(10);
    place(home, file, adding(name, `m${name}`));
    const end = await home.start("--max-blocks", "2").end;
    expect(end.exit, end.stderr).toBe(0);
    expect(end.stderr).toContain(`"plan":"${name}"`);
    expect(home.last.height).toBe(String(height + 1n));
  }
  const { number, stores, modules } = facts(home);
  expect(number).toBe(5n);
  expect(stores).toEqual(["auth", "bank", "gov", "mv10", "mv11", "mv9", "staking", "upgrade"]);
  expect(modules).toEqual(stores);
  rmSync(join(home.path, "handlers", "v9.wasm"));
  place(home, "0.wasm", adding("v3", "three"));
  const end = await home.start("--max-blocks", "1").end;
  expect(end.exit, end.stderr).toBe(0);
  expect(end.stderr).toContain('serves the plan \\"v3\\", which is not scheduled: it waits');
  expect(facts(home)).toEqual({ number, stores, modules });
  const old = await home.start("--app-version", "1").end;
  expect(old.exit).toBe(12);
});

describe("a staged handler", () => {
  const v9 = adding("v9", "nine");

  test("before the height → the old version goes on; at the height it halts with 14, and the next start applies it", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.start("--max-blocks", "2").end).exit).toBe(0);
    plan(home, "v9", 2n);
    place(home, "v9.wasm", v9, "handlers/staged");
    const first = await home.start().end;
    expect(first.exit, first.stderr).toBe(14);
    expect(first.stderr).toContain("staged ✓ sha256");
    const second = await home.start("--max-blocks", "1").end;
    expect(second.exit, second.stderr).toBe(0);
    expect(facts(home).stores).toContain("nine");
  });

  test("put there while the node runs, another folder → found without a restart; a file that is no handler is passed over", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.start("--max-blocks", "2").end).exit).toBe(0);
    withNode({ path: home.path, handlers: HANDLERS }, (node) =>
      schedule(node, { name: "v9", height: node.app.nextHeight + 60n }),
    );
    const folder = join(home.path, "waiting");
    const node = home.startSlowly("--handlers-staged", folder);
    await node.says("not ready, there is no handler");
    place(home, "strange.wasm", Buffer.from("not wasm"), "waiting");
    await node.says("a staged file is no handler");
    place(home, "v9.wasm", v9, "waiting");
    await node.says("staged ✓ sha256");
    expect((await node.end).exit).toBe(14);
    const end = await home.start("--handlers-staged", folder, "--max-blocks", "1").end;
    expect(end.exit, end.stderr).toBe(0);
    expect(facts(home).stores).toContain("nine");
  });
});

describe("pre-upgrade", () => {
  test("layout, hash of a pin, stores, and what would be refused → 30 where start or the upgrade block would end; nothing is written", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.start("--max-blocks", "2").end).exit).toBe(0);
    plan(home, "v9");
    const check = () => line.run(["pre-upgrade", "--home", home.path]);
    const manifest = (fields: object) => build(guest(), { name: "v9", ...fields });
    for (const [fields, text] of [
      [{ versions: { bank: { from: [3], to: 4 } } }, "UPG_HANDLER_LAYOUT"],
      [{ storeUpgrades: { added: ["bank"] } }, "UPG_STORE_UPGRADE"],
      [{ storeUpgrades: { deleted: ["gov"] } }, "UPG_MIGRATION_VERSION_MAP"],
      [{ removes: ["gov"] }, "UPG_MIGRATION_VERSION_MAP"],
    ] as const) {
      place(home, "v9.wasm", manifest(fields));
      const end = await check();
      expect(end.exit, end.stderr).toBe(30);
      expect(end.stderr).toContain(text);
    }
    place(home, "v9.wasm", adding("v9", "nine"));
    expect((await check()).exit).toBe(0);
    expect((await home.start("--max-blocks", "1").end).exit).toBe(0);
  });

  test("while the node runs, a handler staged for the height to come → 0; one that does not fit → 30", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.start("--max-blocks", "2").end).exit).toBe(0);
    withNode({ path: home.path, handlers: HANDLERS }, (node) => schedule(node, { name: "v9", height: 100_000n }));
    const node = home.startSlowly();
    await node.says("block made");
    const check = () => line.run(["pre-upgrade", "--home", home.path]);
    expect((await check()).exit).toBe(0);
    place(home, "v9.wasm", adding("v9", "nine"), "handlers/staged");
    expect((await check()).exit).toBe(0);
    place(home, "v9.wasm", build(guest(), { name: "v9", versions: { bank: { from: [7], to: 8 } } }), "handlers/staged");
    const end = await check();
    expect(end.exit).toBe(30);
    expect(end.stderr).toContain("UPG_HANDLER_LAYOUT");
    node.child.kill("SIGTERM");
    expect((await node.end).exit).toBe(0);
  });
});
