/** Compiles one file of handler sources to what `chaind handler build` writes: with its metered module in it. */
import asc, { version } from "assemblyscript/asc";
import { compileHandler } from "../../host/cli/author/compile.js";
import { withMetered } from "../../host/upgrade/handler/metered-section.js";
import { ROOT } from "../house/sources.js";

/** @throws UpgradeError when it does not compile, or nodes would refuse it */
export async function buildHandler(project: string, entry: string): Promise<Uint8Array> {
  const compiler = { version, main: asc.main };
  const { bytes } = await compileHandler({ compiler, project, entry, packageRoot: ROOT });
  return withMetered(bytes);
}
