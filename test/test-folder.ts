/**
 * The folder and the child processes of the test file that runs. Test files share helpers, and a helper's own `afterAll` would run
 * after the first of them only. So helpers use this, and `clean-up.ts` cleans up after each file.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;
let paths = 0;
const children = new Set<ChildProcess>();

/** The folder of the test file, created at its first use and removed after its tests. */
export function testFolder(): string {
  folder ??= mkdtempSync(join(tmpdir(), "chain-upgrade-test-"));
  return folder;
}

/** A path in the test file's folder that no earlier call returned. Nothing exists there yet. */
export const newPath = (name: string): string => join(testFolder(), `${name}-${paths++}`);

/** A new folder in the test file's folder. */
export function newFolder(name = "folder"): string {
  const path = newPath(name);
  mkdirSync(path);
  return path;
}

/** Kills the process after the test file's tests if it still runs then. */
export function killAfterTests(child: ChildProcess): void {
  children.add(child);
  child.once("exit", () => children.delete(child));
}

/** Kills what the test file left running, and removes its folder. */
export async function cleanUp(): Promise<void> {
  const running = [...children].filter((child) => child.pid !== undefined);
  children.clear();
  const exits = running.map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(exits);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  [folder, paths] = [undefined, 0];
}
