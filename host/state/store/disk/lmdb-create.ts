/**
 * Makes the files of a new database before LMDB opens them. When the system refuses LMDB to make or write one of them, it
 * ends the process with a signal; and a file that it begins in place is torn when the power goes before its first sync.
 *
 * A new database is two meta pages that name no tree (lmdb-head.ts has their shape), the same on every machine.
 */
import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../../../base/files/open-file.js";

const PAGE_BYTES = 4_096;
const META_PAGES = 2;
/** MDB_NOSUBDIR of the environment, MDB_INTEGERKEY of the tree of free pages. */
const FREE_TREE_FLAGS = 0x4008;
const MAP_BYTES = 131_072n;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** For 126 readers, LMDB's default: it makes a shorter one longer. */
const LOCK_BYTES = 8_272;
const MODE = 0o664;

/** Whole under its name, or not there. An empty file is replaced. @throws what the system says */
export function makeLmdbFile(path: string, isTemporary: boolean): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const begun = `${path}.new`;
  // One that was left behind, or a pipe, which writing would wait for.
  rmSync(begun, { force: true });
  const file = openSync(begun, "wx", MODE);
  try {
    const bytes = emptyDatabase();
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    if (!isTemporary) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(begun, path);
  if (!isTemporary) syncFolder(dirname(path));
}

/**
 * LMDB fills it; all zeros to begin with. They are written, since LMDB maps the file: a page that a full disk has no room for would
 * end the process by a signal when it is first touched.
 * @throws what the system says
 */
export function makeLmdbLockFile(path: string): void {
  const file = openSync(path, "a", MODE);
  try {
    const { size } = fstatSync(file);
    for (let left = LOCK_BYTES - size; left > 0; ) left -= writeSync(file, new Uint8Array(left));
  } finally {
    closeSync(file);
  }
}

function emptyDatabase(): Uint8Array {
  const bytes = new Uint8Array(META_PAGES * PAGE_BYTES);
  for (let page = 0; page < META_PAGES; page++) {
    const view = new DataView(bytes.buffer, page * PAGE_BYTES);
    view.setBigUint64(0, BigInt(page), true);
    view.setUint16(18, 0x08, true);
    view.setUint32(24, 0xbeef_c0de, true);
    view.setUint32(28, 2, true);
    view.setBigUint64(40, MAP_BYTES, true);
    view.setUint32(48, PAGE_BYTES, true);
    view.setUint16(52, FREE_TREE_FLAGS, true);
    view.setBigUint64(88, NO_PAGE, true);
    view.setBigUint64(136, NO_PAGE, true);
    view.setBigUint64(144, BigInt(META_PAGES - 1), true);
  }
  return bytes;
}
