/** Files that databases open are closed again: a node opens its own, and readers of its blocks, thousands of times. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { LmdbFileDatabase } from "../../../../host/state/store/disk/lmdb-file-database.js";
import { code, temporaryDirectory } from "./support.js";

const FILES = "/proc/self/fd";
const count = () => readdirSync(FILES).length;
const ROUNDS = 20;
/** A thread of this process may open one or the other meanwhile. */
const OTHERS = 5;

describe.skipIf(process.platform !== "linux")("files that are open (Linux lists them)", () => {
  const path = join(temporaryDirectory(), "state.lmdb");
  const filled = new LmdbDatabase(path);
  filled.transaction((batch) => batch.put(Uint8Array.of(1), Uint8Array.of(2)));
  filled.close();
  const damaged = join(temporaryDirectory(), "damaged.lmdb");
  writeFileSync(damaged, new Uint8Array(10_000).fill(3));

  test.each([
    ["LmdbDatabase", () => new LmdbDatabase(path).close()],
    ["LmdbDatabase to read only", () => new LmdbDatabase(path, { readOnly: true }).close()],
    ["LmdbFileDatabase", () => LmdbFileDatabase.open(path).close()],
    ["a damaged file", () => expect(() => new LmdbDatabase(damaged)).toThrow(code("UPG_STORE_CORRUPT"))],
  ])("%s opened and closed again → no more files than before", (_, openAndClose) => {
    openAndClose();
    const before = count();
    for (let round = 0; round < ROUNDS; round++) openAndClose();
    expect(count() - before).toBeLessThan(OTHERS);
  });
});
