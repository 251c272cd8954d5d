/** `chaind handler meter FILE --out FILE`: the file with its metered module in it, for hosts that cannot make it. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { meterFile } from "../../author/metered-file.js";
import type { Context } from "../../flags/context.js";

export function registerMeter(handler: Cobra, context: Context): void {
  handler
    .command("meter")
    .argument("<file>", "handler file")
    .summary("Put the metered module into a handler that another compiler made")
    .description(
      "Writes the handler with custom section chain-upgrade.metered at its end: the module as nodes run it, with gas and\n" +
        "stack counted. A host that cannot run check.wasm runs that one; all others make it again and refuse a difference.\n" +
        "`handler build` does this itself. An old section is replaced. The file's hash changes: meter before you pin it.",
    )
    .requiredOption("--out <file>", "where to write it; may be the same file")
    .example("handler meter re-key.wasm --out handlers/v2.wasm")
    .action(async (file: string, { out }: { out: string }) => {
      const answer = meterFile(file, out);
      const { name, sha256, size, metered } = answer;
      await context.print(
        answer,
        `${out}  ${size} bytes, ${metered} of them the metered module, for plan ${JSON.stringify(name)}\nsha256  ${sha256}`,
      );
    });
}
