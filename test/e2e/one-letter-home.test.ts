/** Folders that are on disk once they are made. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DIST } from "./chaind.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-folders-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("init in a folder of one letter, relative to where it runs → made, and the command ends", () => {
  const args = [join(DIST, "chaind.js"), "init", "one", "--home", "a", "--chain-id", "demo-1"];
  execFileSync(process.execPath, args, { cwd: folder, stdio: "ignore", timeout: 60_000 });
  expect(existsSync(join(folder, "a", "config", "genesis.json"))).toBe(true);
});
