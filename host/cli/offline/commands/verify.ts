/** `chaind verify`: checks everything that a home's database holds. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Context } from "../../flags/context.js";

export function registerVerify(program: Cobra, context: Context): void {
  program
    .command("verify")
    .summary("Check the database: checksums, hashes, blocks, index")
    .description(
      "Reads the whole database and checks every page, every checksum, the hash of every tree node of every kept version,\n" +
        "every block, its results and its index entries, then data/priv_validator_state.json. Stop the node first. Nothing is written, so it works on a backup\n" +
        "and on a read-only file system.\n\n" +
        "Exit status 0: everything is sound. 30: it is damaged, and the message names the first damaged place (page, store,\n" +
        "key or height): then restore the data folder from a copy, all of its files but priv_validator_state.json, which\n" +
        "must never go back to an older one.",
    )
    .example("verify --home node", "verify --home backup -o json")
    .action(async (_: unknown, command: Cobra) => {
      const { verifyHome } = await import("../verify.js");
      await context.print(verifyHome(String(command.optsWithGlobals()["home"]), (line) => context.say(line)));
    });
}
