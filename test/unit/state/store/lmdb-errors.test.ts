/** What a refusal of the disk is called. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { diskFailure } from "../../../../host/base/files/disk-errors.js";
import { FREE_BYTES_MIN, NEEDED_BYTES_MAX, TransactionRoom } from "../../../../host/state/store/disk/lmdb-room.js";

const BLOCK = 4_096n;
let free = 0n;
vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  statfsSync: () => ({ bavail: free, bsize: BLOCK }),
}));

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-disk-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const PATH = join(root, "chain.mdb");
const withCode = (code: unknown, message = "no") => Object.assign(new Error(message), { code });
const setFree = (bytes: number) => {
  free = BigInt(bytes) / BLOCK;
};

describe("diskFailure()", () => {
  test.each([28, 122, -30_792, "ENOSPC", "EDQUOT"])(
    "the system's %s → UPG_STORE_FULL, with path, room and what to do",
    (code) => {
      setFree(64 * 1_024);
      const error = diskFailure("write", "cannot write it", PATH, withCode(code));
      expect(error).toMatchObject({ code: "UPG_STORE_FULL", details: { path: PATH, free: "65536" } });
      expect(error.message).toContain("65536 bytes free");
      expect(error.message).toContain("make room");
    },
  );

  test("EIO of a write on a disk with 4 MiB less a block → UPG_STORE_FULL; with 4 MiB → UPG_STORE_IO", () => {
    setFree(4 * 1_024 * 1_024 - 4_096);
    expect(diskFailure("write", "x", PATH, withCode(5)).code).toBe("UPG_STORE_FULL");
    setFree(4 * 1_024 * 1_024);
    expect(diskFailure("write", "x", PATH, withCode(5)).code).toBe("UPG_STORE_IO");
  });

  test("EIO of a read on a full disk → UPG_STORE_IO", () => {
    setFree(0);
    expect(diskFailure("read", "x", PATH, withCode(5)).code).toBe("UPG_STORE_IO");
  });

  test("what LMDB says of the write it could not make is left out: half of it is not set", () => {
    setFree(0);
    const text =
      "Input/output error: Attempting to write page at position 24576, size 4096, blocks 1, buffer sizes 1 2 3";
    expect(diskFailure("write", "x", PATH, withCode(5, text)).message).not.toContain("buffer sizes");
  });

  test.each([
    ["EACCES", "chown -R"],
    ["EPERM", "chown -R"],
    ["EROFS", "mounted read-only"],
  ])("%s → UPG_STORE_IO, and what to do", (code, remedy) => {
    setFree(64 * 1_024);
    const error = diskFailure("write", "cannot lock it", PATH, withCode(code));
    expect(error.code).toBe("UPG_STORE_IO");
    expect(error.message).toContain(remedy);
  });

  test("damage → UPG_STORE_CORRUPT", () => {
    expect(diskFailure("read", "x", PATH, new Error("MDB_CORRUPTED: page")).code).toBe("UPG_STORE_CORRUPT");
  });
});

describe("TransactionRoom", () => {
  const require = (bytes: number, freeBytes: number) => {
    const room = new TransactionRoom(PATH);
    setFree(freeBytes);
    room.begin();
    room.add(bytes);
    return () => room.require();
  };

  test("as much free as is left and written → passes; a block less → UPG_STORE_FULL", () => {
    expect(require(8_192, FREE_BYTES_MIN + 8_192)).not.toThrow();
    expect(require(8_192, FREE_BYTES_MIN + 4_096)).toThrow(/UPG_STORE_FULL|bytes free/);
    expect(require(0, FREE_BYTES_MIN - 4_096)).toThrow(/make room/);
  });

  test("a large transaction needs no more than the most", () => {
    expect(require(10 * NEEDED_BYTES_MAX, FREE_BYTES_MIN + NEEDED_BYTES_MAX)).not.toThrow();
    expect(require(10 * NEEDED_BYTES_MAX, FREE_BYTES_MIN + NEEDED_BYTES_MAX - 4_096)).toThrow(/make room/);
  });

  test("begin() → counts from nothing", () => {
    const room = new TransactionRoom(PATH);
    setFree(FREE_BYTES_MIN);
    room.add(8_192);
    room.begin();
    expect(() => room.require()).not.toThrow();
  });
});
