/** `chaind replay`: runs the blocks of a home again, elsewhere, and compares what they give. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { parseHeight } from "../../../base/terminal/options.js";
import { usage } from "../../../base/terminal/usage.js";
import type { Context } from "../../flags/context.js";

interface Flags {
  readonly from: string;
  readonly to?: bigint;
  readonly into?: string;
  readonly program?: readonly string[];
  readonly handlers?: string;
}

/** Another state was made, or none. */
const DIFFERS = 40;

export function registerReplay(program: Cobra, context: Context): void {
  program
    .command("replay")
    .summary("Run all blocks of a home again, and compare every app hash")
    .description(
      "Runs the blocks of a home again in a folder of its own, upgrades included, and compares the app hash and the results\n" +
        "of each with those that the chain has. Nothing is written to the home, whose node may run. It begins with genesis, or\n" +
        "after the lowest height whose block and state are kept. An upgrade is applied by this program, or by one that --program\n" +
        "gives for its plan: a file that has this command. Exit status 40: a block gave something else; the first is printed.",
    )
    .requiredOption("--from <dir>", "the home whose blocks are run")
    .option("--to <height>", "the last one (default: the last of the home)", parseHeight)
    .option("--into <dir>", "run them in this folder, which stays, and go on where it ends (default: a temporary one)")
    .option("--program <name=file>", "the program that goes on from the upgrade of this name; again for more", gathered)
    .option("--handlers <dir>", "folder of handlers, beside <home>/handlers (default: the program's own)")
    .example("replay --from node", "replay --from node --program v2=./new-version --into replayed")
    .action(async ({ program: named = [], ...flags }: Flags) => {
      const { replay } = await import("../replay/replay.js");
      const replayed = await replay(context.chain, { ...flags, programs: programsOf(named) }, (line) =>
        context.say(line),
      );
      await context.print(replayed);
      if (!replayed.ok) context.setExitStatus(DIFFERS);
    });
}

const gathered = (text: string, before: readonly string[] = []): string[] => [...before, text];

function programsOf(named: readonly string[]): Map<string, string> {
  return new Map(
    named.map((each) => {
      const at = each.indexOf("=");
      if (at < 1 || at === each.length - 1) throw usage(`--program ${each}: expected NAME=FILE`);
      return [each.slice(0, at), each.slice(at + 1)] as const;
    }),
  );
}
