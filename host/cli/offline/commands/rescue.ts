/** `chaind rescue`: what a report of a failed upgrade needs, in one file. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Context } from "../../flags/context.js";
import type { RescueFlags } from "../rescue/rescue.js";

export function registerRescue(program: Cobra, context: Context): void {
  program
    .command("rescue")
    .summary("Gather what a report of a failed upgrade needs into one file")
    .description(
      "After a node ended with 20, 21 or 30: halt.json, upgrade-info.json, plan, versions, roots of the stores, handlers,\n" +
        "receipts, settings without secrets, facts of the machine, and the end of a log. Keys, mnemonics and keyrings are not\n" +
        "read into it, and all of it is searched for them. Works beside a running node, and on a damaged home.",
    )
    .option("--out <file>", "the archive (default: rescue-<time>.tar.gz in this folder)")
    .option("--log <file>", "a log of the node, of which the last lines are taken")
    .example("rescue --home node --log node.log --out report.tar.gz")
    .action(async (flags: RescueFlags, command: Cobra) => {
      const { rescue, rescuedInWords } = await import("../rescue/rescue.js");
      const rescued = rescue(context.chain, String(command.optsWithGlobals()["home"]), flags);
      await context.print(rescued, rescuedInWords(rescued));
    });
}
