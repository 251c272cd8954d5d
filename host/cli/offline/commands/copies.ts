/** `chaind compact` and `chaind backup`: the database without its free pages, in its place and elsewhere. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Context } from "../../flags/context.js";
import type { BackupFlags } from "../backup.js";

export function registerCompact(program: Cobra, context: Context): void {
  program
    .command("compact")
    .summary("Make the database smaller, by the pages that are free in it")
    .description(
      "Copies the database without its free pages, verifies the copy as `verify` does, and puts it in the place of the one\n" +
        "before: whole or not at all. Needs as much free space as the copy takes. Stop the node first.",
    )
    .example("compact --home node")
    .action(async (_: unknown, command: Cobra) => {
      const { compactHome } = await import("../compact.js");
      await context.print(await compactHome(String(command.optsWithGlobals()["home"]), (line) => context.say(line)));
    });
}

export function registerBackup(program: Cobra, context: Context): void {
  program
    .command("backup <folder>")
    .summary("Copy a home, beside its running node")
    .description(
      "Copies the state of one moment with the files that a node needs beside it into a new folder, and verifies the copy as\n" +
        "`verify` does: it is a home. The node goes on meanwhile. Keys are left out; with --with-keys the copy has those of the\n" +
        "validator and of the node too, and what was signed last. With CometBFT its own databases are no part of it.",
    )
    .option("--with-keys", "the validator's key and the node's key too")
    .example("backup /var/backups/node-1 --home node", "verify --home /var/backups/node-1")
    .action(async (folder: string, flags: BackupFlags, command: Cobra) => {
      const { backupHome, backupInWords } = await import("../backup.js");
      const home = String(command.optsWithGlobals()["home"]);
      const backup = await backupHome(home, folder, flags, (line) => context.say(line));
      await context.print(backup, backupInWords(backup));
    });
}
