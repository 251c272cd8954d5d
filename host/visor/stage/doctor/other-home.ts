/** A home that was copied: files in it that still name the home it came from. */
import { dirname, join, relative, resolve } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { readSettingsFile } from "../../decide/settings/config-file.js";
import { type Finding, type Patient, warning } from "./finding.js";

export function otherHomeFindings({ files, read }: Patient): Finding[] {
  const { home, backupDir } = read.settings;
  const named = homeInFile(files, read.file);
  const isOther = named !== undefined && !isSameFolder(files, named, home);
  const findings: Finding[] = [];
  if (isOther) {
    const detail = `${read.file} names another home, ${named}, as a copy of that home does: a sidecar that is started with this file works there, not on ${home}`;
    findings.push(warning("settings", detail, `daemon_home = ${JSON.stringify(home)}`));
  }
  const owner = isOther && isWithin(named, backupDir) ? named : ownerOf(files, backupDir, home);
  if (owner !== undefined) {
    const detail = `backups of ${home} go to ${backupDir}, which is in another home, ${owner}: those of both nodes are mixed, and the oldest are removed`;
    findings.push(warning("backup", detail, "DAEMON_DATA_BACKUP_DIR=<a folder that no other node uses>"));
  }
  return findings;
}

function homeInFile(files: Files, file: string | undefined): string | undefined {
  return file === undefined ? undefined : readSettingsFile(files, file, true)?.values.get("daemon_home") || undefined;
}

/** Also by another name, as of a link. */
function isSameFolder(files: Files, a: string, b: string): boolean {
  if (resolve(a) === resolve(b)) return true;
  const found = files.facts(a);
  return found !== undefined && found.print === files.facts(b)?.print;
}

const isWithin = (folder: string, path: string) => !relative(folder, path).startsWith("..");

/** The nearest home that holds the folder, where it is not this one. */
function ownerOf(files: Files, folder: string, home: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isSameFolder(files, at, home)) return undefined;
    if (["data", "cosmovisor"].every((name) => files.facts(join(at, name))?.kind === "folder")) return at;
    if (at === dirname(at)) return undefined;
  }
}
