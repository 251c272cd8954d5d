/** `chaind rollback`: takes back the last block of a home that no node holds. */
import type { Cobra } from "../../shell/cobra.js";
import type { Output } from "../../shell/output.js";

export function registerRollback(program: Cobra, output: Output): void {
  program
    .command("rollback")
    .summary("Take back the last block")
    .description(
      "Takes back the last block and its state, so that the node makes it again: after a handler that was wrong, or a\n" +
        "binary that should not have run. The state before it must still be kept. Stop the node first.",
    )
    .option("--hard", "the block goes too; it always does here")
    .example("rollback --home node")
    .action(async (_: unknown, command: Cobra) => {
      const { rollback } = await import("../rollback.js");
      output.print(rollback(String(command.optsWithGlobals()["home"])));
    });
}
