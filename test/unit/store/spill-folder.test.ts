import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../host/bytes.js";
import { CacheKVStore } from "../../../host/store/cache-kv.js";
import { LmdbDatabase } from "../../../host/store/lmdb-database.js";
import { SpillFolder, type SpillLimits } from "../../../host/store/lmdb-spill.js";
import { MemoryKVStore } from "../../../host/store/memory-kv.js";
import { SpillSpace } from "../../../host/store/spill-space.js";
import { code, temporaryDirectory } from "./support.js";

const BRANCH_BYTES = 20_000;

function spilling(limits: SpillLimits = {}) {
  const folder = new SpillFolder(join(temporaryDirectory(), "spill"), { reserveBytes: 0, ...limits });
  const parent = new MemoryKVStore();
  parent.spill = new SpillSpace(folder, BRANCH_BYTES);
  const files = () => (existsSync(folder.path) ? readdirSync(folder.path).map((name) => join(folder.path, name)) : []);
  return { folder, branch: new CacheKVStore(parent), files };
}

const keyOf = (i: number) => utf8(`key ${String((i * 7_919) % 10_007).padStart(5, "0")}`);

function fill(branch: CacheKVStore, count: number, valueBytes: number): void {
  for (let i = 0; i < count; i++) branch.set(keyOf(i), new Uint8Array(valueBytes).fill(i));
}

describe("SpillFolder", () => {
  test("append() up to the cap → written; one byte past → UPG_STORE_FULL with both figures, and nothing more is held", () => {
    const { folder } = spilling({ bytesMax: 1_000 });
    const file = folder.create();
    file.append(new Uint8Array(1_000).fill(1));
    expect(() => file.append(new Uint8Array(1))).toThrow(
      expect.objectContaining({ code: "UPG_STORE_FULL", details: { used: "1000", limit: "1000" } }),
    );
    expect(file.read(998, 2)).toEqual(Uint8Array.of(1, 1));
    file.drop();
    expect(folder.bytes).toBe(0);
    folder.create().append(new Uint8Array(1_000));
    expect(folder.bytesPeak).toBe(1_000);
    folder.clear();
    expect(existsSync(folder.path)).toBe(false);
  });

  test("a disk with less free than the reserve → UPG_STORE_FULL", () => {
    const { folder } = spilling({ reserveBytes: 2 ** 52 });
    expect(() => folder.create().append(new Uint8Array(1))).toThrow(code("UPG_STORE_FULL"));
  });

  test("a folder that cannot be made → UPG_STORE_IO", () => {
    const path = join(temporaryDirectory(), "spill");
    writeFileSync(path, "");
    expect(() => new SpillFolder(path).create()).toThrow(code("UPG_STORE_IO"));
  });

  test("files that a process left behind → gone when the database is opened for writing, not when it is opened for reading", () => {
    const directory = temporaryDirectory();
    const path = join(directory, "chain.mdb");
    new LmdbDatabase(path).close();
    mkdirSync(join(directory, "spill"));
    writeFileSync(join(directory, "spill", "left"), "bytes");
    new LmdbDatabase(path, { readOnly: true }).close();
    expect(existsSync(join(directory, "spill", "left"))).toBe(true);
    new LmdbDatabase(path).close();
    expect(existsSync(join(directory, "spill"))).toBe(false);
  });
});

describe("a branch whose files are harmed while it is in use", () => {
  for (const [what, valueBytes] of [
    ["records", 300],
    ["values apart from their records", 6_000],
  ] as const) {
    test(`${what}: cut short → UPG_STORE_IO`, () => {
      const { branch, files } = spilling();
      fill(branch, 200, valueBytes);
      for (const file of files()) truncateSync(file, 10);
      expect(() => Array.from(branch.iterate())).toThrow(code("UPG_STORE_IO"));
    });

    test(`${what}: one byte changed → UPG_STORE_IO, never another value`, () => {
      const { branch, files } = spilling();
      fill(branch, 200, valueBytes);
      for (const file of files()) {
        const descriptor = openSync(file, "r+");
        writeSync(descriptor, Uint8Array.of(0xa5), 0, 1, 70);
        closeSync(descriptor);
      }
      expect(() => Array.from(branch.iterate())).toThrow(code("UPG_STORE_IO"));
    });
  }

  test("unlinked → read as before: the process holds them open", () => {
    const { branch, folder } = spilling();
    fill(branch, 200, 300);
    new SpillFolder(folder.path).clear();
    expect(Array.from(branch.iterate()).length).toBe(200);
    fill(branch, 400, 300);
    expect(Array.from(branch.iterate()).length).toBe(400);
  });

  test("the cap is reached in the middle → UPG_STORE_FULL; what was written before is still read", () => {
    const { branch } = spilling({ bytesMax: 30_000 });
    expect(() => fill(branch, 500, 300)).toThrow(code("UPG_STORE_FULL"));
    const read = Array.from(branch.iterate(), ([, value]) => value.length);
    expect(read.length).toBeGreaterThan(60);
    expect(new Set(read)).toEqual(new Set([300]));
  });
});

describe("how much is moved when runs are merged", () => {
  test("100 runs of scattered keys → few files, each byte written a handful of times", () => {
    const { branch, folder, files } = spilling();
    let appended = 0;
    const grow = folder.grow.bind(folder);
    folder.grow = (bytes: number) => {
      appended += bytes;
      grow(bytes);
    };
    const count = 20_000;
    for (let i = 0; i < count; i++)
      branch.set(utf8(`k${(Math.imul(i, 0x9e37_79b1) >>> 0).toString(16)}`), new Uint8Array(90));
    const written = count * (9 + 90 + 8);
    expect(written / BRANCH_BYTES).toBeGreaterThan(100);
    expect(files().length).toBeLessThanOrEqual(11);
    expect(appended / written).toBeLessThan(8);
  });

  test("ascending keys → one file, each byte written once", () => {
    const { branch, folder, files } = spilling();
    for (let i = 0; i < 5_000; i++) branch.set(utf8(`k${String(i).padStart(8, "0")}`), new Uint8Array(90));
    expect(files().length).toBe(1);
    expect(folder.bytesPeak).toBeLessThan(5_000 * 115);
  });
});
