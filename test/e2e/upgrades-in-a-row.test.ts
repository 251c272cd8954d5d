/** Three upgrades in one chain's life by handlers of the home; file names sort wrongly; handlers wait for their height. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Home } from "../../host/node/home/home.js";
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
function plan(home: TestHome, name: string, blocksBefore = 1n, info = ""): bigint {
  return withNode({ path: home.path, handlers: HANDLERS }, (node) => {
    const height = node.app.nextHeight + 2n;
    schedule(node, { name, height, info });
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
  expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
  for (const [name, file] of [
    ["v9", "v9.wasm"],
    ["v10", "v10.wasm"],
    ["v11", "a.wasm"],
  ] as const) {
    const height = plan(home, name);
    expect((await home.startHere()).exit).toBe(10);
    place(home, file, adding(name, `m${name}`));
    const end = await home.startHere("--max-blocks", "2");
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
  const end = await home.startHere("--max-blocks", "1");
  expect(end.exit, end.stderr).toBe(0);
  expect(end.stderr).toContain('serves the plan \\"v3\\", which is not scheduled: it waits');
  expect(facts(home)).toEqual({ number, stores, modules });
  const old = await home.startHere("--app-version", "1");
  expect(old.exit).toBe(12);
});

describe("a staged handler", () => {
  const v9 = adding("v9", "nine");

  test("before the height → the old version goes on; at the height it halts with 14, and the next start applies it", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
    plan(home, "v9", 2n);
    place(home, "v9.wasm", v9, "handlers/staged");
    const first = await home.startHere();
    expect(first.exit, first.stderr).toBe(14);
    expect(first.stderr).toContain("staged ✓ sha256");
    const second = await home.startHere("--max-blocks", "1");
    expect(second.exit, second.stderr).toBe(0);
    expect(facts(home).stores).toContain("nine");
  });

  test("put there while the node runs, another folder → found without a restart; a file that is no handler is passed over", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
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
    const end = await home.startHere("--handlers-staged", folder, "--max-blocks", "1");
    expect(end.exit, end.stderr).toBe(0);
    expect(facts(home).stores).toContain("nine");
  });
});

test("chain_upgrade_binary_ready of a node that runs → 0 and why; 1 once the handler that the plan pins is staged", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
  const v9 = adding("v9", "nine");
  const other = adding("v9", "ten");
  const info = JSON.stringify({ handler: { sha256: createHash("sha256").update(v9).digest("hex") } });
  withNode({ path: home.path, handlers: HANDLERS }, (node) => schedule(node, { name: "v9", height: 100_000n, info }));
  const node = home.startSlowly("--api.enable=true", "--api.address", "tcp://127.0.0.1:0");
  await node.says("servers open");
  const { api = "" } = JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { api?: string };
  const metrics = async () => (await fetch(`${api.replace("tcp:", "http:")}/metrics`)).text();
  const settled = (state: string, ready: 0 | 1) =>
    vi.waitFor(
      async () => {
        const text = await metrics();
        expect(text).toMatch(new RegExp(`^chain_upgrade_binary_ready\\{name="v9",os_arch="[^"]+"\\} ${ready}$`, "m"));
        for (const each of ["absent", "ready", "mismatch", "ambiguous"]) {
          expect(text).toContain(`chain_upgrade_handler_state{name="v9",state="${each}"} ${each === state ? 1 : 0}\n`);
        }
      },
      { timeout: 60_000, interval: 200 },
    );
  await settled("absent", 0);
  place(home, "v9.wasm", other, "handlers/staged");
  await settled("mismatch", 0);
  place(home, "v9.wasm", v9, "handlers/staged");
  await settled("ready", 1);
  node.child.kill("SIGTERM");
  const { stderr, exit } = await node.end;
  expect(exit).toBe(0);
  // One line for each of the three states, and no other that says the plan is scheduled.
  expect(stderr.match(/scheduled/g)).toHaveLength(3);
});

describe("pre-upgrade", () => {
  test("the due plan pins another handler than the one here → 30 with both hashes", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
    const [pinned, here] = [adding("v9", "nine"), adding("v9", "ten")];
    const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    plan(home, "v9", 1n, JSON.stringify({ handler: { sha256: hash(pinned) } }));
    place(home, "v9.wasm", here);
    const check = () => line.run(["pre-upgrade", "--home", home.path]);
    const end = await check();
    expect(end.exit).toBe(30);
    expect(end.stderr).toContain(`pins sha256 ${hash(pinned)}, the handler here`);
    expect(end.stderr).toContain(hash(here));
    place(home, "v9.wasm", pinned);
    expect((await check()).exit).toBe(0);
  });

  test("a database that is older than what the key signed, or damaged → 30 as a start ends", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    const check = () => line.run(["pre-upgrade", "--home", home.path]);
    expect((await check()).exit).toBe(0);
    const record = readFileSync(home.data("priv_validator_state.json"), "utf8");
    writeFileSync(home.data("priv_validator_state.json"), record.replace('"height": "3"', '"height": "9"'));
    const signed = await check();
    expect([signed.exit, signed.stderr]).toEqual([30, expect.stringContaining("UPG_STORE_SIGNED")]);
    expect((await home.startHere()).exit).toBe(30);
    writeFileSync(home.data("priv_validator_state.json"), record);
    const { databaseFile } = new Home(home.path);
    const bytes = readFileSync(databaseFile);
    writeFileSync(databaseFile, bytes.fill(0, 8_192));
    const damaged = await check();
    expect([damaged.exit, damaged.stderr]).toEqual([30, expect.stringContaining("UPG_STORE_CORRUPT")]);
    expect((await home.start().end).exit).toBe(30);
  });

  test("layout, hash of a pin, stores, and what would be refused → 30 where start or the upgrade block would end; nothing is written", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
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
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
  });

  test("while the node runs, a handler staged for the height to come → 0; one that does not fit → 30", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
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
