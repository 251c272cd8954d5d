/**
 * The data of a backup in the place of the present data, which is kept beside it. A consensus key never signs a height twice: the
 * record of what it signed last is the later one of both.
 */
import { join, resolve } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { isMountPoint } from "../../base/files/mount-point.js";
import { shellWord } from "../../base/text/shell-word.js";
import { visible } from "../../base/text/visible.js";
import { MANIFEST, type Manifest, problemIn } from "./manifest.js";
import { beginEnd, endRestore, freeName, isProgramFolder, keptData, PART } from "./restoring.js";
import { carrySigned, SIGNED, type Signed } from "./signed.js";
import { treeOf } from "./tree.js";

const FOLDER_MODE = 0o700;
const RESERVE_BYTES = 64 * 1_048_576;

export interface RestoreOptions {
  readonly files: Files;
  readonly home: string;
  readonly root: string;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly signal: AbortSignal;
  readonly onFile: (bytes: number) => void;
}

export interface Restored {
  /** Where the data is that was there; undefined: none was. */
  readonly kept: string | undefined;
  /** What `current` links to again; undefined: it is as it was. */
  readonly program: string | undefined;
  /** The record of what the consensus key signed last. */
  readonly signed: Signed["of"];
  readonly signedHeight: bigint | undefined;
}

/**
 * @throws UpgradeError UPG_STORE_CORRUPT: the backup is not whole, or what the key signed last is not known; UPG_INVALID_ARGUMENT: it
 * is another home's, or its program is not here; then, and on what the system says before the copy is whole, the data is as it was
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { files, home, root, folder, manifest, signal, onFile } = options;
  const place = { files, home, root };
  endRestore(place);
  requireFits(options);
  const problem = await problemIn(files, folder, manifest, signal, onFile);
  if (problem !== undefined) throw new UpgradeError("UPG_STORE_CORRUPT", `${folder} is not whole: ${problem}`);
  const part = join(home, PART);
  files.remove(part);
  requireRoom(options);
  try {
    await copyBack(options, part);
  } catch (cause) {
    removeQuietly(files, part);
    throw cause;
  }
  const signed = carrySigned(files, join(home, "data"), keptData(place), part);
  files.syncFolder(part);
  const { kept } = beginEnd(place, { v: 1, folder, program: manifest.program });
  const program = manifest.program ?? undefined;
  return { kept, program, signed: signed.of, signedHeight: signed.height };
}

/** A reflink takes none. @throws UpgradeError UPG_STORE_FULL */
function requireRoom({ files, home, manifest: { how, bytes } }: RestoreOptions): void {
  const free = files.freeBytes(home);
  if (how === "reflink" || free >= bytes + RESERVE_BYTES) return;
  const words = `${home} has room for ${free} bytes, and the backup has ${bytes}, with a reserve of ${RESERVE_BYTES}: make room first`;
  throw new UpgradeError("UPG_STORE_FULL", words);
}

/** What refused the copy is what to speak of. */
function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The next restore removes it.
  }
}

/** Data of before an upgrade is nothing for the program of after it, and another home's is nothing for this one. */
function requireFits(options: RestoreOptions): void {
  const { files, home, root, folder, manifest } = options;
  const { data, program } = manifest;
  const copy = "copy it by hand, but for priv_validator_state.json";
  requireMovable(options);
  if (data !== join(home, "data")) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `${folder} is a backup of ${visible(data)}, not of this home: ${copy}`,
    );
  }
  if (program === null) return;
  if (isProgramFolder(program) && files.facts(join(root, program))?.kind === "folder") return;
  const message = `the program that had written ${folder} is not in ${join(root, visible(program))}: put it there, or ${copy}`;
  throw new UpgradeError("UPG_INVALID_ARGUMENT", message);
}

/**
 * A folder in place of a link would be on another disk than the node's operator chose, and a mount point cannot be moved.
 * @throws UpgradeError UPG_INVALID_CONFIG with the commands that restore the backup by hand
 */
function requireMovable(options: RestoreOptions): void {
  const { files, home } = options;
  const data = join(home, "data");
  const isLink = files.linkFacts(data)?.kind === "link";
  if (!isLink && !isMountPoint(data)) return;
  const why = isLink
    ? `is a link to ${resolve(home, files.readLink(data))}: a rollback would put a folder on the disk of ${home} in place of the link`
    : "is a mount point: a rollback would have to move it aside, which the system refuses";
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `${data} ${why}. Nothing was changed. Restore it by hand: ${byHand(options)}`,
  );
}

/** For a shell. What a key signed last stays in the data, and all else moves beside it. */
function byHand({ files, home, root, folder, manifest: { program } }: RestoreOptions): string {
  const data = join(home, "data");
  const isSigned = files.facts(join(data, SIGNED)) !== undefined;
  const stays = `! -name lost+found${isSigned ? ` ! -name ${SIGNED}` : ""}`;
  const each = (from: string, but: string) => `find ${shellWord(`${from}/`)} -mindepth 1 -maxdepth 1 ${but} -exec`;
  const kept = shellWord(freeName({ files, home }));
  return [
    `\`mkdir ${kept}`,
    `${each(data, stays)} mv -t ${kept} {} +`,
    `${each(folder, `! -name ${MANIFEST}${isSigned ? ` ! -name ${SIGNED}` : ""}`)} cp -a -t ${shellWord(data)} {} +`,
    ...(program === null ? [] : [`ln -sfn ${shellWord(program)} ${shellWord(join(root, "current"))}`]),
  ]
    .join(" && ")
    .concat("`");
}

async function copyBack({ files, folder, signal }: RestoreOptions, part: string): Promise<void> {
  const tree = treeOf(files, folder, { isLeftOut: (path) => path === MANIFEST, areLinksFollowed: false });
  // As the data is now: a node of another user has to get in.
  files.makeFolder(part, (files.facts(join(part, "..", "data"))?.mode ?? FOLDER_MODE) & 0o777);
  for (const path of tree.folders) files.makeFolder(join(part, path), FOLDER_MODE);
  for (const path of tree.links) files.symlink(files.readLink(join(folder, path)), join(part, path));
  for (const { path } of tree.files) {
    signal.throwIfAborted();
    await files.copy(join(folder, path), join(part, path));
    files.syncFile(join(part, path));
  }
  for (const path of [...tree.folders].reverse()) files.syncFolder(join(part, path));
}
