/** Another thread's view of the database: here both are in one thread, which is allowed to them too. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { LmdbReader } from "../../../../host/state/store/disk/lmdb-reader.js";
import { code, temporaryDirectory } from "./support.js";

const KEY = utf8("key");
const ALL = { start: Uint8Array.of(0), end: Uint8Array.of(0xff) };

/** A writer and a reader of one file; `commits` is what the writer counts. */
function both(isCounted: boolean) {
  const path = join(temporaryDirectory(), "chain.mdb");
  const writer = new LmdbDatabase(path);
  const count = { commits: 0 };
  const write = (value: string) => {
    writer.transaction((batch) => batch.put(KEY, utf8(value)));
    count.commits++;
  };
  write("first");
  const reader = isCounted ? new LmdbReader(path, () => count.commits) : new LmdbReader(path);
  const read = () => Buffer.from(reader.get(KEY) ?? []).toString();
  const close = () => {
    reader.close();
    writer.close();
  };
  return { path, reader, write, read, close };
}

describe.each([
  ["commits counted", true],
  ["commits not counted", false],
])("LmdbReader, %s", (_, isCounted) => {
  test("reads of one turn → one snapshot, whatever is committed in between", async () => {
    const { reader, write, read, close } = both(isCounted);
    expect(read()).toBe("first");
    const { snapshot } = reader;
    write("second");
    expect(read()).toBe("first");
    expect(reader.snapshot).toBe(snapshot);
    await turn();
    expect(read()).toBe("second");
    expect(reader.snapshot).toBeGreaterThan(snapshot);
    expect(reader.keys(ALL)).toEqual([KEY]);
    close();
  });

  test("each of 50 commits → seen in the next turn", async () => {
    const { write, read, close } = both(isCounted);
    for (let i = 0; i < 50; i++) {
      write(`value ${i}`);
      await turn();
      expect(read()).toBe(`value ${i}`);
    }
    close();
  });

  test("renew() in the middle of a turn → what is committed by then", () => {
    const { reader, write, read, close } = both(isCounted);
    expect(read()).toBe("first");
    write("second");
    reader.renew();
    expect(read()).toBe("second");
    close();
  });
});

test("LmdbReader, commits counted, nothing committed → the same snapshot in later turns", async () => {
  const { reader, close } = both(true);
  const { snapshot } = reader;
  for (let i = 0; i < 3; i++) await turn();
  expect(reader.snapshot).toBe(snapshot);
  close();
});

test("LmdbReader while its writer goes on → old pages are used again, the file does not grow by each commit", async () => {
  const { path, write, read, close } = both(true);
  const value = "v".repeat(100_000);
  for (let i = 0; i < 300; i++) {
    write(`${i} ${value}`);
    await turn();
    expect(read()).toHaveLength(`${i} ${value}`.length);
  }
  close();
  expect(readFileSync(path).length).toBeLessThan(20 * value.length);
});

test("get() of a value with a flipped bit → UPG_STORE_CORRUPT", () => {
  const { path, write, close } = both(false);
  write("a value that can be found in the file");
  close();
  const bytes = readFileSync(path);
  const at = bytes.indexOf("a value that can be found");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const reader = new LmdbReader(path);
  expect(() => reader.get(KEY)).toThrow(code("UPG_STORE_CORRUPT"));
  reader.close();
});

test("transaction() → UPG_BUG_ASSERT", () => {
  const { reader, close } = both(false);
  expect(() => reader.transaction()).toThrow(code("UPG_BUG_ASSERT"));
  close();
});
