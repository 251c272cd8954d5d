/** `chainvisor status`. */
import { UpgradeError } from "../../errors.js";
import type { Cobra } from "../../shell/cobra.js";

export function registerStatus(program: Cobra): void {
  program
    .command("status")
    .summary("Print what the sidecar of this home is doing")
    .action(() => {
      throw new UpgradeError("UPG_NOT_FOUND_METHOD", "this build has no `chainvisor status`");
    });
}
