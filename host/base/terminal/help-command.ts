/** `help COMMAND…`, of a program's commands at any depth. */

import { type Cobra, commandPath } from "./cobra.js";
import { formatHelp } from "./help.js";
import { usage } from "./usage.js";

export function registerHelp(program: Cobra): void {
  program.helpCommand(false);
  program
    .command("help")
    .argument("[command...]", "the command")
    .summary("Help about any command")
    .action((words: string[]) => {
      let at: Cobra = program;
      for (const word of words) {
        const next = at.commands.find((each) => each.name() === word || each.aliases().includes(word));
        if (!next) throw usage(`unknown help topic "${word}" for "${commandPath(at)}"`);
        at = next as Cobra;
      }
      program.print(formatHelp(at));
    });
}
