/** `chainvisor backups`. */
import { UpgradeError } from "../../errors.js";
import type { Cobra } from "../../shell/cobra.js";

export function registerBackups(program: Cobra): void {
  program
    .command("backups")
    .summary("List the backups of this home")
    .action(() => {
      throw new UpgradeError("UPG_NOT_FOUND_METHOD", "this build has no `chainvisor backups`");
    });
}
