/** The folder of witnesses: as long as an upgrade has none there, the state before it is not pruned. */
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import type { Home } from "../home/home.js";

/** Whole or not at all. @throws UpgradeError UPG_STORE_IO, UPG_STORE_FULL */
export function writeWitness(home: Home, plan: string, bytes: Uint8Array): void {
  writeFileAtomically(home.witnessFile(plan), bytes);
}

/** Gives the state before the upgrade up, without a witness. @throws UpgradeError UPG_STORE_IO */
export function forgetBefore(home: Home, plan: string): void {
  writeFileAtomically(home.forgottenFile(plan), new Uint8Array(0));
}
