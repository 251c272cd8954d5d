import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, expect, test } from "vitest";
import { makeLmdbFile, makeLmdbLockFile } from "../../../../host/state/store/disk/lmdb-create.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-create-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const PAGE_BYTES = 4_096;

test("makeLmdbFile(), makeLmdbLockFile() → the bytes of LMDB's own new file, and its length", async () => {
  const [ours, theirs] = [join(root, "ours.mdb"), join(root, "theirs.mdb")];
  makeLmdbFile(ours, false);
  makeLmdbLockFile(`${ours}-lock`);
  const db = open({ path: theirs, noSubdir: true, pageSize: PAGE_BYTES });
  expect(Buffer.compare(readFileSync(ours), readFileSync(theirs))).toBe(0);
  expect(statSync(`${ours}-lock`).size).toBe(statSync(`${theirs}-lock`).size);
  await db.close();
});

test("makeLmdbFile() with a database there → it is left alone; with an empty file or half of one beside it → a new one", () => {
  const path = join(root, "there.mdb");
  writeFileSync(path, "not empty");
  makeLmdbFile(path, false);
  expect(readFileSync(path, "utf8")).toBe("not empty");
  writeFileSync(path, "");
  writeFileSync(`${path}.new`, "half");
  const database = new LmdbDatabase(path);
  database.transaction((batch) => batch.put(Uint8Array.of(1), Uint8Array.of(2)));
  database.close();
  const again = new LmdbDatabase(path);
  expect(again.get(Uint8Array.of(1))).toEqual(Uint8Array.of(2));
  again.close();
  expect(readdirSync(root).filter((name) => name.endsWith(".new"))).toEqual([]);
});
