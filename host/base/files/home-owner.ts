/**
 * What root writes into a home of another user belongs to that user, as the folder that it is written to: the node runs as that
 * user and could not read it, whatever root's umask is. No link is followed, and nothing that has a second name is given away.
 */
import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

const ROOT = 0;
const NO_LINK = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** @param path a file or folder that this process has just made; @param opened the file, where it is open @throws what the system says */
export function giveToOwner(path: string, opened?: number): void {
  if (process.getuid?.() !== ROOT) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid === ROOT && gid === ROOT) return;
  const file = opened ?? openSync(path, NO_LINK);
  try {
    const made = fstatSync(file);
    const isAlone = made.isDirectory() || made.nlink === 1;
    if (isAlone && made.uid === ROOT && (made.uid !== uid || made.gid !== gid)) fchownSync(file, uid, gid);
  } finally {
    if (opened === undefined) closeSync(file);
  }
}
