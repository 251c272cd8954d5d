/** One version of a database that goes on: later versions are hidden, its snapshot is given back, its end is noticed. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { PinnedDatabase } from "../../../../host/cli/rehearsal/state/pinned-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { OverlayDatabase } from "../../../../host/state/store/disk/overlay-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { thrownBy } from "../../../thrown-by.js";

function chain(versionsKept = 100) {
  const database = new MemoryDatabase();
  const stores = new CommitMultiStore(database, { sha256, versionsKept });
  stores.mount("bank");
  stores.loadLatestVersion();
  const commit = () => {
    const next = Number(stores.nextVersion);
    for (let i = 0; i < 300; i++) stores.store("bank").set(Uint8Array.of(i >> 8, i & 255), Uint8Array.of(next));
    return stores.commit().hash;
  };
  return { database, commit };
}

describe("PinnedDatabase", () => {
  test("commits go on → the version of before is the last one here, and goes on in an overlay as if it were alone", () => {
    const live = chain();
    const hash = live.commit();
    const alone = chain();
    alone.commit();
    const pinned = new PinnedDatabase({ database: live.database, renew: () => undefined }, 1);
    for (let i = 0; i < 5; i++) live.commit();
    const stores = new CommitMultiStore(new OverlayDatabase(pinned, new MemoryDatabase()), { sha256 });
    expect(stores.lastCommitID).toEqual({ version: 1n, hash });
    stores.mount("bank");
    stores.loadLatestVersion();
    for (let i = 0; i < 300; i++) stores.store("bank").set(Uint8Array.of(i >> 8, i & 255), Uint8Array.of(2));
    expect(stores.commit().hash).toEqual(alone.commit());
  });

  test("reads over time → the snapshot is given back four times a second, and the longest hold is known", () => {
    const { database, commit } = chain();
    commit();
    let [now, renewed] = [0, 0];
    const pinned = new PinnedDatabase({ database, renew: () => renewed++ }, 1, () => now);
    for (let read = 0; read < 6_400; read++) {
      now += 1;
      pinned.get(Uint8Array.of(1));
    }
    expect(renewed).toBeGreaterThan(15);
    expect(renewed).toBeLessThan(27);
    expect(pinned.renewals).toBe(renewed);
    expect(pinned.heldMillisMax).toBeLessThan(400);
  });

  test("the node prunes the version → UPG_NOT_FOUND_VERSION with what helps; of a version that never was → the same code", () => {
    const { database, commit } = chain(1);
    commit();
    let now = 0;
    const pinned = new PinnedDatabase({ database, renew: () => undefined }, 1, () => now);
    for (let i = 0; i < 3; i++) commit();
    now = 1_000;
    const error = thrownBy(() => pinned.get(Uint8Array.of(1)));
    expect(error).toMatchObject({ code: "UPG_NOT_FOUND_VERSION", message: expect.stringContaining("--copy") });
    expect(thrownBy(() => new PinnedDatabase({ database, renew: () => undefined }, 99))).toMatchObject({
      code: "UPG_NOT_FOUND_VERSION",
    });
  });
});
