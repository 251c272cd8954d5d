/** `chaind handler inspect FILE`: what is inside. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { inspectFile } from "../../author/inspection.js";
import { inspectionText } from "../../author/inspection-text.js";
import type { Context } from "../../flags/context.js";

const REFUSED_EXIT = 21;

export function registerInspect(handler: Cobra, context: Context): void {
  const { chain } = context;
  handler
    .command("inspect")
    .argument("<file>", "handler file")
    .summary("Show what is inside a handler")
    .description(
      "Shows the manifest, imports, exports, sections and functions of a handler, with their sizes; of a file that nodes\n" +
        "refuse as much as can be read, and exit status 21. JSON has everything.",
    )
    .option("--all", "every import, export and function, however many there are")
    .example("handler inspect v3.wasm", "handler inspect v3.wasm --all", "handler inspect v3.wasm -o json")
    .action(async (file: string, { all = false }: { all?: boolean }) => {
      const inspected = inspectFile(file, chain.table);
      if (!inspected.ok) context.setExitStatus(REFUSED_EXIT);
      const { does: _, ...answer } = inspected;
      await context.print(answer, inspectionText(inspected, all));
    });
}
