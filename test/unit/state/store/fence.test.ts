/** Two multistores over one database, as when a lock did not keep a second process out. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { rollbackLastVersion } from "../../../../host/state/store/versions/rollback.js";
import { code, keysOf, openStores, temporaryDirectory } from "./support.js";

const databases = {
  memory: () => new MemoryDatabase(),
  LMDB: () => new LmdbDatabase(join(temporaryDirectory(), "chain.mdb")),
};

describe.each(Object.entries(databases))("two writers, %s", (_, make) => {
  test("commit() after another one's commit → UPG_STORE_LOCKED, nothing of it is in the database", () => {
    const database = make();
    const first = openStores(database, ["bank"]);
    first.commit();
    const second = openStores(database, ["bank"]);
    first.store("bank").set(utf8("key"), utf8("first"));
    first.commit();
    const before = keysOf(database).map(String);
    second.store("bank").set(utf8("key"), utf8("second"));
    for (let i = 0; i < 2; i++) expect(() => second.commit()).toThrow(code("UPG_STORE_LOCKED"));
    expect(keysOf(database).map(String)).toEqual(before);
    first.store("bank").set(utf8("other"), utf8("first"));
    expect(first.commit().version).toBe(3n);
    expect(openStores(database, ["bank"]).store("bank").get(utf8("key"))).toEqual(utf8("first"));
    database.close();
  });

  test("a commit that is written early, after another one's commit → UPG_STORE_LOCKED, no chunk is overwritten", () => {
    const database = make();
    const first = openStores(database, ["bank"]);
    const second = openStores(database, ["bank"], { stagedBytes: 1_000 });
    const fill = (value: number) => (store: typeof first) => {
      for (let i = 0; i < 500; i++) store.store("bank").set(utf8(`key ${i}`), new Uint8Array(50).fill(value));
    };
    fill(1)(first);
    const { hash } = first.commit();
    fill(2)(second);
    expect(() => second.stage()).toThrow(code("UPG_STORE_LOCKED"));
    const again = openStores(database, ["bank"]);
    expect(again.lastCommitID.hash).toEqual(hash);
    for (let i = 0; i < 500; i++) expect(again.store("bank").get(utf8(`key ${i}`))?.[0]).toBe(1);
    database.close();
  });

  test("commit() after a rollback by another process → UPG_STORE_LOCKED", () => {
    const database = make();
    const store = openStores(database, ["bank"]);
    store.commit();
    store.commit();
    rollbackLastVersion(database);
    expect(() => store.commit()).toThrow(code("UPG_STORE_LOCKED"));
    database.close();
  });
});
