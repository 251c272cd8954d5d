/** docs/test-a-chain.md, executed: its file is put beside those of the example chain, and its commands run. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/test-a-chain.md"), "utf8");

mkdirSync(join(ROOT, "build/run"), { recursive: true });
/** Inside the repository, where the packages that the project needs are found. */
const project = mkdtempSync(join(ROOT, "build/run/test-a-chain-"));
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the commands of docs/test-a-chain.md → its tests pass", () => {
  cpSync(join(ROOT, "examples/notes-chain"), project, { recursive: true });
  mkdirSync(join(project, "node_modules"));
  symlinkSync(ROOT, join(project, "node_modules/chain-upgrade"));
  const [, path = "", text = ""] = /<!-- file: (\S+) -->\n```ts\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  writeFileSync(join(project, path), text);
  const [, commands = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("bash", ["-ec", commands], { cwd: project, env, encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^. pass 3$/m);
}, 120_000);
