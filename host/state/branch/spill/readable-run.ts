/** A run as the cursors and windows over it see it (spilled-run.ts). */
import type { ValueLog } from "../kv/value-log.js";
import type { BlockCache } from "./block-cache.js";
import type { RunBlock } from "./run-block.js";
import type { RunIndex } from "./run-index.js";
import type { SpillFile, SpillFiles } from "./spill-files.js";

/** What runs of one space share. */
export interface RunGround {
  readonly files: SpillFiles;
  readonly cache: BlockCache;
  readonly log: ValueLog;
}

export interface ReadableRun {
  readonly index: RunIndex;
  readonly file: SpillFile;
  readonly ground: RunGround;
  /** Does a key certainly lie after all of this run? */
  endsBefore(bytes: Uint8Array, at: number, len: number): boolean;
  /** A block, from the cache if it is there. @throws UpgradeError UPG_STORE_IO */
  block(number: number): RunBlock;
  /** The block with these bytes. @throws UpgradeError UPG_STORE_IO when its checksum is wrong */
  checked(bytes: Uint8Array): RunBlock;
  /** The number of the only block that may have a key. */
  blockFor(bytes: Uint8Array, at: number, len: number): number;
}
