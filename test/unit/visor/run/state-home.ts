/** Commands of chainvisor on a home whose state a test has prepared, with programs that print one line for `pre-upgrade`. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { DIST, type TestHome } from "../../../e2e/chaind.js";

const NAME = "dummyd";

export function program(home: TestHome, folder: string, says: string): string {
  const file = join(home.path, "cosmovisor", folder, "bin", NAME);
  mkdirSync(dirname(file), { recursive: true });
  // Programs of one test differ: a copy of the program that runs is no upgrade.
  const source = `#!${process.execPath}\n// ${folder}\nif (process.argv[2] === "pre-upgrade") console.log(${JSON.stringify(says)});\n`;
  writeFileSync(file, source);
  chmodSync(file, 0o755);
  return file;
}

export function visor(home: TestHome, ...words: readonly string[]) {
  const args = [join(DIST, "chainvisor.js"), ...words, "--home", home.path, "--name", NAME, "-o", "json"];
  const env = { ...process.env, DAEMON_ALLOW_DOWNLOAD_BINARIES: "false", UNSAFE_SKIP_BACKUP: "true" };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 2) expect(stdout, stderr).not.toBe("");
  return { status, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}
