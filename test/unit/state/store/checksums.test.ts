/** Checksums of values in an LMDB file, seen with LMDB itself, which knows nothing of them. */
import { join } from "node:path";
import fc from "fast-check";
import { open } from "lmdb";
import { describe, expect, test } from "vitest";
import { compareBytes, utf8 } from "../../../../host/base/text/bytes.js";
import { ChecksumWriter, isSealed, unsealed } from "../../../../host/state/store/disk/lmdb-checksum.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { code, openStores, sha256, temporaryDirectory } from "./support.js";

/** Changes records of a closed database without its knowledge. */
async function behindItsBack(path: string, change: (db: ReturnType<typeof raw>) => void): Promise<void> {
  const db = raw(path);
  change(db);
  await db.close();
}

const raw = (path: string) =>
  open<Buffer, Buffer>({ path, noSubdir: true, encoding: "binary", keyEncoding: "binary", overlappingSync: false });

const buffer = (text: string) => Buffer.from(text);

function filled(): string {
  const path = join(temporaryDirectory(), "chain.mdb");
  const database = new LmdbDatabase(path);
  database.transaction((batch) => {
    for (const name of ["a", "b", "empty"]) batch.put(utf8(name), utf8(name === "empty" ? "" : `value of ${name}`));
  });
  database.close();
  return path;
}

describe("checksums", () => {
  test("sealed() then unsealed() → the value; any flipped bit of it, or another key → UPG_STORE_CORRUPT", () => {
    const writer = new ChecksumWriter();
    const bytes = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength });
    fc.assert(
      fc.property(bytes(40), fc.uint8Array({ maxLength: 300 }), fc.nat(), bytes(40), (key, value, at, other) => {
        const stored = new Uint8Array(writer.sealed(key, value));
        expect(compareBytes(unsealed(key, stored), value)).toBe(0);
        if (compareBytes(key, other) !== 0) expect(isSealed(other, stored)).toBe(false);
        const bit = at % (stored.length * 8);
        stored[bit >> 3] = (stored[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(() => unsealed(key, stored)).toThrow(code("UPG_STORE_CORRUPT"));
      }),
    );
  });

  test("get() of a value with a flipped bit, of a swapped value, of one cut short → UPG_STORE_CORRUPT", async () => {
    const changes: ((db: ReturnType<typeof raw>) => void)[] = [
      (db) => {
        const value = Buffer.from(db.getBinary(buffer("a")) as Buffer);
        value[3] = (value[3] as number) ^ 1;
        db.putSync(buffer("a"), value);
      },
      (db) => void db.putSync(buffer("a"), db.getBinary(buffer("b")) as Buffer),
      (db) => void db.putSync(buffer("a"), buffer("abc")),
      (db) => void db.putSync(buffer("a"), buffer("")),
    ];
    for (const change of changes) {
      const path = filled();
      await behindItsBack(path, change);
      const database = new LmdbDatabase(path);
      expect(() => database.get(utf8("a"))).toThrow(code("UPG_STORE_CORRUPT"));
      expect(() => database.get(utf8("a"))).toThrow("61");
      expect(database.get(utf8("b"))).toEqual(utf8("value of b"));
      expect(database.get(utf8("empty"))).toEqual(new Uint8Array());
      database.close();
    }
  });
});

describe("the format record", () => {
  const fresh = () => join(temporaryDirectory(), "chain.mdb");

  test("a database of format 1, without checksums → UPG_STORE_VERSION_MISMATCH that says what to do", async () => {
    const path = fresh();
    const record = Buffer.concat([Buffer.of(0x0a, 13), buffer("chain-upgrade"), Buffer.of(0x10, 1)]);
    await behindItsBack(path, (db) => void db.putSync(buffer("f"), record));
    const database = new LmdbDatabase(path);
    expect(() => new CommitMultiStore(database, { sha256 })).toThrow(code("UPG_STORE_VERSION_MISMATCH"));
    expect(() => new CommitMultiStore(database, { sha256 })).toThrow(/format 1.*chaind init --genesis/);
    database.close();
  });

  test("another program's database → UPG_STORE_VERSION_MISMATCH; ours without its format record → UPG_STORE_CORRUPT", async () => {
    const theirs = fresh();
    await behindItsBack(theirs, (db) => void db.putSync(buffer("config"), buffer("yes")));
    const stranger = new LmdbDatabase(theirs);
    expect(() => new CommitMultiStore(stranger, { sha256 })).toThrow(code("UPG_STORE_VERSION_MISMATCH"));
    stranger.close();
    const path = fresh();
    const multiStore = openStores(new LmdbDatabase(path), ["bank"]);
    multiStore.commit();
    multiStore.close();
    await behindItsBack(path, (db) => void db.removeSync(buffer("f")));
    const database = new LmdbDatabase(path);
    expect(() => new CommitMultiStore(database, { sha256 })).toThrow(code("UPG_STORE_CORRUPT"));
    database.close();
  });
});
