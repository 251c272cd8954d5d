/** `chaind handler inspect FILE`: what is inside. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Output } from "../../../base/terminal/output.js";
import { inspectFile } from "../../author/inspection.js";
import { inspectionText } from "../../author/inspection-text.js";
import { programChain } from "../../flags/program-chain.js";

const REFUSED_EXIT = 21;

export function registerInspect(handler: Cobra, output: Output): void {
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
    .action((file: string, { all = false }: { all?: boolean }) => {
      const inspected = inspectFile(file, programChain().table);
      if (!inspected.ok) process.exitCode = REFUSED_EXIT;
      const { does: _, ...answer } = inspected;
      output.print(answer, inspectionText(inspected, all));
    });
}
