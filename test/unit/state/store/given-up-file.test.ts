/** What a block that fails after some of it was staged leaves in the file: pages that the next blocks use. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { LmdbFile } from "../../../../host/state/store/disk/lmdb-file.js";
import { walkLmdb } from "../../../../host/state/store/disk/lmdb-walk.js";
import { openStores, temporaryDirectory } from "./support.js";

const ATTEMPTS = 6;
const FAILED = new Error("the last write of the block fails");

test("stage() that fails again and again, the home opened again each time → the file grows once, and stays sound", () => {
  const path = join(temporaryDirectory(), "chain.mdb");
  const open = () => openStores(new LmdbDatabase(path), ["a", "last"], { stagedBytes: 100_000 });
  const fill = (stores: ReturnType<typeof open>) => {
    for (let i = 0; i < 8_000; i++) stores.store("a").set(utf8(`key ${i}`), new Uint8Array(200).fill(i));
  };
  const first = open();
  first.store("a").set(utf8("first"), utf8("value"));
  const { hash } = first.commit();
  first.close();
  const small = statSync(path).size;
  const sizes: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stores = open();
    expect(toHex(stores.lastCommitID.hash)).toBe(toHex(hash));
    fill(stores);
    const write = () => {
      throw FAILED;
    };
    expect(() => stores.stage({ last: { store: "last", write } })).toThrow(FAILED);
    stores.close();
    sizes.push(statSync(path).size);
  }
  const [once = 0] = sizes;
  expect(once).toBeGreaterThan(2 * small);
  // Sweeping what is given up takes some pages before it frees more.
  expect(Math.max(...sizes)).toBeLessThan(1.5 * once);
  const stores = open();
  fill(stores);
  expect(stores.commit().version).toBe(2n);
  stores.close();
  expect(statSync(path).size).toBeLessThan(1.5 * once);
  const file = new LmdbFile(path);
  walkLmdb(file, { longValues: true });
  file.close();
});
