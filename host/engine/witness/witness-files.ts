/** The folder of witnesses: as long as an upgrade has none there, the state before it is not pruned. */
import { existsSync } from "node:fs";
import { writeFileAtomically } from "../home/atomic-file.js";
import type { Home } from "../home/home.js";

/** Does nobody need the state before this upgrade any more? */
export function isReleased(home: Home, plan: string): boolean {
  return existsSync(home.witnessFile(plan)) || existsSync(home.forgottenFile(plan));
}

/** Whole or not at all. @throws UpgradeError UPG_STORE_IO, UPG_STORE_FULL */
export function writeWitness(home: Home, plan: string, bytes: Uint8Array): void {
  writeFileAtomically(home.witnessFile(plan), bytes);
}

/** Gives the state before the upgrade up, without a witness. @throws UpgradeError UPG_STORE_IO */
export function forgetBefore(home: Home, plan: string): void {
  writeFileAtomically(home.forgottenFile(plan), new Uint8Array(0));
}
