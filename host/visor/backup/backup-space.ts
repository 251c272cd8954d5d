/** The space that a backup takes, and what is free: measured before the height, and again when the backup is made. */
import { join } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { WRITE_PROBE } from "../../base/files/write-probe.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Settings } from "../decide/settings.js";
import { type Tree, treeOf } from "./tree.js";

/** Beside the copy: names of folders, the manifest, and what others write meanwhile. */
const RESERVE_BYTES = 64 * 1_024 * 1_024;
/** Files that a backup leaves out: those that a block spilled, which a start removes; the addresses of a node's servers; a process's write probe. */
const LEFT_OUT: ReadonlySet<string> = new Set(["spill", "addresses.json", WRITE_PROBE]);
/** The folder, its manifest, and a temporary name. */
const OWN_FILES = 3;
const PROBE = ".data-backup-probe";
const FOLDER_PROBE = ".data-backup-probe-folder";

export interface BackupSpace {
  readonly bytes: number;
  readonly free: number;
  /** The copies share blocks with the data and take no space. */
  readonly isByReflink: boolean;
  /** Why no backup can be made; undefined when there is space. */
  readonly problem: string | undefined;
}

export type BackupSpaceSettings = Pick<Settings, "home" | "backupDir" | "backupKind">;

export const dataTree = (files: Files, data: string): Tree =>
  treeOf(files, data, { isLeftOut: (path) => LEFT_OUT.has(path), areLinksFollowed: true });

/** @throws what the system says */
export async function backupSpace(files: Files, settings: BackupSpaceSettings, tree: Tree): Promise<BackupSpace> {
  const { backupDir, backupKind } = settings;
  const { bytes } = tree;
  const isByReflink = backupKind !== "copy" && (await canReflink(files, settings, tree));
  const free = files.freeBytes(backupDir);
  const problem =
    unwritable(files, backupDir) ??
    withoutInodes(files, backupDir, tree) ??
    (isByReflink ? undefined : problemOf(settings, bytes, free));
  return { bytes, free, isByReflink, problem };
}

/** A disk that has an error becomes read-only, and says so to who writes alone. */
function unwritable(files: Files, backupDir: string): string | undefined {
  const probe = join(backupDir, FOLDER_PROBE);
  try {
    files.remove(probe);
    files.makeFolder(probe);
    files.remove(probe);
    return undefined;
  } catch (error) {
    return `nothing can be written into ${backupDir}: ${messageOf(error)}`;
  }
}

/** A copy by reflink takes them, too. */
function withoutInodes(files: Files, backupDir: string, tree: Tree): string | undefined {
  const needed = tree.files.length + tree.folders.length + tree.links.length + OWN_FILES;
  const free = files.freeFiles(backupDir);
  if (free === undefined || free >= needed) return undefined;
  return (
    `a backup takes ${needed} files and folders, and ${backupDir} has inodes for ${free} (\`df -i ${shellWord(backupDir)}\`): remove files there, ` +
    "name a folder on another disk (DAEMON_DATA_BACKUP_DIR), or go without a backup (UNSAFE_SKIP_BACKUP=true)"
  );
}

function problemOf({ backupDir, backupKind }: BackupSpaceSettings, bytes: number, free: number): string | undefined {
  if (backupKind === "reflink") {
    return `${backupDir} has no reflinks with the data (CHAINVISOR_BACKUP=reflink): set it to auto, or another folder`;
  }
  if (free >= bytes + RESERVE_BYTES) return undefined;
  return (
    `a backup takes ${bytes + RESERVE_BYTES} bytes, ${bytes} of the data and a reserve of ${RESERVE_BYTES}, and ${backupDir} ` +
    `has room for ${free}: make room, name a folder on another disk ` +
    "(DAEMON_DATA_BACKUP_DIR), or go without a backup (UNSAFE_SKIP_BACKUP=true)"
  );
}

/** Tried with the smallest file, and that of each link to elsewhere: what a file system can do is not known before. */
async function canReflink(files: Files, { home, backupDir }: BackupSpaceSettings, tree: Tree): Promise<boolean> {
  const smallest = new Map<string | undefined, string>();
  for (const { path, by } of tree.files.toSorted((a, b) => b.bytes - a.bytes)) smallest.set(by, path);
  if (smallest.size === 0) return false;
  const probe = join(backupDir, PROBE);
  try {
    for (const path of smallest.values()) {
      files.remove(probe);
      await files.copy(join(home, "data", path), probe, "reflink");
    }
    return true;
  } catch {
    return false;
  } finally {
    files.remove(probe);
  }
}
