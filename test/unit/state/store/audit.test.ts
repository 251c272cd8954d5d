/** What the check of a whole database makes of records that no commit points to. */
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { chunkKey } from "../../../../host/state/store/disk/keys.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { auditState } from "../../../../host/state/store/versions/audit.js";
import { openStores, sha256 } from "./support.js";

/** One version of one store, whose number is 1. */
function committed(): MemoryDatabase {
  const database = new MemoryDatabase();
  const stores = openStores(database, ["a"]);
  for (let i = 0; i < 100; i++) stores.store("a").set(utf8(`key ${i}`), new Uint8Array(50).fill(i));
  stores.commit();
  return database;
}

describe("auditState()", () => {
  test.each([
    ["after the last chunk of a store", 1, 1_000],
    ["of a store that does not exist yet", 9, 1],
  ])(
    "a chunk %s, as a commit that was cut off leaves it → counted, not read: a start sweeps it away",
    (_, store, number) => {
      const database = committed();
      const { chunks } = auditState(database, { sha256 });
      database.transaction((batch) => batch.put(chunkKey(store, number), utf8("cut off")));
      expect(auditState(database, { sha256 })).toMatchObject({ chunks: chunks + 1, versions: 1 });
    },
  );
});
