/** `chaind handler new`, `build`, `test` and `diff` as processes, on one project. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { toHex } from "../../host/bytes.js";
import { sha256 } from "../../host/native/sha256.js";
import { at, folder, handler, type Json } from "./handler-line.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../..");

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
