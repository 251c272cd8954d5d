/** A home that could not be opened. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hasFileLocks } from "../../../../host/base/files/file-lock.js";
import { rollback } from "../../../../host/cli/offline/rollback.js";
import { logicalClock } from "../../../../host/node/embedded/clock.js";
import { openNode } from "../../../../host/node/open/open-node.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const PAGE_BYTES = 4_096;

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-open-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("openNode() that fails on a handler → the home is let go: opened again it works, and is locked while it is open", () => {
  const home = join(root, "home");
  makeHome(home, genesisText());
  const handlers = join(root, "handlers");
  const clock = logicalClock(1n);
  const open = (folder: string) =>
    openNode({ chain: exampleChain, home, clock, handlers: folder, log: () => undefined });
  const code = (wanted: string) => expect.objectContaining({ code: wanted });
  writeFileSync(handlers, "no folder");
  expect(() => open(handlers)).toThrow();
  const { node, close } = open(join(root, "none"));
  expect(() => open(join(root, "none"))).toThrow(code("UPG_STORE_LOCKED"));
  expect(node.nextHeight).toBe(1n);
  close();
  open(join(root, "none")).close();
});

test.runIf(hasFileLocks())(
  "openNode() beside a node that made the database and whose lock files were removed → UPG_STORE_LOCKED; after close() it opens",
  () => {
    const home = join(root, "unlocked");
    makeHome(home, genesisText());
    const options = { chain: exampleChain, home, clock: logicalClock(1n), handlers: join(root, "none") };
    const open = () => openNode({ ...options, log: () => undefined });
    const { node, close } = open();
    node.makeBlock();
    for (const name of ["LOCK", "chain.mdb-lock"]) rmSync(join(home, "data", name));
    expect(open).toThrow(expect.objectContaining({ code: "UPG_STORE_LOCKED" }));
    node.makeBlock();
    close();
    const again = open();
    expect(again.node.nextHeight).toBe(3n);
    again.close();
  },
);

test("openNode(), rollback() of a copy whose first pages are older than the others → UPG_STORE_CORRUPT, nothing written", () => {
  const home = join(root, "copied");
  makeHome(home, genesisText());
  const file = join(home, "data", "chain.mdb");
  const options = { chain: exampleChain, home, clock: logicalClock(1n), handlers: join(root, "none") };
  const makeBlocks = (count: number) => {
    const { node, close } = openNode({ ...options, log: () => undefined });
    for (let made = 0; made < count; made++) node.makeBlock();
    close();
  };
  // As `cp` or `rsync` make it while a node writes: both meta pages were read before all others.
  makeBlocks(2);
  const first = readFileSync(file).subarray(0, 2 * PAGE_BYTES);
  makeBlocks(30);
  const torn = Buffer.concat([first, readFileSync(file).subarray(first.length)]);
  writeFileSync(file, torn);
  const corrupt = expect.objectContaining({ code: "UPG_STORE_CORRUPT", message: expect.stringContaining("page") });
  expect(() => openNode({ ...options, log: () => undefined })).toThrow(corrupt);
  expect(() => rollback(home)).toThrow(corrupt);
  expect(readFileSync(file).equals(torn)).toBe(true);
});
