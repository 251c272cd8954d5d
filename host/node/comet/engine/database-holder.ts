/** Which other process has the database of CometBFT open: one that an earlier node left behind, or that somebody started. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/** GoLevelDB, CometBFT's database unless its settings name another, locks this file as long as it is open. */
const LOCK = "blockstore.db/LOCK";
/** `1: FLOCK  ADVISORY  WRITE 708 08:01:131115 0 EOF`: the process, and the number of the file. */
const LINE = /^\d+: +FLOCK +\S+ +\S+ +(\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) /;

/** Its process id. Undefined: nobody, or the system does not show it (Linux does). */
export function databaseHolder(dataFolder: string): number | undefined {
  try {
    const file = realpathSync(join(dataFolder, LOCK));
    const inode = String(statSync(file).ino);
    const owners = readFileSync("/proc/locks", "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, pid, locked] = LINE.exec(line) ?? [];
        return locked === inode ? [Number(pid)] : [];
      });
    return owners.find((pid) => pid > 0 && hasOpen(pid, file));
  } catch {
    return undefined;
  }
}

/** Another file system may have a file of that number. Of other users' processes nothing more is to be seen. */
function hasOpen(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => linkOf(join(folder, name)) === file);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
