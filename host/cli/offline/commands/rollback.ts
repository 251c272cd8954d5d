/** `chaind rollback`: takes back the last blocks of a home that no node holds. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { confirmHere } from "../../../base/terminal/confirm.js";
import { parseHeight } from "../../../base/terminal/options.js";
import { usage } from "../../../base/terminal/usage.js";
import { PROGRAM } from "../../../base/text/program-text.js";
import { shellWord } from "../../../base/text/shell-word.js";
import type { Context } from "../../flags/context.js";
import type { RollbackTarget } from "../rollback-loss.js";

interface RollbackFlags extends RollbackTarget {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function registerRollback(program: Cobra, context: Context): void {
  program
    .command("rollback")
    .summary("Take back the last block, or all blocks after a height")
    .description(
      "Takes back the last block and its state, so that the node makes it again: after a handler that was wrong, or a\n" +
        "binary that should not have run. The state before it must still be kept. Stop the node first.\n\n" +
        "With --to or --blocks it takes back all blocks after a height, upgrades included: the stores are those of that\n" +
        "height again, and the program of then goes on from it. What is lost is printed first. The state of the height must be\n" +
        "kept: the last versions are (keep-versions), and for good those of upgrade heights.",
    )
    .option("--hard", "the block goes too; it always does here")
    .option("--to <height>", "the height that becomes the last one", parseHeight)
    .option("--blocks <int>", "so many blocks", parseHeight)
    .option("--dry-run", "print what would be lost, and write nothing")
    .option("-y, --yes", "do not ask")
    .example("rollback --home node", "rollback --to 41 --dry-run --home node")
    .action(async (flags: RollbackFlags, command: Cobra) => {
      const home = String(command.optsWithGlobals()["home"]);
      const { rollback, rollbackHome } = await import("../rollback.js");
      if (flags.to === undefined && flags.blocks === undefined) {
        if (flags.dryRun) throw usage("--dry-run needs --to or --blocks");
        await context.print(rollback(home));
        return;
      }
      const { lossInWords, rollbackLoss } = await import("../rollback-loss.js");
      const loss = rollbackLoss(home, flags);
      const words = lossInWords(loss, `${PROGRAM} start --home ${shellWord(home)}`);
      if (flags.dryRun) {
        await context.print(loss, words.join("\n"));
        return;
      }
      for (const line of words) context.say(line);
      await confirmHere(context.io, flags.yes === true, "Take back these blocks?");
      await context.print(rollbackHome(home, loss));
    });
}
