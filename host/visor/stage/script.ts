/** The operator's script that runs before the switch. */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { type MachineName, programProblem } from "../../node/programs/executable.js";
import type { Settings } from "../decide/settings.js";

type ScriptSettings = Pick<Settings, "root" | "customPreUpgrade">;

export const scriptFile = ({ root, customPreUpgrade }: ScriptSettings): string => join(root, customPreUpgrade);

/** Undefined: it can be run, or there is none. */
export function scriptProblem(files: Files, settings: ScriptSettings, machine?: MachineName): string | undefined {
  if (settings.customPreUpgrade === "") return undefined;
  const problem = programProblem(files, scriptFile(settings), machine);
  // The sidecar makes it executable for its user.
  if (problem === undefined || problem.endsWith("executed by all")) return undefined;
  return `COSMOVISOR_CUSTOM_PREUPGRADE: ${problem}`;
}
