/** `handler.lock.json`: written, and required of a build. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isMeteredByLock, makeLock, requireLock, writeLock } from "../../../../host/cli/author/lock.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-lock-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const path = join(root, "handler.lock.json");

const sources = new Map([
  ["assembly/index.ts", "aa"],
  ["assembly/more.ts", "bb"],
]);
const lock = makeLock("0.28.20", sources, { metered: true, sha256: "11", size: 10 });

test("requireLock() of the same bytes → passes; of others → UPG_HANDLER_HASH with all that changed, and nothing else", () => {
  writeLock(path, lock);
  requireLock(path, lock);
  requireLock(path, { ...lock, compiler: "assemblyscript 1" });
  const changed = new Map([
    ["assembly/index.ts", "aa"],
    ["assembly/more.ts", "cc"],
    ["assembly/new.ts", "dd"],
  ]);
  const other = makeLock("0.29.0", changed, { metered: false, sha256: "22", size: 10 });
  expect(() => requireLock(path, other)).toThrow(
    expect.objectContaining({
      code: "UPG_HANDLER_HASH",
      message:
        'built 22, the lock has 11: compiler was "assemblyscript 0.28.20", is "assemblyscript 0.29.0"; ' +
        "the metered module was in, is out; assembly/more.ts changed; assembly/new.ts changed",
      details: { built: "22", locked: "11" },
    }),
  );
  const same = { ...lock, sha256: "22" };
  expect(() => requireLock(path, same)).toThrow("the lock has 11: nothing that the lock names changed");
});

test("isMeteredByLock() → what the lock says; of a lock from before there was one → false", () => {
  writeLock(path, lock);
  expect(isMeteredByLock(path)).toBe(true);
  const { metered: _, ...older } = lock;
  writeLock(path, older);
  expect(isMeteredByLock(path)).toBe(false);
});

test.each([
  ["of another version", JSON.stringify({ ...lock, lock: 2 }), "it is not a lock of version 1"],
  ["without a hash", JSON.stringify({ ...lock, sha256: 11 }), "it is not a lock of version 1"],
  ["without sources", JSON.stringify({ ...lock, sources: "all" }), "it is not a lock of version 1"],
  ["that is no JSON", "{", "JSON"],
])("requireLock() of a lock %s → UPG_INVALID_CONFIG that names the file", (_, text, why) => {
  writeFileSync(path, text);
  const message = expect.stringMatching(
    new RegExp(`cannot read .*handler.lock.json: .*${why}.*build without --locked`),
  );
  expect(() => requireLock(path, lock)).toThrow(expect.objectContaining({ code: "UPG_INVALID_CONFIG", message }));
});
