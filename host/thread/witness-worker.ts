/**
 * Makes the witnesses that a home waits for, in a thread of its own: it reads the states before and after each upgrade from
 * the database, whatever blocks are made meanwhile, and ends.
 */

import { existsSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import type { Chain } from "../chain/define-chain.js";
import { keptGenesis } from "../engine/home/genesis-record.js";
import { Home } from "../engine/home/home.js";
import { isUpgradeError, messageOf } from "../errors.js";
import { sha256 } from "../native/sha256.js";
import { recordFromHome } from "../recording/record-home.js";
import { writeWitness } from "../recording/witness-files.js";
import { LmdbReader } from "../store/disk/lmdb-reader.js";
import { findWitness } from "../store/disk/witness-on-disk.js";
import { HeldVersions } from "../store/versions/held-versions.js";

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
    for (const [version, plan] of HeldVersions.load(database).entries) {
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
