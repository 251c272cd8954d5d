/** Is there room for a backup, and for what an upgrade writes? */
import { join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { Home } from "../../../node/home/home.js";
import { livingHolder } from "../../../node/home/home-lock.js";
import { isLacking } from "../../decide/readiness.js";
import { RESERVE_BYTES } from "../../download/reserve.js";
import { refusalOf } from "../files-readiness.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";

const MEBIBYTE = 2 ** 20;
/** A folder of databases has thousands of files; more are not counted. */
const FILES_MAX = 200_000;

export function diskFindings({ files, read, scheduled }: Patient): Finding[] {
  const { home, name, backupDir, isBackupSkipped } = read.settings;
  const data = join(home, "data");
  if (files.facts(data)?.kind !== "folder") return [];
  const bytes = folderBytes(files, data);
  // First: a relay skips the backup whatever UNSAFE_SKIP_BACKUP is set to.
  if (livingHolder(new Home(home).relayLockFile) !== undefined) {
    const detail =
      "under a relay or the hot switch an upgrade makes no backup: one that fails has no way back on this machine";
    return [warning("backup", detail, `${shellWord(name)} backup FOLDER --home ${shellWord(home)}`)];
  }
  if (isBackupSkipped) {
    return [warning("backup", "UNSAFE_SKIP_BACKUP is true: an upgrade that fails has no way back on this machine")];
  }
  if (files.facts(backupDir)?.kind !== "folder") return [];
  // Of a plan that is ahead it was tried already.
  const tried = scheduled?.readiness.find(({ what, state }) => what === "backup" && state !== "unknown");
  if (tried) return [isLacking(tried) ? wrong("backup", tried.detail, tried.next) : ok("backup", tried.detail)];
  const refused = refusalOf(files, backupDir);
  if (refused) return [wrong("backup", `nothing can be written into ${backupDir}: ${refused.message}`, refused.next)];
  const free = files.freeBytes(backupDir);
  const detail = `${data} has ${inMebibytes(bytes)}, and ${backupDir} has ${inMebibytes(free)} free`;
  if (free >= bytes + RESERVE_BYTES) return [ok("backup", detail)];
  const why = `${detail}: a backup that copies does not fit, with a reserve of ${inMebibytes(RESERVE_BYTES)} (one by reflink takes none, where the file system can)`;
  return [wrong("backup", why, "DAEMON_DATA_BACKUP_DIR=<a folder with room>")];
}

const inMebibytes = (bytes: number) => `${Math.ceil(bytes / MEBIBYTE)} MiB`;

/** Of all regular files below a folder. @throws what the system says */
function folderBytes(files: Files, folder: string): number {
  const folders = [folder];
  let [bytes, seen] = [0, 0];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const name of files.list(at) ?? []) {
      if (++seen > FILES_MAX) return bytes;
      const path = join(at, name);
      const facts = files.linkFacts(path);
      if (facts?.kind === "folder") folders.push(path);
      else if (facts?.kind === "file") bytes += facts.bytes;
    }
  }
  return bytes;
}
