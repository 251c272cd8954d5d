/** Temporary files of processes that were killed before the rename: `<name>.<pid>.tmp`. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const TEMPORARY = /\.([1-9][0-9]{0,9})\.tmp$/;

/** Removes them from a folder that this process has locked. Never throws: they only take space. */
export function removeDeadTemporaries(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = Number(TEMPORARY.exec(name)?.[1] ?? 0);
      if (pid > 0 && pid !== process.pid && !isAlive(pid)) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // The next start tries again.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
