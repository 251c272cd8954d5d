/** Processes in different pid namespaces, as two containers are, cannot hold one home. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import { ReadHold } from "../../../../host/node/home/read-hold.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const NAMESPACE = ["--pid", "--fork", "--mount-proc"];
const canUnshare = spawnSync("unshare", [...NAMESPACE, "true"]).status === 0;
const program = resolve(`build/run/lock-${process.pid}.mjs`);
const [lock, database] = [join(root, "LOCK"), join(root, "chain.mdb")];
const locked = expect.objectContaining({ code: "UPG_STORE_LOCKED" });

beforeAll(async () => {
  const contents = `
    import { HomeLock } from "./host/node/home/home-lock.ts";
    try { HomeLock.acquire(process.argv[2]); console.log("held"); setTimeout(() => {}, 60000); }
    catch (error) { console.log(error.code); }`;
  const stdin = { contents, resolveDir: resolve("."), loader: "ts" as const };
  await build({ stdin, outfile: program, bundle: true, platform: "node", format: "esm", packages: "external" });
});
afterAll(() => rmSync(program, { force: true }));

test.runIf(canUnshare)("HomeLock.acquire() in another pid namespace while this one holds it → UPG_STORE_LOCKED", () => {
  const held = HomeLock.acquire(lock);
  const there = () =>
    execFileSync("unshare", [...NAMESPACE, process.execPath, program, lock])
      .toString()
      .trim();
  expect(there()).toBe("UPG_STORE_LOCKED");
  held.release();
});

test("HomeLock.acquire() after the holder was killed → held at once", async () => {
  const child = spawn(process.execPath, [program, lock]);
  await new Promise((done) => child.stdout.once("data", done));
  expect(() => HomeLock.acquire(lock)).toThrow(locked);
  const gone = new Promise((done) => child.once("close", done));
  child.kill("SIGKILL");
  await gone;
  HomeLock.acquire(lock).release();
});

test("HomeLock.acquire() while a command reads that ends soon → waits for it, and is held", async () => {
  writeFileSync(database, "");
  const contents = `
    import { ReadHold } from "./host/node/home/read-hold.ts";
    const [, , lock, database] = process.argv;
    const held = ReadHold.acquire(lock, database);
    console.log("held");
    setTimeout(() => held.release(), 400);`;
  const reader = resolve(`build/run/reader-${process.pid}.mjs`);
  const stdin = { contents, resolveDir: resolve("."), loader: "ts" as const };
  await build({ stdin, outfile: reader, bundle: true, platform: "node", format: "esm", packages: "external" });
  const child = spawn(process.execPath, [reader, lock, database]);
  const ended = new Promise((done) => child.once("close", done));
  await new Promise((done) => child.stdout.once("data", done));
  HomeLock.acquire(lock, database).release();
  await ended;
  rmSync(reader);
});

test("ReadHold.acquire() while a node holds the home → UPG_STORE_LOCKED; a node while a command reads → the same", () => {
  writeFileSync(database, "");
  const node = HomeLock.acquire(lock, database);
  expect(() => ReadHold.acquire(lock, database)).toThrow(locked);
  node.release();
  const [one, other] = [ReadHold.acquire(lock, database), ReadHold.acquire(lock, database)];
  expect(() => HomeLock.acquire(lock, database)).toThrow(locked);
  one.release();
  other.release();
  HomeLock.acquire(lock, database).release();
});
