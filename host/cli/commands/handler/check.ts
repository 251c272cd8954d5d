/** `chaind handler check FILE…`: would a node take these files? */

import { checkFile, checkText } from "../../../author/file-check.js";
import type { Cobra } from "../../../shell/cobra.js";
import type { Output } from "../../../shell/output.js";

const REFUSED_EXIT = 21;

export function registerCheck(handler: Cobra, output: Output): void {
  handler
    .command("check")
    .argument("<file...>", "handler files")
    .summary("Say whether nodes take a handler, and if not why")
    .description(
      "Checks files by the rules that every node applies before it runs one. Exit status 21 if any is refused.",
    )
    .action((files: string[]) => {
      for (const file of files) {
        const answer = checkFile(file);
        if (!answer.ok) process.exitCode = REFUSED_EXIT;
        output.print(answer, checkText(answer));
      }
    });
}
