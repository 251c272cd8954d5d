import { spawn } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { HomeLock } from "../../../../host/node/home/home-lock.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const path = join(root, "data", "LOCK");
beforeEach(() => rmSync(join(root, "data"), { recursive: true, force: true }));

const locked = expect.objectContaining({ code: "UPG_STORE_LOCKED" });

/** Start times of processes come from /proc. */
const hasProc = existsSync("/proc/self/stat");
const onLinux = (title: string, run: () => unknown) =>
  test.skipIf(!hasProc)(hasProc ? title : `${title} (skipped: there is no /proc)`, async () => void (await run()));

/** A lock file as another process leaves it. */
function leave(content: string): void {
  HomeLock.acquire(path).release();
  writeFileSync(path, content);
}

describe("HomeLock.acquire()", () => {
  test("free → this process holds it; a second time UPG_STORE_LOCKED; after release free again", () => {
    const lock = HomeLock.acquire(path);
    expect(readFileSync(path, "utf8")).toContain(String(process.pid));
    expect(() => HomeLock.acquire(path)).toThrow(locked);
    lock.release();
    expect(existsSync(path)).toBe(false);
    HomeLock.acquire(path).release();
    expect(readdirSync(join(root, "data"))).toEqual([]);
  });

  test("a folder that cannot be made, or written into → UPG_STORE_IO, naming the lock", () => {
    const file = join(root, "a-file");
    writeFileSync(file, "");
    const refused = expect.objectContaining({
      code: "UPG_STORE_IO",
      message: expect.stringContaining("cannot lock"),
    });
    expect(() => HomeLock.acquire(join(file, "data", "LOCK"))).toThrow(refused);
    expect(() => HomeLock.acquire(join(file, "LOCK"))).toThrow(refused);
  });

  onLinux("a link to another file under the lock's name → UPG_STORE_IO, and that file stays as it is", () => {
    const other = join(root, "precious");
    writeFileSync(other, "precious");
    HomeLock.acquire(path).release();
    symlinkSync(other, path);
    expect(() => HomeLock.acquire(path)).toThrow(
      expect.objectContaining({ code: "UPG_STORE_IO", message: expect.stringContaining(path) }),
    );
    expect(readFileSync(other, "utf8")).toBe("precious");
  });

  onLinux(
    "the lock file removed under a node that runs → UPG_STORE_LOCKED by the database, which says that it may be a node",
    () => {
      const database = join(root, "data", "chain.mdb");
      HomeLock.acquire(path).release();
      writeFileSync(database, "");
      const lock = HomeLock.acquire(path, database);
      rmSync(path);
      expect(() => HomeLock.acquire(path, database)).toThrow(
        expect.objectContaining({
          code: "UPG_STORE_LOCKED",
          message: expect.stringMatching(/chain\.mdb is locked.*stop the node/),
        }),
      );
      lock.release();
      HomeLock.acquire(path, database).release();
    },
  );

  onLinux("held by a process that runs → UPG_STORE_LOCKED with its id, and the file stays", async () => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000); console.log('up')"]);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
    const owner = `${child.pid} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}\n`;
    leave(owner);
    expect(() => HomeLock.acquire(path)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`process ${child.pid} `) }),
    );
    expect(readFileSync(path, "utf8")).toBe(owner);
    const gone = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await gone;
    HomeLock.acquire(path).release();
  });

  onLinux("held by a process that has ended and was not asked for its status yet → taken over", async () => {
    // The shell starts a child that outlives it, and becomes a program that never asks for it.
    const parent = spawn("/bin/sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"]);
    const pid = await new Promise<string>((resolve) =>
      parent.stdout.once("data", (text) => resolve(String(text).trim())),
    );
    try {
      const stat = await statOfZombie(pid);
      leave(`${pid} ${stat[19]}\n`);
      HomeLock.acquire(path).release();
    } finally {
      parent.kill("SIGKILL");
    }
  });

  onLinux("left by a node that was killed, while a command reads the home → taken once that ends", async () => {
    leave("4194304999 5\n");
    const reader = await readerOf(path, 300);
    HomeLock.acquire(path).release();
    expect(await reader.end).toBe(0);
    leave("4194304999 5\n");
    const other = await readerOf(path, 60_000);
    expect(() => HomeLock.acquire(path)).toThrow(
      expect.objectContaining({
        code: "UPG_STORE_LOCKED",
        message: expect.stringContaining(`process ${other.pid} has`),
      }),
    );
    other.kill();
    await other.end;
  });

  for (const [what, content] of [
    ["of a process id that is used again", `${process.pid} 1\n`],
    ["of a process that is gone", "4194304999 5\n"],
    ["that is empty", ""],
    ["that is no lock", "hello"],
    ["with a negative id", "-1 5\n"],
    ["of 40 GiB, nearly all of it a hole", undefined],
  ] as const) {
    test(`a file ${what} → taken over`, () => {
      leave(content ?? "");
      if (content === undefined) truncateSync(path, 40 * 2 ** 30);
      const lock = HomeLock.acquire(path);
      expect(readFileSync(path, "utf8")).toContain(String(process.pid));
      lock.release();
      expect(readdirSync(join(root, "data"))).toEqual([]);
    });
  }

  test("release() after somebody else took it → theirs stays", () => {
    const lock = HomeLock.acquire(path);
    writeFileSync(path, "1 1\n");
    lock.release();
    expect(readFileSync(path, "utf8")).toBe("1 1\n");
  });
});

/** A process that holds the file as a command does that reads the home. */
async function readerOf(file: string, millis: number) {
  const script =
    'const [file, millis] = process.argv.slice(1); const fd = require("node:fs").openSync(file, "r");' +
    'if (!require("fs-native-extensions").tryLock(fd, { shared: true })) process.exit(1);' +
    'console.log("locked"); setTimeout(() => process.exit(0), Number(millis));';
  const child = spawn(process.execPath, ["-e", script, file, String(millis)]);
  const end = new Promise<number | null>((resolve) => child.once("close", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return { pid: child.pid, end, kill: () => void child.kill("SIGKILL") };
}

async function statOfZombie(pid: string): Promise<string[]> {
  for (;;) {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return fields;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
