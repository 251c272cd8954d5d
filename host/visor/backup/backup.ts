/**
 * A copy of the data before a switch: under another name until it is whole and checked, then under its own, by one rename. The
 * application has ended by then, so what is copied is of one moment.
 */
import { basename, join, relative } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { writeWhole } from "../../base/files/whole-file.js";
import { utf8 } from "../../base/text/bytes.js";
import type { Clock } from "../decide/machine.js";
import type { Settings } from "../decide/settings.js";
import { digestsOf } from "../download/pieces.js";
import { ageInWords } from "./age.js";
import { backupSpace, dataTree } from "./backup-space.js";
import { changeSince } from "./changed-since.js";
import { type BackupFile, MANIFEST, type Manifest, manifestOf, problemIn } from "./manifest.js";
import { backupName, isOfPlan, isOurs, isPart, partName } from "./names.js";
import type { Tree } from "./tree.js";

export interface BackupOptions {
  readonly files: Files;
  readonly clock: Pick<Clock, "wall">;
  readonly settings: Pick<Settings, "home" | "backupDir" | "backupKind" | "backupsKept">;
  readonly plan: { readonly name: string; readonly height: bigint };
  /** Below the root: what `current` links to. */
  readonly program: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
  readonly log: (level: "info" | "warn", message: string) => void;
}

export interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** More than one file is copied at a time: each waits for the disk. */
const AT_ONCE = 4;

/**
 * One a plan and state of the data: what was made for it before is the backup, if it is whole and the data is as it was then.
 * @throws Error in words; nothing is left of a backup that is not whole, where the disk lets it go
 */
export async function makeBackup(options: BackupOptions): Promise<Backup> {
  const { files, settings, plan, clock, log } = options;
  const data = join(settings.home, "data");
  requireOutside(data, settings.backupDir);
  const before = await earlier(options);
  if (before) {
    const made = ageInWords(before.manifest.time, clock.wall());
    log("info", `${before.folder} is the backup of this plan already, made ${made}: the data is as it was then`);
    // A sidecar that was killed between the rename and its sync has made it.
    files.syncFolder(settings.backupDir);
    return before;
  }
  for (const name of files.list(settings.backupDir) ?? []) {
    if (isPart(name)) files.remove(join(settings.backupDir, name));
  }
  const folder = freeName(files, settings.backupDir, backupName(plan, new Date(clock.wall())));
  const part = partName(folder);
  try {
    const manifest = await copyTree(options, data, part);
    writeWhole(files, join(part, MANIFEST), utf8(JSON.stringify(manifest)), FILE_MODE);
    files.rename(part, folder);
    files.syncFolder(settings.backupDir);
    removeOlder(options, folder);
    return { folder, manifest };
  } catch (error) {
    removeQuietly(files, part);
    throw error;
  }
}

function requireOutside(data: string, folder: string): void {
  const below = relative(data, folder);
  if (below === "" || !below.startsWith("..")) {
    throw new Error(`DAEMON_DATA_BACKUP_DIR is ${folder}, inside the data that is copied: name another folder`);
  }
}

async function earlier({ files, settings, plan, signal, log, clock }: BackupOptions): Promise<Backup | undefined> {
  const data = join(settings.home, "data");
  const tree = dataTree(files, data);
  for (const name of files.list(settings.backupDir) ?? []) {
    if (!isOfPlan(name, plan)) continue;
    const folder = join(settings.backupDir, name);
    const manifest = manifestOf(files, folder);
    const problem = manifest ? await problemIn(files, folder, manifest, signal) : "it has no manifest";
    if (manifest && manifest.data !== data) continue;
    if (!manifest || problem !== undefined) {
      log("warn", `${folder} is not whole, and another backup is made: ${problem}`);
      continue;
    }
    const change = await changeSince({ files, data, tree, folder, manifest, signal });
    if (change === undefined) return { folder, manifest };
    const made = ageInWords(manifest.time, clock.wall());
    log("info", `${folder}, made ${made}, is of other data, and stays: ${change}`);
  }
  return undefined;
}

/** Nothing is ever merged into a folder that is there. */
function freeName(files: Files, parent: string, name: string): string {
  for (let number = 1; ; number++) {
    const path = join(parent, number === 1 ? name : `${name}.${number}`);
    if (!files.linkFacts(path)) return path;
  }
}

async function copyTree(options: BackupOptions, data: string, part: string): Promise<Manifest> {
  const { files, settings, plan, program, clock, log } = options;
  const tree = dataTree(files, data);
  const { isByReflink, problem } = await backupSpace(files, settings, tree);
  if (problem !== undefined) throw new Error(problem);
  files.makeFolder(part, FOLDER_MODE);
  for (const by of new Set(tree.files.flatMap((file) => file.by ?? []))) {
    log(
      "info",
      `${join(data, by)} leads elsewhere: what lies there is copied, and a restore puts it into the data itself`,
    );
  }
  for (const path of tree.others) log("warn", `${path} is no file, and is not copied`);
  for (const path of tree.folders) files.makeFolder(join(part, path), FOLDER_MODE);
  for (const path of tree.links) files.symlink(files.readLink(join(data, path)), join(part, path));
  const copied = await copyFiles(options, tree, { data, part, isByReflink });
  for (const path of [...tree.folders].reverse()) files.syncFolder(join(part, path));
  files.syncFolder(part);
  return {
    v: 1,
    plan: { name: plan.name, height: String(plan.height) },
    time: new Date(clock.wall()).toISOString(),
    ...{ data, program: program ?? null, how: isByReflink ? "reflink" : "copy", bytes: tree.bytes, files: copied },
  };
}

interface Between {
  readonly data: string;
  readonly part: string;
  readonly isByReflink: boolean;
}

async function copyFiles(options: BackupOptions, tree: Tree, between: Between): Promise<BackupFile[]> {
  const copied: BackupFile[] = [];
  let done = 0;
  let next = 0;
  const worker = async () => {
    for (let file = tree.files[next++]; file; file = tree.files[next++]) {
      options.signal.throwIfAborted();
      const made = await copyFile(options, file.path, between);
      copied.push(made);
      done += made.bytes;
      options.onProgress(done, tree.bytes);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return copied.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function copyFile({ files, signal }: BackupOptions, path: string, between: Between): Promise<BackupFile> {
  const [from, to] = [join(between.data, path), join(between.part, path)];
  await files.copy(from, to, ...(between.isByReflink ? (["reflink"] as const) : []));
  const facts = files.facts(to);
  const bytes = files.facts(from)?.bytes;
  if (!facts || facts.bytes !== bytes) throw new Error(`${path} has ${bytes} bytes, its copy ${facts?.bytes ?? 0}`);
  // A reflink too is durable only then.
  files.syncFile(to);
  if (between.isByReflink) return { path, bytes, sha256: null };
  const [sha256 = ""] = await digestsOf(files, to, ["sha256"], signal);
  return { path, bytes, sha256 };
}

/**
 * The newest ones stay that have a manifest, and before them the first one of this plan: it was made before anything tried the
 * upgrade. What others made is theirs.
 */
function removeOlder({ files, settings, plan, log }: BackupOptions, made: string): void {
  const { backupDir, backupsKept } = settings;
  if (backupsKept === 0) return;
  const whole = (files.list(backupDir) ?? [])
    .map((name) => join(backupDir, name))
    .filter((folder) => folder !== made && isOurs(basename(folder)))
    .flatMap((folder) => {
      const manifest = manifestOf(files, folder);
      // Homes may share the folder.
      return manifest?.data === join(settings.home, "data") ? [{ folder, time: manifest.time }] : [];
    });
  whole.sort((a, b) => (a.time < b.time ? 1 : -1));
  const first = whole.findLast(({ folder }) => isOfPlan(basename(folder), plan));
  const inOrder = first ? [first, ...whole.filter((each) => each !== first)] : whole;
  for (const { folder } of inOrder.slice(Math.max(0, backupsKept - 1))) {
    try {
      // Not a backup from the first moment on, even if the removal is cut.
      files.remove(join(folder, MANIFEST));
      files.remove(folder);
      log("info", `${folder} is removed: ${backupsKept} backups are kept (CHAINVISOR_BACKUPS_KEPT)`);
    } catch (error) {
      log("warn", `${folder} cannot be removed: ${messageOf(error)}`);
    }
  }
}

function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The next backup removes it first.
  }
}
