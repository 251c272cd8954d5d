/** `chainvisor prepare`. */
import { UpgradeError } from "../../errors.js";
import type { Cobra } from "../../shell/cobra.js";

export function registerPrepare(program: Cobra): void {
  program
    .command("prepare")
    .aliases(["prepare-upgrade"])
    .summary("Fetch and check what the next upgrade needs, before its height")
    .action(() => {
      throw new UpgradeError("UPG_NOT_FOUND_METHOD", "this build has no `chainvisor prepare`");
    });
}
