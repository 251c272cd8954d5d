/** `chaind handler new DIR`: a project that builds and tests green at once. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UpgradeError } from "../../../errors.js";
import type { Cobra } from "../../cobra.js";
import { packageRoot } from "../../handler/compiler.js";
import { projectFiles } from "../../handler/new-project.js";
import type { Output } from "../../output.js";

export function registerNew(handler: Cobra, output: Output): void {
  handler
    .command("new")
    .argument("<dir>", "folder to make; it must not exist or be empty")
    .summary("Begin a handler")
    .description("Makes the project of a handler that works: build it, test it, then change it.")
    .option("--plan <name>", "name of the plan that the handler serves", "v3")
    .action((dir: string, { plan }: { plan: string }) => {
      const files = makeProject(dir, plan);
      const text = [`made ${dir}: ${files.join(", ")}`, `next: cd ${dir}`, "      npm install", "      npm test"];
      output.print({ dir, files }, text.join("\n"));
    });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when there is something; nothing is overwritten */
function makeProject(dir: string, plan: string): string[] {
  const folder = resolve(dir);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `${dir} is not empty: name a folder that is, or that does not exist`,
    );
  }
  const root = packageRoot(fileURLToPath(import.meta.url));
  const files = projectFiles({ name: basename(folder), plan, packageRoot: root });
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
  }
  return [...files.keys()];
}
