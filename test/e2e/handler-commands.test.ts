/** `chaind handler …` as processes: what they print, how they end, what they leave alone. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { toHex } from "../../host/bytes.js";
import { sha256 } from "../../host/native/sha256.js";
import { build, guest } from "../guest/build.js";
import { compileSource, IMPORTS } from "../guest/kit/author.js";
import { DIST, TestHome } from "./chaind.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../..");
const CHAIND = join(DIST, "chaind.js");
const SPLIT_BALANCES = join(DIST, "handlers/split-balances.wasm");

type Json = Readonly<Record<string, unknown>>;

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-handler-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

function handler(...args: readonly string[]) {
  const end = spawnSync(process.execPath, [CHAIND, "handler", ...args], { cwd: folder, encoding: "utf8" });
  const answers = () =>
    end.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);
  return { exit: end.status, stdout: end.stdout, stderr: end.stderr, answers, answer: () => answers()[0] as Json };
}

function written(name: string, bytes: Uint8Array): string {
  writeFileSync(at(name), bytes);
  return at(name);
}

describe("chaind handler check", () => {
  test("of a good file and bad ones --json → one line each, exit 21", () => {
    const float = guest({ more: "(func (drop (f32.const 1)))" });
    const refused = written("float.wasm", build(float));
    const { exit, answers } = handler("check", SPLIT_BALANCES, refused, "--json");
    expect(exit).toBe(21);
    const [good, bad] = answers();
    expect(good).toMatchObject({ file: SPLIT_BALANCES, ok: true, name: "v2", gas_limit: "100000000000", findings: [] });
    expect(good?.["sha256"]).toBe(toHex(sha256(readFileSync(SPLIT_BALANCES))));
    expect(bad).toMatchObject({ ok: false, name: "v2", findings: [{ code: "UPG_HANDLER_OPCODE" }] });
  });

  test("of a file that is absent → exit 2, of a folder → exit 30, and the files beside them are checked all the same", () => {
    const absent = handler("check", at("nowhere"), SPLIT_BALANCES, "--json");
    expect(absent.exit).toBe(2);
    expect(absent.answers()).toMatchObject([
      { ok: false, sha256: null, findings: [{ code: "UPG_INVALID_ARGUMENT" }] },
      { ok: true },
    ]);
    expect(handler("check", at("nowhere")).stdout).toBe(
      `${at("nowhere")}: not read\n  UPG_INVALID_ARGUMENT: there is no file ${at("nowhere")}\n`,
    );
    const unread = handler("check", folder, at("nowhere"), "--json");
    expect(unread.exit).toBe(30);
    expect(unread.answers()[0]).toMatchObject({ ok: false, sha256: null, findings: [{ code: "UPG_STORE_IO" }] });
  });

  test("of refused files among files that are absent or no files → exit 21: a verdict comes first", () => {
    const refused = written("cut.wasm", readFileSync(SPLIT_BALANCES).subarray(0, 999));
    expect(handler("check", at("nowhere"), refused, folder).exit).toBe(21);
  });

  test("of good files alone → exit 0", () => {
    expect(handler("check", SPLIT_BALANCES).exit).toBe(0);
  });

  test("of a pipe that nobody writes to, an endless device, a file that is too long → an end at once", () => {
    execFileSync("mkfifo", [at("pipe")]);
    const long = written("long.wasm", new Uint8Array(5_000_000));
    const { exit, answers } = handler("check", at("pipe"), "/dev/zero", long, "--json");
    expect(exit).toBe(21);
    expect(answers().map(({ findings }) => (findings as Json[])[0]?.["code"])).toEqual([
      "UPG_STORE_IO",
      "UPG_STORE_IO",
      "UPG_HANDLER_LIMIT",
    ]);
    expect(answers()[2]?.["sha256"]).toBe(toHex(sha256(new Uint8Array(5_000_000))));
  });

  test("of one file cut short anywhere, and with bytes changed → refused or taken, and always an answer", () => {
    const whole = readFileSync(SPLIT_BALANCES);
    const files = Array.from({ length: 60 }, (_, i) => {
      const bytes = Uint8Array.from(whole);
      const place = Math.floor((i * whole.length) / 60);
      if (i % 2 === 0) return written(`broken-${i}.wasm`, bytes.subarray(0, place));
      bytes[place] = (bytes[place] as number) ^ (1 << (i % 8));
      return written(`broken-${i}.wasm`, bytes);
    });
    const { exit, answers } = handler("check", ...files, "--json");
    expect(exit).toBe(21);
    expect(answers().map(({ file }) => file)).toEqual(files);
  });
});

describe("chaind handler inspect", () => {
  test("of a handler → its manifest, imports, exports, sections and functions", () => {
    const { exit, answer } = handler("inspect", SPLIT_BALANCES, "--json");
    expect(exit).toBe(0);
    const { manifest, imports, exports, sections, functions, size } = answer();
    expect(manifest).toMatchObject({ name: "v2", scans: [{ store: "auth", prefix: "01" }] });
    expect(imports).toContainEqual({ name: "chain.store_write", type: "(i32, i32) -> i32" });
    expect(exports).toContainEqual({ name: "handler_run", kind: "function", type: "(i32) -> i32" });
    const bytes = (sections as { bytes: number }[]).reduce((sum, section) => sum + section.bytes, 8);
    expect(bytes).toBe(size);
    expect((functions as Json[]).length).toBeGreaterThan(10);
  });

  test("of no Wasm → what can be said, exit 21", () => {
    const { exit, answer } = handler("inspect", written("text.wasm", Buffer.from("hello")), "--json");
    expect(exit).toBe(21);
    expect(answer()).toMatchObject({
      ok: false,
      manifest: null,
      functions: [],
      findings: [{ code: "UPG_HANDLER_FORMAT" }],
    });
  });
});

describe("chaind handler run", () => {
  let home: TestHome;
  beforeAll(() => {
    home = new TestHome().schedule({ name: "v2", height: 5n }, 4n);
  });
  const database = () => toHex(sha256(readFileSync(home.data("chain.mdb"))));
  const run = (file: string, ...args: readonly string[]) =>
    handler("run", file, "--state", home.path, "--json", ...args);

  test("before the upgrade → what the upgrade block will commit, and nothing written; after it, with --height, the same", async () => {
    const before = database();
    const { exit, answer } = run(SPLIT_BALANCES);
    expect(exit).toBe(0);
    expect(database()).toBe(before);
    const tried = answer();
    expect(tried).toMatchObject({ ok: true, code: "", message: "", version_map: { auth: "2", bank: "2" } });
    const other = new TestHome().schedule({ name: "v2", height: 5n }, 4n);
    expect((await other.start("--max-blocks", "1").end).exit).toBe(0);
    expect(tried["app_hash"]).toBe(other.last.appHash);
    const later = handler("run", SPLIT_BALANCES, "--state", other.path, "--height", "4", "--json").answer();
    const alike = { ms: 0, total_ms: 0, host_memory: "", host_disk: "" };
    expect({ ...later, ...alike }).toEqual({ ...tried, ...alike });
    for (const field of ["host_memory", "host_disk"]) expect(Number(tried[field])).toBeGreaterThan(4_096);
    expect(handler("run", SPLIT_BALANCES, "--state", other.path, "--json")).toMatchObject({ exit: 21 });
  });

  test("of a height that is absent → UPG_NOT_FOUND_VERSION, exit 3", () => {
    const { exit, answer } = run(SPLIT_BALANCES, "--height", "99");
    expect([exit, answer()["code"]]).toEqual([3, "UPG_NOT_FOUND_VERSION"]);
  });

  test("while a node runs in the home → an answer all the same", async () => {
    const busy = new TestHome().schedule({ name: "far", height: 1_000_000n }, 2n);
    const node = busy.startSlowly();
    await node.says("block made");
    const { exit, answer } = handler("run", SPLIT_BALANCES, "--state", busy.path, "--json");
    node.child.kill("SIGTERM");
    expect((await node.end).exit).toBe(0);
    expect([exit, answer()["ok"]]).toEqual([0, true]);
  });

  const DECLARATION = `plan("own", 1_000_000_000); const auth = store("auth");`;
  for (const [what, code, exit, source] of [
    [
      "fails",
      "UPG_MIGRATION_FAILED",
      20,
      `${DECLARATION} migrate("auth", 1, 2, step); function step(): void { fail(1, "no"); }`,
    ],
    ["needs more gas than it has", "UPG_MIGRATION_OUT_OF_GAS", 20, `plan("own", 100); store("auth");`],
    [
      "traps",
      "UPG_HANDLER_TRAP",
      21,
      `${DECLARATION} migrate("auth", 1, 2, step); function step(): void { unreachable(); }`,
    ],
    [
      "takes another layout, whatever its stores",
      "UPG_HANDLER_LAYOUT",
      21,
      `plan("own", 100); addStore("auth"); migrate("auth", 4, 5);`,
    ],
    [
      "adds a store that is there",
      "UPG_STORE_UPGRADE",
      30,
      `plan("own", 1_000_000); addStore("auth"); migrate("auth", 1, 2);`,
    ],
    ["deletes a store that is not there", "UPG_STORE_UPGRADE", 30, `plan("own", 1_000_000); deleteStore("nowhere");`],
  ] as const) {
    test(`of a handler that ${what} → ${code}, exit ${exit}, nothing written`, async () => {
      const before = database();
      const file = written("own.wasm", (await compileSource(`${IMPORTS}\n${source}`)).bytes);
      const ended = run(file);
      expect([ended.exit, ended.answer()["code"]]).toEqual([exit, code]);
      expect(ended.answer()).toMatchObject({ ok: false, writes: {}, app_hash: null });
      expect(database()).toBe(before);
    });
  }

  test("of a file that nodes refuse → its code, exit 21; of no file → UPG_INVALID_ARGUMENT, exit 2", () => {
    expect(run(written("bad.wasm", Buffer.from("bad"))).answer()["code"]).toBe("UPG_HANDLER_FORMAT");
    const none = run(at("nowhere"));
    expect([none.exit, none.answer()["code"]]).toEqual([2, "UPG_INVALID_ARGUMENT"]);
  });

  test("for people, of a handler that fails → one line on stderr after the gas, nothing on stdout", async () => {
    const { bytes } = await compileSource(`${IMPORTS}\n${DECLARATION} migrate("auth", 1, 2, () => fail(1, "no"));`);
    const { exit, stdout, stderr } = handler("run", written("no.wasm", bytes), "--state", home.path);
    expect([exit, stdout]).toEqual([20, ""]);
    expect(stderr).toMatch(/\ngas until it failed: \d+\nError: .*no.* \[UPG_MIGRATION_FAILED\]\n$/);
    const none = handler("run", at("nowhere"), "--state", home.path);
    expect([none.exit, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toBe(`Error: there is no file ${at("nowhere")} [UPG_INVALID_ARGUMENT]\n`);
  });
});

describe("chaind handler new, build, test, diff", () => {
  const project = at("project");
  beforeAll(() => {
    expect(handler("new", "project", "--plan", "my plan").exit).toBe(0);
    mkdirSync(join(project, "node_modules"));
    symlinkSync(ROOT, join(project, "node_modules/chain-upgrade"));
  });
  const inProject = (...args: readonly string[]) => handler(...args, "--project", "project", "--json");

  test("new → at most 8 files; into a folder that is not empty → exit 2, nothing overwritten", () => {
    const files = readdirSync(project, { recursive: true, withFileTypes: true });
    const own = files.filter((each) => each.isFile() && !each.parentPath.includes("node_modules"));
    expect(own.length).toBeLessThanOrEqual(8);
    const readme = readFileSync(join(project, "README.md"), "utf8");
    expect(handler("new", "project")).toMatchObject({ exit: 2 });
    expect(readFileSync(join(project, "README.md"), "utf8")).toBe(readme);
  });

  test("build, twice and in another folder → the same bytes; its lock names them; --locked agrees", () => {
    const { exit, answer } = inProject("build");
    expect(exit).toBe(0);
    const bytes = readFileSync(join(project, "build/handler.wasm"));
    const hash = toHex(sha256(bytes));
    expect(answer()).toMatchObject({ name: "my plan", sha256: hash, size: bytes.length, gas_limit: "20000000000" });
    expect(answer()["gas"]).toEqual({ "three-holders": expect.stringMatching(/^\d+$/) });
    const lock = JSON.parse(readFileSync(join(project, "handler.lock.json"), "utf8")) as Json;
    expect(lock).toMatchObject({ lock: 1, compiler: "assemblyscript 0.28.20", sha256: hash });
    cpSync(project, at("elsewhere"), { recursive: true, verbatimSymlinks: true });
    rmSync(join(folder, "elsewhere/build"), { recursive: true });
    expect(handler("build", "--project", "elsewhere", "--locked").exit).toBe(0);
    expect(readFileSync(at("elsewhere/build/handler.wasm")).equals(bytes)).toBe(true);
  });

  test("test of the built handler → exit 0; node --test of the project → green", () => {
    const { exit, answer } = inProject("test");
    expect([exit, answer()["ok"]]).toEqual([0, true]);
    const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: project, encoding: "utf8" });
    expect(status, stdout).toBe(0);
  });

  test("a changed source → build --locked refuses with UPG_HANDLER_HASH (21) and writes nothing; diff shows what changed", () => {
    const entry = join(project, "assembly/index.ts");
    const old = join(folder, "old.wasm");
    cpSync(join(project, "build/handler.wasm"), old);
    writeFileSync(entry, readFileSync(entry, "utf8").replace("20_000_000_000", "30_000_000_000"));
    const refused = inProject("build", "--locked");
    expect(refused.exit).toBe(21);
    expect(refused.stderr).toContain("assembly/index.ts changed");
    expect(readFileSync(join(project, "build/handler.wasm")).equals(readFileSync(old))).toBe(true);
    expect(inProject("build").exit).toBe(0);
    const { exit, answer } = inProject("diff", old, join(project, "build/handler.wasm"));
    expect(exit).toBe(0);
    const difference = answer();
    expect(difference).toMatchObject({ same: false, functions: [], imports: { added: [], removed: [] } });
    expect(difference["manifest"]).toEqual([{ path: "$.gasLimit", a: "20000000000", b: "30000000000" }]);
    const [gas] = difference["gas"] as Json[];
    expect(gas).toMatchObject({ fixture: "three-holders", a: expect.stringMatching(/^\d+$/) });
    expect(inProject("diff", old, old).answer()).toMatchObject({ same: true, manifest: [], functions: [] });
  });

  test("a source that does not compile → exit 2, the compiler's words on stderr, the old build stays", () => {
    const entry = join(project, "assembly/index.ts");
    const good = readFileSync(entry, "utf8");
    const before = readFileSync(join(project, "build/handler.wasm"));
    writeFileSync(entry, `${good}\nlet wrong: Nothing = 1;\nwrong = 2;`);
    const { exit, stderr } = inProject("build");
    writeFileSync(entry, good);
    expect(exit).toBe(2);
    expect(stderr).toContain("Cannot find name 'Nothing'");
    expect(readFileSync(join(project, "build/handler.wasm")).equals(before)).toBe(true);
  });

  test("a fixture that expects something else → exit 20; one that is no scene → exit 2 with the place in it", () => {
    writeFileSync(at("other.json"), JSON.stringify({ expect: { stores: { bank: [["0x03", "x"]] } } }));
    const { exit, answer } = inProject("test", "--fixture", at("other.json"));
    expect([exit, answer()["ok"]]).toEqual([20, false]);
    writeFileSync(at("wrong.json"), JSON.stringify({ stores: { bank: [["0x0", "x"]] } }));
    const wrong = inProject("test", "--fixture", at("wrong.json"));
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain("$.stores.bank[0]");
  });
});
