/** Folders that cannot be renamed, since a file system is mounted there. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Of this process's mount namespace, the one that the kernel refuses a rename by. A bind mount has the device of its source. */
const MOUNTS = "/proc/self/mountinfo";

/** Is a file system, or a bind mount, mounted at this existing path? */
export function isMountPoint(path: string): boolean {
  try {
    const real = realpathSync(path);
    return mountPoints()?.includes(real) ?? statSync(real).dev !== statSync(dirname(real)).dev;
  } catch {
    return false;
  }
}

/** Returns undefined when this system has no such list. */
function mountPoints(): readonly string[] | undefined {
  try {
    const lines = readFileSync(MOUNTS, "utf8").split("\n");
    return lines.map((line) => unescaped(line.split(" ")[4] ?? ""));
  } catch {
    return undefined;
  }
}

/** Spaces, tabs, line feeds and backslashes of a path are octal there; all else are bytes as they are. */
const unescaped = (path: string) =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
