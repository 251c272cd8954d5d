/**
 * Looks at the head of an LMDB file before LMDB does: given a file that is not its own, or one cut short before its
 * roots, LMDB ends the process with a signal instead of answering an error.
 *
 * The first two pages are meta pages, written in turn. In each, little-endian: flags (u16 at 18, bit 3 marks a meta
 * page), magic and data version (u32 at 24 and 28), page size (u32 at 48), and the root pages of the two databases that
 * every file has (u64 at 88 and 136; all ones: empty). Source: MDB_page_header, MDB_meta in lmdb's mdb.c, data version 2.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { openRegularFile } from "../../../base/files/open-file.js";

const META_BYTES = 168;
const META_FLAG = 0x08;
const MAGIC = 0xbeef_c0de;
const DATA_VERSION = 2;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
const ROOTS_AT = [88, 136];
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** @throws UpgradeError UPG_STORE_CORRUPT unless the file is absent, empty or begins as LMDB files do; UPG_STORE_IO when it is none */
export function checkLmdbHead(path: string): void {
  let file: number;
  try {
    file = openRegularFile(path);
  } catch (cause) {
    // Absent, or one that LMDB will refuse to open in its own words; a pipe it would wait for.
    if (cause instanceof Error && "code" in cause) return;
    throw new UpgradeError("UPG_STORE_IO", `cannot read the database ${path}: ${messageOf(cause)}`, { cause });
  }
  try {
    const { size } = fstatSync(file);
    if (size === 0) return;
    const pageBytes = checkMeta(file, path, 0, size);
    checkMeta(file, path, pageBytes, size);
  } finally {
    closeSync(file);
  }
}

/** Checks the meta page that begins at a byte of the file; returns the size of pages. */
function checkMeta(file: number, path: string, at: number, fileBytes: number): number {
  const meta = new DataView(new ArrayBuffer(META_BYTES));
  const filled = readSync(file, meta, 0, META_BYTES, at);
  const isMeta =
    filled === META_BYTES &&
    (meta.getUint16(18, true) & META_FLAG) !== 0 &&
    meta.getUint32(24, true) === MAGIC &&
    (meta.getUint32(28, true) & 0xffff) === DATA_VERSION;
  if (!isMeta) throw corrupt(path, "is no LMDB database, or its head is damaged");
  const pageBytes = meta.getUint32(48, true);
  const isPower = pageBytes >= PAGE_BYTES_MIN && pageBytes <= PAGE_BYTES_MAX && (pageBytes & (pageBytes - 1)) === 0;
  if (!isPower) throw corrupt(path, `has pages of ${pageBytes} bytes`);
  for (const rootAt of ROOTS_AT) {
    const root = meta.getBigUint64(rootAt, true);
    if (root !== NO_PAGE && (root + 1n) * BigInt(pageBytes) > fileBytes) {
      throw corrupt(path, `is cut short: it has ${fileBytes} bytes, and a root at page ${root}`);
    }
  }
  return pageBytes;
}

function corrupt(path: string, what: string): UpgradeError {
  return new UpgradeError("UPG_STORE_CORRUPT", `the database ${path} ${what}; restore it from a copy or a snapshot`);
}
