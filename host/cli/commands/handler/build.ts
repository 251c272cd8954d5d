/** `chaind handler build`: from an author's project to one .wasm with its manifest inside. */

import { fileURLToPath } from "node:url";
import { isUpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Output } from "../../../base/terminal/output.js";
import { buildProject, buildText } from "../../author/build.js";
import { packageRoot } from "../../author/compiler.js";
import type { Context } from "../../flags/context.js";

interface Options {
  readonly project: string;
  readonly out?: string;
  readonly locked?: boolean;
  /** False: `--no-metered`. */
  readonly metered: boolean;
}

export function registerBuild(handler: Cobra, context: Context): void {
  handler
    .command("build")
    .summary("Build a handler from its sources")
    .description(
      "Compiles assembly/index.ts and puts the manifest in that it declares. The bytes depend on the sources and on what\n" +
        "handler.lock.json names, and on nothing else: with --locked anyone sees that a handler is made of these sources.\n" +
        "Another --out, such as v3.wasm, has its own lock beside it, v3.lock.json, and leaves the project's alone; --locked\n" +
        "takes the project's where there is none beside it.\n\n" +
        "The metered module is put in too, unless the file would then pass 1 MiB. Hosts that cannot run check.wasm need it.\n\n" +
        "What nodes would refuse is written beside it as handler.refused.wasm, with the names of its functions; exit status 21.",
    )
    .option("--project <dir>", "folder of the project", ".")
    .option("--out <file>", "where to write the handler (default: build/handler.wasm in the project)")
    .option("--no-metered", "leave the metered module out: hosts that run check.wasm make it themselves")
    .option("--locked", "refuse to make other bytes than the lock has")
    .example("handler build", "handler build --project my-handler --out v3.wasm", "handler build --locked")
    .action(async (options: Options) => {
      const root = packageRoot(fileURLToPath(import.meta.url));
      const building = buildProject({ ...options, packageRoot: root });
      const answer = await building.catch((error: unknown) => sayCompiler(error, context));
      await context.print(answer, buildText(answer));
    });
}

/** The compiler's own words, with the lines of the source, on stderr before the error's. */
function sayCompiler(error: unknown, output: Output): never {
  if (isUpgradeError(error) && error.details["compiler"]) output.say(error.details["compiler"]);
  throw error;
}
