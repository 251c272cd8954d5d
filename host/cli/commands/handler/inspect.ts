/** `chaind handler inspect FILE`: what is inside. */

import { inspectHandler } from "../../../author/inspection.js";
import { readWasmFile } from "../../../author/wasm-file.js";
import type { Cobra } from "../../../shell/cobra.js";
import type { Output } from "../../../shell/output.js";

const REFUSED_EXIT = 21;

export function registerInspect(handler: Cobra, output: Output): void {
  handler
    .command("inspect")
    .argument("<file>", "handler file")
    .summary("Show what is inside a handler")
    .description(
      "Shows the manifest, imports, exports, sections and functions of a handler, with their sizes; of a file that nodes\n" +
        "refuse as much as can be read, and exit status 21.",
    )
    .example("handler inspect v3.wasm", "handler inspect v3.wasm -o json")
    .action((file: string) => {
      const { bytes, sha256, size } = readWasmFile(file);
      const inspection = inspectHandler(bytes);
      const ok = inspection.findings.length === 0;
      if (!ok) process.exitCode = REFUSED_EXIT;
      output.print({ file, sha256, size, ok, ...inspection });
    });
}
