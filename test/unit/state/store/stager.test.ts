/** The thread that writes what a long commit stages. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import type { Batch } from "../../../../host/state/store/disk/database.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { databaseSuite } from "../../../suite/database.js";
import { code, copyOf, dumpOf, openStores, temporaryDirectory } from "./support.js";

/** All that is durable later goes through the thread. */
class Staging extends LmdbDatabase {
  protected override get stagedHere(): number {
    return 0;
  }
}

/** And all transactions are durable later. */
class Later extends Staging {
  override transaction(changes: (batch: Batch) => void): void {
    super.transaction(changes, { isDurableLater: true });
  }
}

databaseSuite("LmdbDatabase, each transaction by its thread", () => {
  const path = join(temporaryDirectory(), "state.lmdb");
  return { open: () => new Later(path) };
});

const ALL = { start: Uint8Array.of(0), end: Uint8Array.of(0xff) };
const file = () => join(temporaryDirectory(), "state.lmdb");

describe("LmdbDatabase.transaction() that is durable later, by the thread", () => {
  test("a batch that is too long for it → written in this thread, the next one by the other again", () => {
    const database = new Later(file());
    const put = (key: string, bytes: number) =>
      database.transaction((batch) => batch.put(utf8(key), new Uint8Array(bytes)));
    put("short", 10);
    put("long", 6 * 1_048_576);
    put("short again", 10);
    expect(database.get(utf8("long"))?.length).toBe(6 * 1_048_576);
    expect(database.keys(ALL).map((key) => Buffer.from(key).toString())).toEqual(["long", "short", "short again"]);
    database.close();
  });

  test("a range whose last key is another one's → UPG_STORE_LOCKED from the next call, nothing of the batch is there", () => {
    const database = new Staging(file());
    database.transaction((batch) => batch.put(Uint8Array.of(7), utf8("version")));
    const range = { start: Uint8Array.of(1), end: Uint8Array.of(9) };
    const stage = (last: Uint8Array | undefined) =>
      database.transaction((batch) => batch.put(Uint8Array.of(20), utf8("chunk")), {
        isDurableLater: true,
        expected: { ...range, last },
      });
    for (const last of [undefined, Uint8Array.of(6), Uint8Array.of(7, 0)]) {
      stage(last);
      expect(() => database.keys(ALL)).toThrow(code("UPG_STORE_LOCKED"));
      expect(database.keys(ALL)).toEqual([Uint8Array.of(7)]);
    }
    stage(Uint8Array.of(7));
    expect(database.keys(ALL).length).toBe(2);
    database.close();
  });

  test("`changes` throws → its error, nothing of it is there, also after the next batch", () => {
    const database = new Later(file());
    expect(() =>
      database.transaction((batch) => {
        batch.put(utf8("half"), utf8("1"));
        throw new Error("given up");
      }),
    ).toThrow("given up");
    database.transaction((batch) => batch.put(utf8("whole"), utf8("1")));
    expect(database.get(utf8("half"))).toBeUndefined();
    expect(database.get(utf8("whole"))).toEqual(utf8("1"));
    database.close();
  });

  test("commits that stage hundreds of batches → the bytes and the app hash of those that stage none", () => {
    const write = (database: LmdbDatabase, stagedBytes: number) => {
      const stores = openStores(database, ["a", "b"], { stagedBytes, versionsKept: 2 });
      const hashes: Uint8Array[] = [];
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < 2_000; i++) {
          if ((i + round) % 5 === 0) stores.store("a").delete(utf8(`key ${i}`));
          else stores.store(i % 2 ? "a" : "b").set(utf8(`key ${i}`), new Uint8Array(60 + (i % 40)).fill(i + round));
        }
        hashes.push(stores.commit().hash);
      }
      const dump = dumpOf(copyOf(database));
      database.close();
      return { hashes, dump };
    };
    expect(write(new Staging(file()), 3_000)).toEqual(write(new LmdbDatabase(file()), 100_000_000));
  });
});
