/** Has the disk room for the scheduled upgrade? Said days before, when an operator can still do something about it. */

import { statSync } from "node:fs";
import { freeBytes } from "../../base/files/disk-errors.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { shellWord } from "../../base/text/shell-word.js";
import { bytesText } from "../../base/text/text.js";
import { visible } from "../../base/text/visible.js";
import { SPILL_BYTES_MAX_DEFAULT } from "../../base/types/limits.js";
import { SPILL_RESERVE_BYTES } from "../../state/store/disk/lmdb-spill.js";
import type { Home } from "./home.js";

/** Bytes on the disk of the database. */
export interface UpgradeRoom {
  readonly free: number;
  /** What the handler may write before the commit, besides the database. */
  readonly spill: number;
  /** A new version of everything that the database has: what existed stays until it is pruned. */
  readonly growth: number;
  readonly reserve: number;
}

/** Undefined where the system does not say what is free. */
export function upgradeRoom({ databaseFile }: Home, handlerDiskMax: number | undefined): UpgradeRoom | undefined {
  const free = freeBytes(databaseFile);
  if (free === undefined) return undefined;
  const growth = statSync(databaseFile).size;
  return { free: Number(free), spill: handlerDiskMax ?? SPILL_BYTES_MAX_DEFAULT, growth, reserve: SPILL_RESERVE_BYTES };
}

export interface RoomLine {
  /** Less is free than the upgrade may need at most. */
  readonly isShort: boolean;
  readonly text: string;
}

export function roomLine({ free, spill, growth, reserve }: UpgradeRoom, plan: string, home: string): RoomLine {
  const needed = spill + growth + reserve;
  const name = `the upgrade "${visible(plan)}"`;
  const begin = `disk: ${bytesText(free)} free, ${name} may need at most ${bytesText(needed)}`;
  if (free >= needed) return { isShort: false, text: begin };
  const parts =
    `${bytesText(spill)} for what its handler writes before the commit (--handler-disk-max), ${bytesText(growth)} for the ` +
    `commit if every record changes, ${bytesText(reserve)} as a reserve`;
  const measure = `${PROGRAM} handler run FILE --state ${shellWord(home)}`;
  return {
    isShort: true,
    text:
      `${begin}: ${parts}. On a full disk nothing is committed and the node ends with 30. Make room, or measure what the ` +
      `handler takes (${measure}; host_disk) and give --handler-disk-max accordingly`,
  };
}
