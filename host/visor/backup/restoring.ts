/**
 * The end of a restore, from the moment on at which the copy is whole beside the data: a note says what is to be done, and each start
 * of the sidecar, and each rollback, does what is left of it. So data and program always belong together.
 */
import { dirname, join } from "node:path";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { linkWhole, writeWhole } from "../../base/files/whole-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";
import { RESTORED_PART, ROLLBACK_NOTE } from "../../node/home/data-copies.js";
import { carrySigned } from "./signed.js";

export const PART = RESTORED_PART;
const NOTE = ROLLBACK_NOTE;
const NOTE_BYTES_MAX = 65_536;
const FILE_MODE = 0o600;
const KEPT = /^data-before-rollback-[1-9][0-9]{0,8}$/;
const PROGRAM = /^(genesis|upgrades\/(?!\.\.?$)[^/]+)$/;

export interface RestorePlace {
  readonly files: Files;
  readonly home: string;
  readonly root: string;
}

export interface RestoreNote {
  readonly v: 1;
  /** The backup. */
  readonly folder: string;
  /** What `current` shall lead to; null: it stays. */
  readonly program: string | null;
}

export interface RestoreEnd {
  readonly note: RestoreNote;
  /** Where the data is that was there; undefined: none was. */
  readonly kept: string | undefined;
}

export const isProgramFolder = (name: string) => PROGRAM.test(name);

/** Data of before earlier restores. */
export function keptData({ files, home }: Pick<RestorePlace, "files" | "home">): string[] {
  return (files.list(home) ?? []).filter((name) => KEPT.test(name)).map((name) => join(home, name));
}

/** Undefined: no restore is under way. @throws UpgradeError UPG_STORE_CORRUPT: it is no note of ours */
export function restoreNote({ files, root }: Pick<RestorePlace, "files" | "root">): RestoreNote | undefined {
  const file = join(root, NOTE);
  const bytes = files.read(file, NOTE_BYTES_MAX);
  if (!bytes) return undefined;
  try {
    const note = JSON.parse(decodeText(bytes)) as RestoreNote;
    const isOurs = note.v === 1 && typeof note.folder === "string";
    if (isOurs && (note.program === null || isProgramFolder(note.program))) return note;
  } catch {
    // As below.
  }
  throw new UpgradeError("UPG_STORE_CORRUPT", `${file} is no note of a rollback: remove it where none was under way`);
}

/**
 * The copy at PART is whole and synced.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO: the data cannot be moved, and nothing was changed; what the system says of
 * anything else, and the next `endRestore` does what is left
 */
export function beginEnd(place: RestorePlace, note: RestoreNote): RestoreEnd {
  writeWhole(place.files, join(place.root, NOTE), utf8(JSON.stringify(note)), FILE_MODE);
  try {
    return end(place, note);
  } catch (cause) {
    if (cause instanceof Unmovable) cancelQuietly(place);
    throw cause;
  }
}

/** The data cannot be moved aside: nothing of the restore was done but its copy and its note. */
export class Unmovable extends UpgradeError {}

/** Takes back a restore whose data is {@link Unmovable}: data and program are as they were. @throws what the system says */
export function cancelRestore({ files, home, root }: RestorePlace): void {
  // Without its note a copy is removed by the next restore; without its copy a note would link the backup's program.
  files.remove(join(root, NOTE));
  files.syncFolder(root);
  files.remove(join(home, PART));
}

/** The error that made it necessary is the one to report. */
function cancelQuietly(place: RestorePlace): void {
  try {
    cancelRestore(place);
  } catch {
    // The next `chainvisor rollback` cancels it.
  }
}

/**
 * Completes a restore that was interrupted. Returns undefined when none was.
 * @throws Unmovable; UpgradeError UPG_STORE_CORRUPT; what the system says
 */
export function endRestore(place: RestorePlace): RestoreEnd | undefined {
  const note = restoreNote(place);
  return note && end(place, note);
}

function end(place: RestorePlace, note: RestoreNote): RestoreEnd {
  const { files, home, root } = place;
  const kept = putInPlace(place);
  files.syncFolder(home);
  if (note.program !== null) linkBack(files, root, note.program);
  files.remove(join(root, NOTE));
  files.syncFolder(root);
  return { note, kept };
}

/** @returns where the data is that was there */
function putInPlace(place: RestorePlace): string | undefined {
  const { files, home } = place;
  const [part, data] = [join(home, PART), join(home, "data")];
  if (!files.linkFacts(part)) return undefined;
  let kept: string | undefined;
  if (files.linkFacts(data)) {
    // Once more: a node may have run in between, without a sidecar.
    carrySigned(files, data, keptData(place), part);
    files.syncFolder(part);
    kept = freeName(place);
    moveAside(place, data, kept);
  }
  files.rename(part, data);
  return kept;
}

/** @throws Unmovable */
function moveAside({ files }: RestorePlace, data: string, kept: string): void {
  try {
    files.rename(data, kept);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    // EXDEV: a folder of a container's image, below its writable layer.
    const isMounted = code === "EBUSY" || code === "EXDEV";
    const why = isMounted ? `a mount point, or of another file system than ${dirname(data)}` : messageOf(cause);
    throw new Unmovable(
      isMounted ? "UPG_INVALID_CONFIG" : "UPG_STORE_IO",
      `${data} cannot be moved to ${kept}: ${isMounted ? "it is " : ""}${why}. The data and the program are as they were`,
      { cause },
    );
  }
}

export function freeName({ files, home }: Pick<RestorePlace, "files" | "home">): string {
  for (let number = 1; ; number++) {
    const path = join(home, `data-before-rollback-${number}`);
    if (!files.linkFacts(path)) return path;
  }
}

/** The switch that `previous` was kept for is taken back: it names no program before the present one any more. */
function linkBack(files: Files, root: string, program: string): void {
  const current = join(root, "current");
  const isAsBefore = files.linkFacts(current)?.kind === "link" && files.readLink(current) === program;
  const previous = join(root, "previous");
  if (!isAsBefore || (files.linkFacts(previous)?.kind === "link" && files.readLink(previous) === program)) {
    files.remove(previous);
  }
  // Makes both durable: they are in one folder.
  linkWhole(files, program, current);
}
