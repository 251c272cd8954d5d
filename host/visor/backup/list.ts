/** The backups of a home, the latest first. */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { type Manifest, manifestOf } from "./manifest.js";
import { isOurs, isTheirs } from "./names.js";

export interface ListedBackup {
  readonly name: string;
  readonly folder: string;
  /** Undefined: Cosmovisor's, or one that is not whole; neither can be checked. */
  readonly manifest: Manifest | undefined;
}

/** @throws what the system says */
export function listBackups(files: Files, backupDir: string): ListedBackup[] {
  const names = (files.list(backupDir) ?? []).filter((name) => isTheirs(name) || isOurs(name));
  const found = names.map((name) => {
    const folder = join(backupDir, name);
    return { name, folder, manifest: manifestOf(files, folder) };
  });
  return found.sort((a, b) => ((a.manifest?.time ?? "") < (b.manifest?.time ?? "") ? 1 : -1));
}
