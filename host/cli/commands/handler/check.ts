/** `chaind handler check FILE…`: would a node take these files? */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { checkFile, checkText, exitOfChecks, type FileCheck } from "../../author/file-check.js";
import type { Context } from "../../flags/context.js";

export function registerCheck(handler: Cobra, context: Context): void {
  const { chain } = context;
  handler
    .command("check")
    .argument("<file...>", "handler files")
    .summary("Check whether nodes take a handler, and why not")
    .description(
      "Checks files by the rules that every node applies before it runs one. Exit status 21 if any is refused; else 30 " +
        "if one cannot be read, 2 if one is absent.",
    )
    .example("handler check v3.wasm", "handler check handlers/*.wasm -o json")
    .action(async (files: string[]) => {
      const checks: FileCheck[] = [];
      for (const file of files) {
        const check = checkFile(file, chain.table);
        await context.print(check, checkText(check));
        checks.push(check);
      }
      context.setExitStatus(exitOfChecks(checks));
    });
}
