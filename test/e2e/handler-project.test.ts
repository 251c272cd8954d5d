/** `chaind handler new`, `build`, `test` and `diff` as processes, on one project. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import type { GasProfile } from "../../host/upgrade/test-kit/gas/gas-profile.js";
import { at, handler, type Json, SPLIT_BALANCES, watchedHandler } from "./handler-line.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../..");

describe("chaind handler new, build, test, diff", () => {
  const project = at("project");
  beforeAll(async () => {
    expect((await handler("new", "project", "--plan", "my plan")).exit).toBe(0);
    mkdirSync(join(project, "node_modules"));
    symlinkSync(ROOT, join(project, "node_modules/chain-upgrade"));
  });
  const inProject = (...args: readonly string[]) => handler(...args, "--project", "project", "--json");

  test("new → at most 8 files; into a folder that is not empty → exit 2, nothing overwritten", async () => {
    const files = readdirSync(project, { recursive: true, withFileTypes: true });
    const own = files.filter((each) => each.isFile() && !each.parentPath.includes("node_modules"));
    expect(own.length).toBeLessThanOrEqual(8);
    const readme = readFileSync(join(project, "README.md"), "utf8");
    expect(await handler("new", "project")).toMatchObject({ exit: 2 });
    expect(readFileSync(join(project, "README.md"), "utf8")).toBe(readme);
  });

  test("new in a folder whose name has a space → the next line can be copied into a shell", async () => {
    expect((await handler("new", "a b")).stdout).toContain("next: cd 'a b'\n");
  });

  test("build, twice and in another folder → the same bytes; its lock names them; --locked agrees", async () => {
    const { exit, answer } = await inProject("build");
    expect(exit).toBe(0);
    const bytes = readFileSync(join(project, "build/handler.wasm"));
    const hash = toHex(sha256(bytes));
    expect(answer()).toMatchObject({ name: "my plan", sha256: hash, size: bytes.length, gas_limit: "20000000000" });
    expect(answer()["gas"]).toEqual({ "three-holders": expect.stringMatching(/^\d+$/) });
    const lock = JSON.parse(readFileSync(join(project, "handler.lock.json"), "utf8")) as Json;
    expect(lock).toMatchObject({ lock: 1, compiler: "assemblyscript 0.28.20", sha256: hash });
    cpSync(project, at("elsewhere"), { recursive: true, verbatimSymlinks: true });
    rmSync(at("elsewhere/build"), { recursive: true });
    expect((await handler("build", "--project", "elsewhere", "--locked")).exit).toBe(0);
    expect(readFileSync(at("elsewhere/build/handler.wasm")).equals(bytes)).toBe(true);
  });

  test("test of the built handler → exit 0; node --test of the project → green", async () => {
    const { exit, answer } = await inProject("test");
    expect([exit, answer()["ok"]]).toEqual([0, true]);
    const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: project, encoding: "utf8" });
    expect(status, stdout).toBe(0);
  });

  test("build → beside the handler a map of its functions and lines, which its hash names", () => {
    const map = JSON.parse(readFileSync(join(project, "build/handler.map.json"), "utf8")) as Json;
    const hash = toHex(sha256(readFileSync(join(project, "build/handler.wasm"))));
    expect(map).toMatchObject({ map: 1, handler: hash });
    expect(Object.values(map["functions"] as Json)).toContain("assembly/index/onBalance");
  });

  test("test of a scene that expects something else → each key with what was expected and what came, exit 20", async () => {
    const fixture = join(project, "fixtures/other.json");
    const pairs = Array.from({ length: 12 }, (_, i) => [`0x04${(i + 16).toString(16)}`, "absent"]);
    const stores = { bank: [[["0x0203", "bob", "stake"], "11"]] };
    writeFileSync(fixture, JSON.stringify({ stores, expect: { stores: { bank: [...stores.bank, ...pairs] } } }));
    const { exit, answer } = await inProject("test", "--fixture", fixture);
    expect(exit).toBe(20);
    // The answer is parsed JSON, and docs/openapi.json has no schema of it: the test states the member that it reads.
    const { checks } = answer() as unknown as { checks: { name: string; differences?: Json[] }[] };
    const differences = checks.find(({ name }) => name === 'store "bank"')?.differences;
    expect(differences).toHaveLength(13);
    expect(differences?.[0]).toEqual({ key: toHex(Buffer.from("\x03stake")), expected: null, got: "0000000000000001" });
    const { stdout } = await handler("test", "--fixture", fixture, "--project", "project");
    expect(stdout).toContain(
      `  FAILED  store "bank": 13 keys are not as the fixture expects
          key 0x037374616b65 (.stake)
            expected  nothing
            got       0x0000000000000001
          key 0x0410
            expected  0x616273656e74 (absent)
            got       nothing
`,
    );
    expect(stdout).toContain("          and 3 more keys: all of them with --json\n");
    rmSync(fixture);
  });

  test("test --gas → the gas of each place, of what it paid for, of each function by its name, which add up to the whole", async () => {
    const { exit, answer } = await inProject("test", "--gas");
    expect(exit).toBe(0);
    // Parsed JSON again; the test states these two members.
    const { gas, gas_profile } = answer() as unknown as { gas: string; gas_profile: GasProfile };
    const { phases, charges, functions, outside } = gas_profile;
    const own = [{ gas: outside }, ...functions.map((each) => ({ gas: each.own }))];
    for (const list of [phases, charges, own]) {
      expect(String(list.reduce((whole, each) => whole + BigInt(each.gas), 0n))).toBe(gas);
    }
    expect(functions[0]).toMatchObject({ function: "assembly/index/onBalance", source: "assembly/index.ts" });
    const { stdout } = await handler("test", "--gas", "--project", "project");
    expect(stdout).toMatch(/\n {2}gas by place\n +\d+ +\d+\.\d % {2}loading\n/);
    expect(stdout).toMatch(/\n {2}gas by what it paid for\n/);
    expect(stdout).toMatch(
      /\n {2}gas by function: .+\n +\d+ +\d+\.\d % +\d+ +\d+\.\d % {2}onBalance \(assembly\/index.ts:\d+\), 3 calls\n/,
    );
  });

  test("test after a source has changed → UPG_HANDLER_HASH, exit 21, the source by name; with FILE the old one is tested", async () => {
    const entry = join(project, "assembly/index.ts");
    const good = readFileSync(entry, "utf8");
    writeFileSync(entry, `${good}\nthis is no source`);
    const { exit, stderr } = await inProject("test");
    expect(exit).toBe(21);
    expect(stderr).toContain(
      "build/handler.wasm is not what the sources make: assembly/index.ts changed since it was built",
    );
    expect((await handler("test", "project/build/handler.wasm", "--project", "project")).exit).toBe(0);
    writeFileSync(entry, good);
    const wasm = join(project, "build/handler.wasm");
    const built = readFileSync(wasm);
    cpSync(SPLIT_BALANCES, wasm);
    expect(await inProject("test")).toMatchObject({ exit: 21, stderr: expect.stringContaining("handler.lock.json") });
    writeFileSync(wasm, built);
    expect((await inProject("test")).exit).toBe(0);
  });

  test("test --watch → tests at once, again after a source changes, says what does not compile; with FILE → exit 2", async () => {
    const entry = join(project, "assembly/index.ts");
    const good = readFileSync(entry, "utf8");
    const watching = watchedHandler("test", "--watch", "--project", "project");
    await watching.says("watching ", 1);
    expect(watching.said()).toContain("three-holders: ok");
    writeFileSync(entry, `${good}\nlet wrong: Nothing = 1;`);
    await watching.says("watching ", 2);
    expect(watching.said()).toContain("Cannot find name 'Nothing'");
    writeFileSync(
      entry,
      good.replace("denom.part(balance", 'log("a balance");\n  denom.part(balance').replace("Bytes,", "Bytes, log,"),
    );
    await watching.says("watching ", 3);
    expect(watching.said()).toContain("  log     info: a balance\n");
    writeFileSync(entry, good);
    await watching.says("watching ", 4);
    await watching.end();
    expect((await handler("test", "project/build/handler.wasm", "--watch")).exit).toBe(2);
  });

  test("a changed source → build --locked refuses with UPG_HANDLER_HASH (21) and writes nothing; diff shows what changed", async () => {
    const entry = join(project, "assembly/index.ts");
    const old = at("old.wasm");
    cpSync(join(project, "build/handler.wasm"), old);
    writeFileSync(entry, readFileSync(entry, "utf8").replace("20_000_000_000", "30_000_000_000"));
    const refused = await inProject("build", "--locked");
    expect(refused.exit).toBe(21);
    expect(refused.stderr).toContain("assembly/index.ts changed");
    expect(readFileSync(join(project, "build/handler.wasm")).equals(readFileSync(old))).toBe(true);
    expect((await inProject("build")).exit).toBe(0);
    const { exit, answer } = await inProject("diff", old, join(project, "build/handler.wasm"));
    expect(exit).toBe(0);
    const difference = answer();
    expect(difference).toMatchObject({ same: false, functions: [], imports: { added: [], removed: [] } });
    expect(difference["manifest"]).toEqual([{ path: "$.gasLimit", a: "20000000000", b: "30000000000" }]);
    const [gas] = difference["gas"] as Json[];
    expect(gas).toMatchObject({ fixture: "three-holders", a: expect.stringMatching(/^\d+$/) });
    expect((await inProject("diff", old, old)).answer()).toMatchObject({ same: true, manifest: [], functions: [] });
  });

  test("a source that does not compile → exit 2, the compiler's words on stderr, the old build stays", async () => {
    const entry = join(project, "assembly/index.ts");
    const good = readFileSync(entry, "utf8");
    const before = readFileSync(join(project, "build/handler.wasm"));
    writeFileSync(entry, `${good}\nlet wrong: Nothing = 1;\nwrong = 2;`);
    const { exit, stderr } = await inProject("build");
    writeFileSync(entry, good);
    expect(exit).toBe(2);
    expect(stderr).toContain("Cannot find name 'Nothing'");
    expect(readFileSync(join(project, "build/handler.wasm")).equals(before)).toBe(true);
  });

  test("a fixture that expects something else → exit 20; one that is no scene → exit 2 with the place in it", async () => {
    writeFileSync(at("other.json"), JSON.stringify({ expect: { stores: { bank: [["0x03", "x"]] } } }));
    const { exit, answer } = await inProject("test", "--fixture", at("other.json"));
    expect([exit, answer()["ok"]]).toEqual([20, false]);
    writeFileSync(at("wrong.json"), JSON.stringify({ stores: { bank: [["0x0", "x"]] } }));
    const wrong = await inProject("test", "--fixture", at("wrong.json"));
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain("$.stores.bank[0]");
  });
});
