/** `npm run build:executable`: the whole program in one file, taken through the upgrade without anything beside it. */
import { execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { DIST, NO_SERVERS, TestHome } from "./chaind.js";

vi.setConfig({ testTimeout: 180_000 });

const REPOSITORY = join(import.meta.dirname, "../..");
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-executable-"));
const chaind = join(root, "alone/chaind");
const cache = join(root, "cache");
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  const script = join(REPOSITORY, "scripts/executable.mjs");
  await promisify(execFile)(process.execPath, [script, "--out", join(root, "built")], { cwd: REPOSITORY });
  mkdirSync(join(root, "alone"));
  cpSync(join(root, "built/chaind"), chaind);
}, 120_000);

/** Without Node.js on PATH, in a folder that has no packages. */
function call(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(chaind, [...args], {
    cwd: join(root, "alone"),
    timeout: 60_000,
    encoding: "utf8",
    env: { PATH: "/nowhere", HOME: root, XDG_CACHE_HOME: cache, ...env },
  });
  return { exit: status, stdout, stderr };
}

test("keys, init, the halt, pre-upgrade, the upgrade, handler check and run, verify → as by the program in files", () => {
  expect(call(["keys", "add", "alice", "--keyring-backend", "test", "--home", join(root, "new")]).exit).toBe(0);
  expect(call(["init", "node", "--home", join(root, "new")]).exit).toBe(0);
  const [alone, beside] = [0, 1].map(() => new TestHome().schedule({ name: "v2", height: 4n }, 3n));
  if (!alone || !beside) throw new Error("two homes");
  const start = ["start", "--home", alone.path, ...NO_SERVERS, "--logical-clock", "--block-time", "1s"];
  const old = call([...start, "--app-version", "1"]);
  expect([old.exit, old.stderr]).toEqual([10, expect.stringContaining('UPGRADE "v2" NEEDED at height: 4')]);
  expect(call(["pre-upgrade"], { DAEMON_HOME: alone.path }).exit).toBe(0);
  const next = call([...start, "--max-blocks", "2"]);
  expect([next.exit, next.stderr]).toEqual([0, expect.stringContaining("upgrade applied")]);
  const handler = join(DIST, "handlers/split-balances.wasm");
  expect(call(["handler", "check", handler]).exit).toBe(0);
  const run = call(["handler", "run", handler, "--state", beside.path, "-o", "json"]);
  expect([run.exit, JSON.parse(run.stdout)]).toEqual([0, expect.objectContaining({ ok: true })]);
  expect(call(["verify", "--home", alone.path]).exit).toBe(0);
  expect(alone.last.height).toBe("5");
});

test("demo, handler new, handler build → one error that says where they run; help of the executable does not list them", () => {
  for (const args of [["demo"], ["handler", "new", "h"], ["handler", "build", "--locked"]]) {
    const { exit, stdout, stderr } = call(args);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      new RegExp(`^Error: .*then run .npx chaind ${args.slice(0, 2).join(" ")}. \\[UPG_INVALID_CONFIG\\]\n$`),
    );
  }
  expect(call(["--help"]).stdout).not.toContain("demo");
  expect(call(["handler", "--help"]).stdout).not.toMatch(/^ {2}(new|build) /m);
  expect(call(["handler", "test"]).stderr).not.toContain("handler build");
});

test("without HOME and XDG_CACHE_HOME, as a user without a name → it runs, with the temporary folder", () => {
  const env = { PATH: "/nowhere", TMPDIR: root };
  const nobody = process.getuid?.() === 0 ? { uid: 54_321, gid: 54_321 } : {};
  const place = join(root, `chain-upgrade-${nobody.uid ?? process.getuid?.()}`);
  mkdirSync(place, { mode: 0o700 });
  if (nobody.uid !== undefined) chownSync(place, nobody.uid, nobody.gid);
  chmodSync(root, 0o755);
  const { status, stdout, stderr } = spawnSync(chaind, ["version"], { ...nobody, cwd: "/", env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^\d+\./);
});

test("--out of a folder with other files → refused, and they stay", () => {
  const folder = join(root, "mine");
  mkdirSync(folder);
  writeFileSync(join(folder, "letter.txt"), "dear");
  const script = join(REPOSITORY, "scripts/executable.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, "--out", folder], {
    cwd: REPOSITORY,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining("other files in it, such as letter.txt")]);
  expect(readdirSync(folder)).toEqual(["letter.txt"]);
});

test("its cache is damaged, or cannot be written to → made again, or a folder of this user; other users' is not loaded", () => {
  const [folder = ""] = readdirSync(join(cache, "chain-upgrade"));
  const native = join(cache, "chain-upgrade", folder, "node_modules/lmdb/native.node");
  const { size } = statSync(native);
  writeFileSync(native, "no library");
  const verify = ["verify", "--home", new TestHome().schedule({ name: "v2", height: 4n }, 1n).path];
  expect(call(verify).exit).toBe(0);
  expect(statSync(native).size).toBe(size);
  const temporary = join(root, "temporary");
  mkdirSync(temporary);
  const nowhere = { XDG_CACHE_HOME: "/proc/none", TMPDIR: temporary };
  expect(call(verify, nowhere).exit).toBe(0);
  const own = `chain-upgrade-${process.getuid?.()}`;
  expect(readdirSync(temporary)).toEqual([own]);
  rmSync(join(temporary, own), { recursive: true });
  mkdirSync(join(temporary, own), { mode: 0o777 });
  spawnSync("chmod", ["777", join(temporary, own)]);
  const refused = call(verify, nowhere);
  expect([refused.exit, refused.stderr]).toEqual([30, expect.stringContaining("set XDG_CACHE_HOME to a folder")]);
  expect(existsSync(join(temporary, own, folder))).toBe(false);
});
