/**
 * A rollback is one transaction of the database, and then the record of what the key signed goes back too. The record is never the
 * older of the two: a note that is written before says that it may follow, and the next process that opens the home ends what a
 * killed one began. It holds for this very record and this very state alone, so no other database can set a record back by it.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readFileIfThere, writeFileAtomically } from "../../base/files/atomic-file.js";
import { syncFolder } from "../../base/files/open-file.js";
import { sha256 } from "../../base/native/sha256.js";
import { toHex, utf8 } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import type { Height } from "../../base/types/types.js";
import type { Home } from "../home/home.js";
import { LastSigned } from "./last-signed.js";

/** The last commit of a database. */
export interface LastState {
  readonly height: Height;
  readonly appHash: Uint8Array;
}

const fileOf = (home: Home) => join(home.dataFolder, "rollback.json");

function noteOf(home: Home, { height, appHash }: LastState): Uint8Array {
  const record = readFileIfThere(home.lastSignedFile);
  const note = { to: String(height), app_hash: toHex(appHash), record: record ? toHex(sha256(record)) : "" };
  return utf8(`${JSON.stringify(note)}\n`);
}

/** Before the database goes back. @throws UpgradeError UPG_STORE_* */
export function noteRollback(home: Home, to: LastState): void {
  writeFileAtomically(fileOf(home), noteOf(home, to));
}

/** When the database has gone back, or when it has not and a note is left. @throws UpgradeError UPG_STORE_* */
export function endRollback(home: Home, last: LastState): void {
  const note = readFileIfThere(fileOf(home));
  if (!note) return;
  if (decodeLossy(note) === decodeLossy(noteOf(home, last)))
    new LastSigned(home.lastSignedFile).rollBackTo(last.height);
  rmSync(fileOf(home), { force: true });
  syncFolder(home.dataFolder);
}
