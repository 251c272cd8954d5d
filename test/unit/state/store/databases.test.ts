import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { ChunkWriter } from "../../../../host/state/commitment/chunk.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { databaseSuite } from "../../../suite/database.js";
import { code, temporaryDirectory } from "./support.js";

databaseSuite("MemoryDatabase", () => {
  const database = new MemoryDatabase();
  return { open: () => database };
});

databaseSuite("LmdbDatabase", () => {
  const path = join(temporaryDirectory(), "new folder", "state.lmdb");
  return { open: () => new LmdbDatabase(path) };
});

describe("LmdbDatabase", () => {
  const ALL = { start: Uint8Array.of(0), end: Uint8Array.of(0xff) };

  /** A database with a few hundred pages, closed. */
  function filled(): string {
    const path = join(temporaryDirectory(), "state.lmdb");
    const database = new LmdbDatabase(path);
    for (let round = 0; round < 3; round++) {
      database.transaction((batch) => {
        for (let i = 0; i < 300; i++) batch.put(utf8(`key ${i}`), new Uint8Array(1_000).fill(round));
      });
    }
    database.close();
    return path;
  }

  test("new LmdbDatabase() where no file can be → UPG_STORE_IO", () => {
    const directory = temporaryDirectory();
    const file = join(directory, "file");
    writeFileSync(file, "text");
    expect(() => new LmdbDatabase(join(file, "below a file"))).toThrow(code("UPG_STORE_IO"));
    mkdirSync(join(directory, "folder"));
    expect(() => new LmdbDatabase(join(directory, "folder"))).toThrow(code("UPG_STORE_IO"));
    expect(() => new LmdbDatabase("/proc/state.lmdb")).toThrow(code("UPG_STORE_IO"));
    expect(() => new LmdbDatabase(join(directory, "absent"), { readOnly: true })).toThrow(code("UPG_STORE_IO"));
  });

  test("new LmdbDatabase() with a folder or a link for LMDB's lock file → UPG_STORE_IO, what the link leads to is kept", () => {
    const path = join(temporaryDirectory(), "state.lmdb");
    const refused = expect.objectContaining({ code: "UPG_STORE_IO", message: expect.stringContaining(`${path}-lock`) });
    mkdirSync(`${path}-lock`);
    for (const readOnly of [true, false]) expect(() => new LmdbDatabase(path, { readOnly })).toThrow(refused);
    rmdirSync(`${path}-lock`);
    const other = join(temporaryDirectory(), "precious");
    symlinkSync(other, `${path}-lock`);
    expect(() => new LmdbDatabase(path)).toThrow(refused);
    expect(existsSync(other)).toBe(false);
    writeFileSync(other, "precious");
    expect(() => new LmdbDatabase(path)).toThrow(refused);
    expect(readFileSync(other, "utf8")).toBe("precious");
  });

  test("new LmdbDatabase() over an empty file → an empty database", () => {
    const path = join(temporaryDirectory(), "state.lmdb");
    writeFileSync(path, "");
    const database = new LmdbDatabase(path);
    expect(database.keys(ALL)).toEqual([]);
    database.close();
  });

  test("new LmdbDatabase() over a file that is none of LMDB's → UPG_STORE_CORRUPT that names it", () => {
    const path = join(temporaryDirectory(), "state.lmdb");
    for (const bytes of [1, 23, 24, 100, 4_096, 8_192, 100_000]) {
      for (const byte of [0, 0x41, 0xff]) {
        writeFileSync(path, new Uint8Array(bytes).fill(byte));
        expect(() => new LmdbDatabase(path)).toThrow(code("UPG_STORE_CORRUPT"));
        expect(() => new LmdbDatabase(path)).toThrow(path);
      }
    }
  });

  test("new LmdbDatabase() over a file with either head damaged, or cut short → UPG_STORE_CORRUPT", () => {
    const path = filled();
    const whole = readFileSync(path);
    const damaged = (at: number, byte: number) => {
      const bytes = Buffer.from(whole);
      bytes[at] = byte;
      return bytes;
    };
    const files = [
      damaged(18, 0),
      damaged(24, 0),
      damaged(28, 9),
      damaged(48, 3),
      damaged(4_096 + 18, 0),
      damaged(4_096 + 24, 0),
      ...[30, 4_096, 8_191, 8_192, 3 * 4_096].map((length) => whole.subarray(0, length)),
    ];
    for (const file of files) {
      writeFileSync(path, file);
      expect(() => new LmdbDatabase(path)).toThrow(code("UPG_STORE_CORRUPT"));
    }
    writeFileSync(path, whole);
    const database = new LmdbDatabase(path);
    expect(database.keys(ALL)).toHaveLength(300);
    database.close();
  });

  test("get() and keys() over damaged pages → UPG_STORE_CORRUPT", () => {
    const path = filled();
    const bytes = readFileSync(path);
    bytes.fill(0x41, 2 * 4_096);
    writeFileSync(path, bytes);
    const reads = [(db: LmdbDatabase) => db.get(utf8("key 5")), (db: LmdbDatabase) => db.keys(ALL)];
    for (const read of reads) {
      const database = new LmdbDatabase(path);
      expect(() => read(database)).toThrow(code("UPG_STORE_CORRUPT"));
      database.close();
    }
  });

  test("use after close() → UPG_STORE_IO", () => {
    const database = new LmdbDatabase(filled());
    database.close();
    expect(() => database.get(utf8("key 5"))).toThrow(code("UPG_STORE_IO"));
    expect(() => database.keys(ALL)).toThrow(code("UPG_STORE_IO"));
    expect(() => database.transaction((batch) => batch.put(utf8("a"), utf8("b")))).toThrow(code("UPG_STORE_IO"));
  });

  test("put() that LMDB refuses inside a transaction → UPG_STORE_IO, nothing changed", () => {
    const database = new LmdbDatabase(join(temporaryDirectory(), "state.lmdb"));
    const run = () =>
      database.transaction((batch) => {
        batch.put(utf8("a"), utf8("1"));
        batch.put(new Uint8Array(4_000), utf8("key too long for LMDB"));
      });
    expect(run).toThrow(code("UPG_STORE_IO"));
    expect(database.keys(ALL)).toEqual([]);
    database.close();
  });

  test("a read-only database → reads what another process writes, refuses writes", () => {
    const path = filled();
    const reader = new LmdbDatabase(path, { readOnly: true });
    expect(reader.keys(ALL)).toHaveLength(300);
    expect(() => reader.transaction((batch) => batch.put(utf8("a"), utf8("b")))).toThrow(code("UPG_STORE_IO"));
    reader.close();
  });

  test("a full chunk of small nodes takes four pages, not five", async () => {
    const writer = new ChunkWriter();
    while (!writer.isFull(100)) writer.add(100);
    const small = writer.finish(1).slice();
    while (!writer.isFull(1_000)) writer.add(1_000);
    for (const chunk of [small, writer.finish(1)]) {
      const path = join(temporaryDirectory(), "pages.lmdb");
      const database = open<Buffer, string>({ path, noSubdir: true, encoding: "binary" });
      database.putSync("chunk", Buffer.concat([chunk, new Uint8Array(4)])); // and a checksum
      expect(database.getStats()).toMatchObject({ overflowPages: 4, pageSize: 4_096 });
      await database.close();
      expect(statSync(path).size).toBeGreaterThan(16_384);
    }
  });
});
