/**
 * `<home>/data/halt.json`, which an operator reads when something went wrong, so most of all on a full disk. Space for it
 * is kept in a file of its own and given up when it is needed. A record that cannot be written even so leaves none: that
 * of an earlier end would send the operator the wrong way.
 */
import { randomBytes } from "node:crypto";
import { rmSync, statSync, truncateSync } from "node:fs";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { syncFolder } from "../../base/files/open-file.js";
import { utf8 } from "../../base/text/bytes.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import type { Home } from "./home.js";

/** A record holds a plan's info twice, of 64 KiB each, and JSON writes a control character with six. */
export const RESERVE_BYTES = 1_024 * 1_024;

/** More than the largest block of a usual file system. */
const LENT_BYTES = 64 * 1_024;

/** Keeps the space. Random bytes, which no file system makes smaller. @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO */
export function keepReserve({ reserveFile }: Home): void {
  if (hasReserve(reserveFile)) return;
  writeFileAtomically(reserveFile, randomBytes(RESERVE_BYTES));
}

function hasReserve(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  // Blocks that exist, not bytes that a copy may have left out.
  return stat?.isFile() === true && stat.size >= RESERVE_BYTES && stat.blocks > 0;
}

/** Gives up a little of the kept space, for the lock; false when there is none. */
export function lendFromReserve({ reserveFile }: Home): boolean {
  try {
    const { size } = statSync(reserveFile);
    if (size < LENT_BYTES) return false;
    truncateSync(reserveFile, size - LENT_BYTES);
    return true;
  } catch {
    return false;
  }
}

/** Gives the kept space to the next writer; the next start keeps it again. */
export function releaseReserve({ reserveFile, dataFolder }: Home): void {
  rmSync(reserveFile, { force: true });
  syncFolder(dataFolder);
}

/** @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO; then there is no record, neither this one nor another */
export function writeHaltRecord(home: Home, record: HaltRecord): void {
  const path = home.haltFile;
  const bytes = utf8(JSON.stringify(record));
  try {
    writeFileAtomically(path, bytes);
    return;
  } catch {
    attempt(() => releaseReserve(home));
  }
  try {
    writeFileAtomically(path, bytes);
  } catch (error) {
    attempt(() => removeHaltRecord(home));
    throw error;
  }
}

/** Durable when it returns: a record that came back after a crash would be wrong. */
export function removeHaltRecord({ haltFile, dataFolder }: Home): void {
  if (!statSync(haltFile, { throwIfNoEntry: false })) return;
  rmSync(haltFile, { force: true });
  syncFolder(dataFolder);
}

/** What may fail on a failing disk without making things worse. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The failure that led here is the one to speak of.
  }
}
