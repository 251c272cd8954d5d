/** `chaind start` as a process: how it ends, what it leaves behind, and how the next one goes on. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { consensusKey } from "../../host/node/home/consensus-key.js";
import { build, guest } from "../guest/build.js";
import { factsOf } from "../halt-line.js";
import { genesisDocument, genesisWith } from "../scenario/genesis-text.js";
import { memberGenesis } from "../scenario/members.js";
import { bundleWorker } from "../sim/worker-process.js";
import { type End, loggedHalt, TestHome } from "./chaind.js";

const INFO = "go & see";

/** A home of version 1 whose next block is before block 5, where `v2` is due. */
const beforeTheHeight = () => new TestHome().schedule({ name: "v2", height: 5n, info: INFO }, 4n);

/** A file that is read before a process ends, in its place. */
const upgradeInfo = (home: TestHome) => readFileSync(home.data("upgrade-info.json"), "utf8");

/** Record on disk and line of the log are one, and say where the chain is. */
function expectRecord(home: TestHome, end: End, code: string, height: string): void {
  const record = home.haltRecord;
  expect(record && factsOf(record)).toEqual(loggedHalt(end));
  rmSync(home.data("halt.json"));
  const { height: last, appHash } = home.last;
  expect(record).toMatchObject({ v: 1, code, height, last_committed_height: last, app_hash: appHash });
  expect(record?.next.length).toBeGreaterThan(10);
  expect(record?.time).toMatch(/^\d{4}-\d\d-\d\dT/);
}

describe("chaind start, exit status", () => {
  test("10: a plan is due and this binary is too old → upgrade-info.json, halt.json, and the same each time", async () => {
    const home = beforeTheHeight();
    const records = [];
    for (let again = 0; again < 2; again++) {
      const end = await home.start("--app-version", "1").end;
      expect(end.exit).toBe(10);
      expect(upgradeInfo(home)).toBe('{"name":"v2","time":"0001-01-01T00:00:00Z","height":5,"info":"go \\u0026 see"}');
      expect(statSync(home.data("upgrade-info.json")).mode & 0o777).toBe(0o600);
      expect(statSync(home.data("halt.json")).mode & 0o777).toBe(0o600);
      expect(end.stderr).toContain('UPGRADE \\"v2\\" NEEDED at height: 5: go & see');
      records.push({ ...home.haltRecord, time: "" });
      expectRecord(home, end, "UPG_HALT_UPGRADE_NEEDED", "5");
    }
    expect(records[0]).toMatchObject({ plan: { name: "v2", height: "5", info: INFO } });
    expect(records[1]).toEqual(records[0]);
  });

  test("2: a name in app.toml that nothing reads, then a genesis of several validators with no engine named → refused, no block", async () => {
    const others = [2, 3].map((seed) => consensusKey(new Uint8Array(32).fill(seed)).publicKey.bytes);
    const members = others.map((key) => ({ key, tokens: 5_000_000n }));
    const home = new TestHome(JSON.stringify(memberGenesis(genesisDocument(), members)));
    writeFileSync(join(home.path, "config/app.toml"), 'engin = "cometbft"\n');
    const misspelt = await home.start("--max-blocks", "1").end;
    expect(misspelt).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('app.toml, line 1: there is no setting "engin"'),
    });
    rmSync(join(home.path, "config/app.toml"));
    const assumed = await home.start("--max-blocks", "1").end;
    expect(assumed).toMatchObject({ exit: 2, stderr: expect.stringContaining("chaind start --engine cometbft") });
    expect(home.last.height).toBe("0");
    writeFileSync(join(home.path, "config/app.toml"), 'engine = "embedded"\n');
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
  });

  test("11: the binary has the handler and the height is not reached → no upgrade-info.json", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 9n }, 4n);
    const end = await home.start().end;
    expect(end.exit).toBe(11);
    expectRecord(home, end, "UPG_HALT_BINARY_TOO_EARLY", "5");
    expect(() => upgradeInfo(home)).toThrow(/ENOENT/);
  });

  test("12: an old binary on new state → the record says where the chain is", async () => {
    const home = beforeTheHeight();
    expect((await home.startHere("--max-blocks", "3")).exit).toBe(0);
    const end = await home.start("--app-version", "1").end;
    expect(end.exit).toBe(12);
    expectRecord(home, end, "UPG_HALT_HANDLER_MISSING", "8");
  });

  test("13: --halt-height; the commands of the record hold in any folder, also where --home did not", async () => {
    const home = new TestHome();
    const end = await home.start("--home", relative(process.cwd(), home.path), "--halt-height", "4").end;
    expect(end.exit).toBe(13);
    expect(home.haltRecord?.commands).toEqual([`chaind start --home ${home.path}`]);
    expectRecord(home, end, "UPG_HALT_HEIGHT", "4");
  });

  test("14: a plan for the very next block → upgrade-info.json; started again, the same binary applies it", async () => {
    const home = new TestHome();
    const worker = await bundleWorker();
    const end = await home.startScheduling(worker.file, "3:v2:4").end;
    worker.remove();
    expect(end.exit).toBe(14);
    expect(upgradeInfo(home)).toBe('{"name":"v2","time":"0001-01-01T00:00:00Z","height":4}');
    expect(home.haltRecord).toMatchObject({ code: "UPG_HALT_RESTART", plan: { name: "v2" } });
    expect(home.haltRecord && factsOf(home.haltRecord)).toEqual(loggedHalt(end));
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
    expect(home.last.height).toBe("5");
    expect((await home.start("--app-version", "1").end).exit).toBe(12);
  });

  test("20: the handler says no → nothing is committed; the old version goes on with the height skipped", async () => {
    const home = beforeTheHeight();
    const handlers = join(home.path, "bad-handlers");
    mkdirSync(handlers);
    const manifest = {
      storeUpgrades: { added: ["bank"], renamed: [], deleted: [] },
      stores: [{ name: "bank", access: "rw" }],
      versions: { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } },
    };
    writeFileSync(join(handlers, "v2.wasm"), build(guest({ run: "(i32.const -3)" }), manifest));
    const end = await home.start("--handlers", handlers).end;
    expect(end.exit).toBe(20);
    expectRecord(home, end, "UPG_MIGRATION_FAILED", "5");
    expect((await home.startHere("--app-version", "1", "--unsafe-skip-upgrades", "5", "--max-blocks", "2")).exit).toBe(
      0,
    );
    expect(home.last.height).toBe("6");
    expect((await home.startHere("--app-version", "1", "--max-blocks", "1")).exit).toBe(0);
  });

  test("21: a file that is no handler → named; a plan that pins another hash → at the height", async () => {
    const home = beforeTheHeight();
    const handlers = join(home.path, "bad-handlers");
    mkdirSync(handlers);
    writeFileSync(join(handlers, "strange.wasm"), "not wasm");
    const end = await home.start("--handlers", handlers).end;
    expect(end.exit).toBe(21);
    expect(end.stderr).toContain("strange.wasm");
    expectRecord(home, end, "UPG_HANDLER_FORMAT", "5");

    const pinned = new TestHome().schedule(
      { name: "v2", height: 3n, info: JSON.stringify({ handler: { sha256: "ab".repeat(32) } }) },
      2n,
    );
    const second = await pinned.start().end;
    expect(second.exit).toBe(21);
    expectRecord(pinned, second, "UPG_HANDLER_HASH", "3");
  });

  test("30: upgrade-info.json cannot be written → never 10; the new binary applies all the same", async () => {
    const home = beforeTheHeight();
    mkdirSync(join(home.data("upgrade-info.json"), "in-the-way"), { recursive: true });
    const end = await home.start("--app-version", "1").end;
    expect(end.exit).toBe(30);
    expectRecord(home, end, "UPG_STORE_IO", "5");
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
    expect(home.last.height).toBe("5");
  });

  test("30: halt.json cannot be written → the log has its facts, the status stays", async () => {
    const home = beforeTheHeight();
    mkdirSync(join(home.data("halt.json"), "in-the-way"), { recursive: true });
    const end = await home.start("--app-version", "1").end;
    expect(end.exit).toBe(10);
    expect(loggedHalt(end)).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", last_committed_height: "4" });
    expect(end.stderr).toContain("halt.json");
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
  });

  test("30: stores that do not fit → the record says where the chain is", async () => {
    const home = beforeTheHeight();
    const handlers = join(home.path, "other-handlers");
    mkdirSync(handlers);
    writeFileSync(
      join(handlers, "v2.wasm"),
      build(guest(), { versions: { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } } }),
    );
    const end = await home.start("--handlers", handlers).end;
    expect(end.exit).toBe(30);
    expectRecord(home, end, "UPG_STORE_UPGRADE", "5");
  });

  test("2: the caller's mistakes → no record, nothing new in data", async () => {
    const home = new TestHome();
    const before = readdirSync(join(home.path, "data"));
    for (const args of [["--app-version", "7"], ["--halt-height", "x"], ["--block-time", "soon"], ["--bogus"]]) {
      const end = await home.startHere(...args);
      expect(end.exit, args.join(" ")).toBe(2);
      expect(home.haltRecord).toBeUndefined();
    }
    expect(readdirSync(join(home.path, "data"))).toEqual(before);
  });

  test("2: a genesis version that this program does not know → nothing is written, and the home can be made again", async () => {
    const home = new TestHome(genesisWith("consensus.params.version", { app: "9" }));
    const end = await home.start().end;
    expect(end.exit).toBe(2);
    expect(end.stderr).toContain("genesis.consensus.params.version.app");
    expect(() => statSync(home.data("chain.mdb"))).toThrow(/ENOENT/);
    expect(home.haltRecord).toBeUndefined();
  });
});

describe("chaind start, from one process to the next", () => {
  test("halt.json → it stays until a later process has committed its first block", async () => {
    const home = beforeTheHeight();
    await home.startHere("--app-version", "1");
    expect(home.haltRecord).toBeDefined();
    expect((await home.startHere("--max-blocks", "0")).exit).toBe(0);
    expect(home.haltRecord).toBeDefined();
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
    expect(home.haltRecord).toBeUndefined();
    expect(upgradeInfo(home)).toContain('"height":5');
  });

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    test(`${signal} → 0, no record, and the next process goes on`, async () => {
      const home = new TestHome();
      const node = home.startSlowly();
      await node.says("block made");
      node.child.kill(signal);
      // A shell sends it again when its terminal is closed: that is no second signal.
      node.child.kill("SIGHUP");
      const end = await node.end;
      expect(end).toMatchObject({ exit: 0, signal: null });
      expect(end.stderr).toContain("node stopped");
      expect(home.haltRecord).toBeUndefined();
      const { height } = home.last;
      expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
      expect(BigInt(home.last.height)).toBe(BigInt(height) + 2n);
    });
  }

  test("two nodes on one home → the second ends with UPG_STORE_LOCKED (30) and leaves the home alone", async () => {
    const home = new TestHome();
    const first = home.startSlowly();
    await first.says("block made");
    const second = await home.start().end;
    expect(second.exit).toBe(30);
    expect(second.stderr).toContain("UPG_STORE_LOCKED");
    expect(second.stderr).toContain(`process ${first.child.pid}`);
    expect(home.haltRecord).toBeUndefined();
    first.child.kill("SIGTERM");
    expect((await first.end).exit).toBe(0);
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
  });

  test("a killed process → its lock is taken over, and no block that it reported is lost", async () => {
    const home = new TestHome();
    const node = home.startSlowly();
    await node.says("block made");
    node.child.kill("SIGKILL");
    const { stderr, signal } = await node.end;
    expect(signal).toBe("SIGKILL");
    expect(statSync(home.data("LOCK")).isFile()).toBe(true);
    const reported = stderr.split("\n").filter((line) => line.includes('"block made"')).length;
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
    expect(Number(home.last.height)).toBeGreaterThan(reported);
    expect(() => statSync(home.data("LOCK"))).toThrow(/ENOENT/);
  });
});
