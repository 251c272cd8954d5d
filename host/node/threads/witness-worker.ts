/**
 * Makes the witnesses that a home waits for, in a thread of its own: it reads the states before and after each upgrade from
 * the database, whatever blocks are made meanwhile, and ends.
 */

import { existsSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Chain } from "../../chain/app/chain.js";
import { LmdbReader } from "../../state/store/disk/lmdb-reader.js";
import { findWitness } from "../../state/store/disk/witness-on-disk.js";
import { PinnedVersions } from "../../state/store/versions/pinned-versions.js";
import { keptGenesis } from "../home/genesis-record.js";
import { Home } from "../home/home.js";
import { recordFromHome } from "../snapshots/record-home.js";
import { writeWitness } from "../snapshots/witness-files.js";

/** What the thread is made with. */
export interface WitnessJob {
  readonly kind: "witness";
  readonly home: string;
  /** More folders with handlers. */
  readonly folders: readonly string[];
}

/** One for each plan that the state before is held for; `fault`: why the file that was there is none; `message`: why there is none now. */
export type WitnessMade =
  | { readonly plan: string; readonly fault?: string; readonly bytes: number; readonly milliseconds: number }
  | { readonly plan: string; readonly fault?: string; readonly message: string };

export function runWitnessThread({ home: path, folders }: WitnessJob, chain: Chain): void {
  const home = new Home(path);
  // No commit is counted here, so all reads see the state that the first one saw.
  const database = new LmdbReader(home.databaseFile, () => 0);
  try {
    for (const [version, plan] of PinnedVersions.load(database).entries) {
      if (existsSync(home.forgottenFile(plan))) continue;
      const of = { chainId: keptGenesis(database).facts.chainId, plan, height: BigInt(version) + 1n };
      const found = findWitness(home.witnessFile(plan), of, sha256);
      if (found === "whole") continue;
      const one = made(plan, () => recordFromHome({ database, home, chain, folders }, plan).bytes, home);
      if (one) parentPort?.postMessage(typeof found === "object" ? { ...one, ...found } : one);
    }
  } finally {
    database.close();
  }
}

/** Undefined: the program's own code was the handler, of which there is no witness. */
function made(plan: string, record: () => Uint8Array, home: Home): WitnessMade | undefined {
  const begun = performance.now();
  try {
    const bytes = record();
    writeWitness(home, plan, bytes);
    return { plan, bytes: bytes.length, milliseconds: performance.now() - begun };
  } catch (error) {
    if (isUpgradeError(error) && error.code === "UPG_NOT_FOUND_RECEIPT") return undefined;
    return { plan, message: messageOf(error) };
  }
}
