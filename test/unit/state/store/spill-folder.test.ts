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
import { utf8 } from "../../../../host/base/text/bytes.js";
import { CacheKVStore } from "../../../../host/state/branch/kv/cache-kv.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { SpillSpace } from "../../../../host/state/branch/spill/spill-space.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { SpillFolder, type SpillLimits } from "../../../../host/state/store/disk/lmdb-spill.js";
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
  const COUNT = 20_000;
  const WRITTEN = COUNT * (9 + 90 + 8);
  const scattered = (i: number) => utf8(`k${(Math.imul(i, 0x9e37_79b1) >>> 0).toString(16)}`);

  /** Writes 100 runs of scattered keys; `each` is called after every write. `most`: the most files that there were. */
  function writeRuns(each: (branch: CacheKVStore, i: number) => void) {
    const { branch, folder, files } = spilling();
    let appended = 0;
    let most = 0;
    const grow = folder.grow.bind(folder);
    folder.grow = (bytes: number) => {
      appended += bytes;
      grow(bytes);
    };
    for (let i = 0; i < COUNT; i++) {
      branch.set(scattered(i), new Uint8Array(90));
      each(branch, i);
      if (i % 100 === 0) most = Math.max(most, files().length);
    }
    expect(WRITTEN / BRANCH_BYTES).toBeGreaterThan(100);
    return { branch, files, most, times: () => appended / WRITTEN };
  }

  test("100 runs of scattered keys, a read of each second key → few files all the time, each byte written a handful of times", () => {
    const { most, times } = writeRuns((branch, i) => {
      if (i % 2 === 0) branch.get(scattered(i >> 1));
    });
    expect(most).toBeLessThanOrEqual(10);
    expect(times()).toBeLessThan(8);
  });

  test("100 runs of scattered keys that nobody reads → a bounded number of files, each byte written hardly more than once; few at the first read", () => {
    const { branch, files, most, times } = writeRuns(() => undefined);
    expect(most).toBeLessThanOrEqual(33);
    expect(times()).toBeLessThan(3);
    for (let i = 0; i < COUNT; i += 7) expect(branch.get(scattered(i))?.length).toBe(90);
    expect(branch.get(utf8("k"))).toBeUndefined();
    expect(files().length).toBeLessThanOrEqual(5);
    expect(times()).toBeLessThan(4.5);
    branch.discard();
    expect(files().length).toBe(0);
  });

  test("a walk over runs that nobody has read → few files, all pairs", () => {
    const { branch, files } = writeRuns(() => undefined);
    const walk = branch.iterate();
    walk.next();
    expect(files().length).toBeLessThanOrEqual(5);
    expect(Array.from(walk).length).toBe(COUNT - 1);
  });

  test("ascending keys → one file, each byte written once", () => {
    const { branch, folder, files } = spilling();
    for (let i = 0; i < 5_000; i++) branch.set(utf8(`k${String(i).padStart(8, "0")}`), new Uint8Array(90));
    expect(files().length).toBe(1);
    expect(folder.bytesPeak).toBeLessThan(5_000 * 115);
  });
});
