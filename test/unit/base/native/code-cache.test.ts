/** The code cache: used when it is sound and the user's own, and no problem with it is an error. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cacheFolder } from "../../../../host/base/native/code-cache.js";

const SCRIPT = `(() => { const many = [${"(a) => a + 1, ".repeat(50)}]; return many.reduce((sum, add) => add(sum), 0); })()`;
let root: string;
let script: string;
let program: string;
let round = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "chain-upgrade-cache-"));
  script = join(root, "script.cjs");
  program = join(root, "program.mjs");
  writeFileSync(script, SCRIPT);
  const contents = `
    import { runScript } from "./host/base/native/code-cache.ts";
    console.log(runScript(process.argv[2]));`;
  const stdin = { contents, resolveDir: join(import.meta.dirname, "../../../..") };
  buildSync({ stdin, bundle: true, format: "esm", platform: "node", outfile: program, logLevel: "error" });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A new cache folder, and what is in its part for this package. */
function newCache() {
  const parent = join(root, `cache-${++round}`);
  mkdirSync(parent, { mode: 0o700 });
  const folder = join(parent, "chain-upgrade");
  const files = () => readdirSync(folder).map((name) => join(folder, name));
  return { parent, folder, files };
}

function run(parent: string, env: Record<string, string> = {}, file = script) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, file], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], XDG_CACHE_HOME: parent, ...env },
  });
  return { stdout, stderr, status };
}
const WORKS = { stdout: "50\n", stderr: "", status: 0 };

describe.skipIf(process.platform === "win32")("a script with V8's code cache", () => {
  test("first run → the cache is written, for this user alone; a second run leaves it as it is", () => {
    const { parent, folder, files } = newCache();
    expect(run(parent)).toEqual(WORKS);
    const [file = "", ...others] = files();
    expect(others).toEqual([]);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    const { ino } = statSync(file);
    expect(run(parent)).toEqual(WORKS);
    expect(files().map((each) => statSync(each).ino)).toEqual([ino]);
  });

  test.each<readonly [string, (file: string) => void]>([
    ["one flipped bit", (file) => flip(file)],
    ["cut short", (file) => writeFileSync(file, readFileSync(file).subarray(0, 100))],
    ["empty", (file) => writeFileSync(file, "")],
    ["open to a group", (file) => chmodSync(file, 0o620)],
    ["a link", (file) => link(file)],
  ])("a cache that is %s → not loaded, and written again", (_, damage) => {
    const { parent, files } = newCache();
    run(parent);
    const [file = ""] = files();
    const sound = readFileSync(file).length;
    damage(file);
    const { ino } = statSync(file);
    expect(run(parent)).toEqual(WORKS);
    expect(files()).toEqual([file]);
    expect(statSync(file).ino).not.toBe(ino);
    expect(readFileSync(file).length).toBeGreaterThan(sound / 2);
  });

  test("a folder that others may write to, or a parent of it → no cache is written", () => {
    const { parent, folder } = newCache();
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    expect(run(parent)).toEqual(WORKS);
    expect(readdirSync(folder)).toEqual([]);
    chmodSync(folder, 0o700);
    chmodSync(parent, 0o777);
    expect(run(parent)).toEqual(WORKS);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)("root with another user's HOME → no folder there (needs root)", () => {
    const home = join(root, "other");
    mkdirSync(home);
    chownSync(home, 65_534, 65_534);
    expect(run("", { HOME: home })).toEqual(WORKS);
    expect(readdirSync(home)).toEqual([]);
  });

  test("the same script at another place → a cache of its own, since stacks have the path", () => {
    const { parent, files } = newCache();
    run(parent);
    const before = files().length;
    const other = join(root, "other.cjs");
    writeFileSync(other, SCRIPT);
    run(parent, {}, other);
    expect([before, files().length]).toEqual([1, 2]);
  });

  test("no folder to write to, a file in its place, no HOME → the script runs", () => {
    expect(run("/proc/none")).toEqual(WORKS);
    expect(run(program)).toEqual(WORKS);
    expect(run("", { HOME: "/nonexistent" })).toEqual(WORKS);
    expect(run("relative")).toEqual(WORKS);
  });

  test("switched off, or under a coverage tool → nothing is written", () => {
    const { parent } = newCache();
    expect(run(parent, { CHAIN_UPGRADE_CODE_CACHE: "off" })).toEqual(WORKS);
    expect(run(parent, { NODE_V8_COVERAGE: join(root, "coverage") })).toEqual(WORKS);
    expect(readdirSync(parent)).toEqual([]);
  });

  test("a new cache → of many in the folder the newest stay", () => {
    const { parent, folder, files } = newCache();
    run(parent);
    const [own = ""] = files();
    for (let at = 0; at < 9; at++) {
      const old = join(folder, `${at}`.repeat(32).concat(".code"));
      writeFileSync(old, "old");
      utimesSync(old, at, at);
    }
    flip(own);
    expect(run(parent)).toEqual(WORKS);
    expect(files().length).toBe(8);
    expect(files()).toContain(own);
  });

  test("where the folder is: XDG_CACHE_HOME, else that of the platform, none on Windows", () => {
    expect(cacheFolder({ XDG_CACHE_HOME: "/c" }, "linux")).toBe("/c/chain-upgrade");
    expect(cacheFolder({ HOME: "/h" }, "linux")).toBe("/h/.cache/chain-upgrade");
    expect(cacheFolder({ HOME: "/h" }, "darwin")).toBe("/h/Library/Caches/chain-upgrade");
    expect(cacheFolder({ HOME: "h" }, "linux")).toBeUndefined();
    expect(cacheFolder({ HOME: "/h" }, "win32")).toBeUndefined();
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  rmSync(file);
  writeFileSync(file, bytes, { mode: 0o600 });
}

function link(file: string): void {
  writeFileSync(join(root, "elsewhere"), readFileSync(file), { mode: 0o600 });
  rmSync(file);
  symlinkSync(join(root, "elsewhere"), file);
}
