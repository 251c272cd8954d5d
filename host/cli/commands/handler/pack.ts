/** `chaind handler pack FILE`: a manifest for a handler of any language's compiler. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { packHandler, packText } from "../../author/pack.js";
import type { Context } from "../../flags/context.js";

export function registerPack(handler: Cobra, context: Context): void {
  handler
    .command("pack")
    .argument("<file>", "Wasm file of a compiler")
    .summary("Attach a manifest to a handler in another language")
    .description(
      "Checks the manifest and the file by the rules that every node applies, and writes the file with the manifest in it, in\n" +
        "the place of one that it has. What `build` makes has its manifest already.\n\n" +
        "Exit status 21: nodes would refuse it, and nothing is written. 2: there is no such file. 30: it cannot be read.",
    )
    .option("--manifest <file>", "JSON of the manifest; a handler in C has it in its source")
    .requiredOption("--out <file>", "where to write the handler")
    .example("handler pack target/wasm32-unknown-unknown/release/v3.wasm --manifest manifest.json --out v3.wasm")
    .action(async (file: string, options: { manifest?: string; out: string }) => {
      const answer = packHandler({ file, ...options });
      await context.print(answer, packText(answer));
    });
}
