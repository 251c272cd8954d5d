/**
 * The end of a restore, from the moment on at which the copy is whole beside the data: a note says what is to be done, and each start
 * of the sidecar, and each rollback, does what is left of it. So data and program always belong together.
 */
import { join } from "node:path";
import { utf8 } from "../bytes.js";
import { UpgradeError } from "../errors.js";
import type { Files } from "../programs/files.js";
import { RESTORED_PART, ROLLBACK_NOTE } from "../programs/kept-data.js";
import { linkWhole, writeWhole } from "../programs/whole-file.js";
import { decodeText } from "../text.js";
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

/** The copy at PART is whole and synced. @throws what the system says; what is left is done by the next `endRestore` */
export function beginEnd(place: RestorePlace, note: RestoreNote): RestoreEnd {
  writeWhole(place.files, join(place.root, NOTE), utf8(JSON.stringify(note)), FILE_MODE);
  return end(place, note);
}

/** What a restore that was cut off has left to do; undefined: nothing. @throws UpgradeError UPG_STORE_CORRUPT; what the system says */
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
    files.rename(data, kept);
  }
  files.rename(part, data);
  return kept;
}

function freeName({ files, home }: RestorePlace): string {
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
