/** `chaind handler …` as processes of a test, in a folder of its own. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { DIST } from "./chaind.js";

const CHAIND = join(DIST, "chaind.js");
export const SPLIT_BALANCES = join(DIST, "handlers/split-balances.wasm");

export type Json = Readonly<Record<string, unknown>>;

/** Where the commands run; removed after the tests of a file. */
export const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-handler-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
export const at = (name: string) => join(folder, name);

/** Runs `chaind handler …` to its end. */
export function handler(...args: readonly string[]) {
  const end = spawnSync(process.execPath, [CHAIND, "handler", ...args], { cwd: folder, encoding: "utf8" });
  const answers = () =>
    end.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);
  return { exit: end.status, stdout: end.stdout, stderr: end.stderr, answers, answer: () => answers()[0] as Json };
}

/** A file in the folder. */
export function written(name: string, bytes: Uint8Array): string {
  writeFileSync(at(name), bytes);
  return at(name);
}
