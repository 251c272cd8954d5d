/** `chaind handler new DIR`: a project that builds and tests green at once. */

import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isUpgradeError, messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { makeFolder } from "../../../base/files/open-file.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { nameProblem } from "../../../upgrade/handler/manifest/names.js";
import { packageRoot } from "../../author/compiler.js";
import { projectFiles } from "../../author/new-project.js";
import type { Context } from "../../flags/context.js";

export function registerNew(handler: Cobra, context: Context): void {
  handler
    .command("new")
    .argument("<dir>", "folder to make; it must not exist or be empty")
    .summary("Begin a handler")
    .description(
      "Makes the project of a handler that works: build it, test it, then change it. It counts the holders of each\n" +
        "denomination, over the layout that the example chain has since plan v2; for v2 itself it is the example's migration.",
    )
    .option("--plan <name>", "name of the plan that the handler serves", "v3")
    .example("handler new my-handler", "handler new my-handler --plan v4")
    .action(async (dir: string, { plan }: { plan: string }) => {
      const files = makeProject(dir, plan);
      const text = [
        `made ${dir}: ${files.join(", ")}`,
        `next: cd ${shellWord(dir)}`,
        "      npm install",
        "      npm test",
      ];
      await context.print({ dir, files }, text.join("\n"));
    });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when there is something, and nothing is overwritten; UPG_STORE_IO */
function makeProject(dir: string, plan: string): string[] {
  const problem = nameProblem(plan);
  if (problem) throw refuse(`the plan's name ${problem}: give another one with --plan`);
  if (dir === "") throw refuse("the folder's name is empty: name a folder that is empty, or that does not exist");
  const folder = resolve(dir);
  const root = packageRoot(fileURLToPath(import.meta.url));
  const files = projectFiles({ name: basename(folder), plan, packageRoot: root });
  try {
    requireEmpty(dir, folder);
    for (const [path, text] of files) {
      const file = join(folder, path);
      makeFolder(dirname(file));
      writeFileSync(file, text, { flag: "wx" });
    }
  } catch (cause) {
    if (isUpgradeError(cause)) throw cause;
    const message = messageOf(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot make ${dir}: ${message}`, { cause });
  }
  return [...files.keys()];
}

function refuse(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", what);
}

function requireEmpty(dir: string, folder: string): void {
  if (!existsSync(folder)) return;
  const advice = "name a folder that is empty, or that does not exist";
  if (!statSync(folder).isDirectory()) throw refuse(`${dir} is a file: ${advice}`);
  if (readdirSync(folder).length > 0) throw refuse(`${dir} is not empty: ${advice}`);
}
