/** `chainvisor rollback`. */
import { UpgradeError } from "../../errors.js";
import type { Cobra } from "../../shell/cobra.js";

export function registerRollback(program: Cobra): void {
  program
    .command("rollback")
    .summary("Go back to a backup")
    .action(() => {
      throw new UpgradeError("UPG_NOT_FOUND_METHOD", "this build has no `chainvisor rollback`");
    });
}
