/** `chaind handler diff A B`: what changed between two builds. */

import { isUpgradeError } from "../../../base/errors/errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { loadHandler } from "../../../upgrade/handler/handler.js";
import { compareHandlers } from "../../author/comparison.js";
import { HandlerProject, type NamedFixture } from "../../author/project.js";
import { gasOf, withDefault } from "../../author/testing/fixture-runs.js";
import { readWasmFile, type WasmFile } from "../../author/wasm-file.js";
import type { Context } from "../../flags/context.js";

export function registerDiff(handler: Cobra, context: Context): void {
  handler
    .command("diff")
    .argument("<a>", "handler file")
    .argument("<b>", "handler file")
    .summary("Show what two handlers differ in")
    .description("Compares manifest, imports, exports, functions, and the gas of the project's scenes.")
    .option("--project <dir>", "folder of the project with the scenes", ".")
    .example("handler diff before.wasm after.wasm")
    .action(async (a: string, b: string, { project }: { project: string }) => {
      const [left, right] = [readWasmFile(a), readWasmFile(b)];
      const fixtures = new HandlerProject(project).fixtures();
      const [gasA, gasB] = [gasIn(left, fixtures), gasIn(right, fixtures)];
      await context.print({
        same: left.sha256 === right.sha256,
        a: { file: a, sha256: left.sha256, size: left.size },
        b: { file: b, sha256: right.sha256, size: right.size },
        ...compareHandlers(left.bytes, right.bytes),
        gas: withDefault(fixtures).map(({ name }) => ({ fixture: name, a: gasA[name] ?? null, b: gasB[name] ?? null })),
      });
    });
}

/** A file that nodes refuse has no gas: its code is in its place. */
function gasIn({ bytes }: WasmFile, fixtures: readonly NamedFixture[]): Readonly<Record<string, string>> {
  try {
    return gasOf(loadHandler(bytes, { sha256 }), fixtures).gas;
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return Object.fromEntries(withDefault(fixtures).map(({ name }) => [name, error.code]));
  }
}
