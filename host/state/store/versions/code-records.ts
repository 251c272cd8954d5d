/**
 * Which version's code ran after each upgrade that this node applied: a record beside the state, made in the upgrade
 * block's own commit. State cannot say it, since a handler that one node has in its home another has in its program;
 * and without it a program could not distinguish an upgrade that changed no layout of its own from a newer program's.
 *
 *   u name   height, number of the program's version: 8 bytes each
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { bigEndian64, concatBytes, utf8 } from "../../../base/text/bytes.js";
import { decodeLossy } from "../../../base/text/text.js";
import type { DoneUpgrade, Height } from "../../../base/types/types.js";
import type { Database, RecordChange } from "../disk/database.js";
import { UPGRADE_CODE_PREFIX } from "../disk/keys.js";

const RECORD_BYTES = 16;

const keyOf = (plan: string) => concatBytes(Uint8Array.of(UPGRADE_CODE_PREFIX), utf8(plan));

/**
 * Of the block that applied a plan; undefined: it applied none.
 * @param version of the program, that runs from then on
 */
export function codeRecords(plan: string | undefined, height: Height, version: bigint | undefined): RecordChange[] {
  if (plan === undefined || version === undefined) return [];
  return [{ key: keyOf(plan), value: concatBytes(bigEndian64(height), bigEndian64(version)) }];
}

/** Undefined when this node did not apply the upgrade at that height. @throws UpgradeError UPG_STORE_CORRUPT */
export function codeRecord(database: Database, { name, height }: DoneUpgrade): bigint | undefined {
  const bytes = database.get(keyOf(name));
  if (!bytes) return undefined;
  if (bytes.length !== RECORD_BYTES) {
    throw new UpgradeError("UPG_STORE_CORRUPT", `the record of the upgrade "${name}" has ${bytes.length} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getBigUint64(0) === height ? view.getBigUint64(8) : undefined;
}

/** Plans that this node applied after a height, in the order of their heights, with the keys of their records. */
export function codeRecordsAfter(
  database: Database,
  height: Height,
): { readonly plan: string; readonly height: Height; readonly key: Uint8Array }[] {
  const range = { start: Uint8Array.of(UPGRADE_CODE_PREFIX), end: Uint8Array.of(UPGRADE_CODE_PREFIX + 1) };
  const found = database.keys(range).flatMap((key) => {
    const bytes = database.get(key);
    if (bytes?.length !== RECORD_BYTES) return [];
    const applied = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
    return applied > height ? [{ plan: decodeLossy(key.subarray(1)), height: applied, key }] : [];
  });
  return found.sort((a, b) => Number(a.height - b.height));
}
