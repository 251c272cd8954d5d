/** `chaind export`: the state of a home that no node holds, as a genesis document. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { parseHeight } from "../../../base/terminal/options.js";
import type { Context } from "../../flags/context.js";

interface ExportFlags {
  readonly height: bigint;
  readonly forZeroHeight?: boolean;
  readonly outputDocument?: string;
}

export function registerExport(program: Cobra, context: Context): void {
  program
    .command("export")
    .summary("Print the state as a genesis document")
    .description(
      `Prints the state as a genesis document, one that \`${context.chain.name} init --genesis\` takes. Stop the node first. A scheduled\n` +
        "plan is not included: the upgrade module has no genesis state. A module whose records\n" +
        "the document leaves out is named in a warning on stderr.",
    )
    .option("--height <int>", "state of this height (0: the last)", parseHeight, 0n)
    .option("--for-zero-height", "a chain that begins with it begins at height 1")
    .option("--output-document <string>", "write it to this file")
    .example("export --home node --output-document genesis.json", "init next --genesis genesis.json --home next")
    .action(async (flags: ExportFlags, command: Cobra) => {
      const { exportGenesis } = await import("../export.js");
      const { home } = command.optsWithGlobals() as { home: string };
      exportGenesis(context.chain, home, flags, context.say);
    });
}
