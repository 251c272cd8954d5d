/** A home that could not be opened. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { logicalClock } from "../../../host/engine/embedded/clock.js";
import { openNode } from "../../../host/engine/home/open-node.js";
import { makeHome } from "../../e2e/prepared-home.js";
import { exampleChain } from "../../example-chain.js";
import { genesisText } from "../../scenario/genesis-text.js";

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
