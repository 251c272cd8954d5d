/** `chainvisor run`: all after the word are the application's arguments. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { requireSettings } from "../../decide/settings/read.js";
import { openSidecarLog, withLogFormat } from "../loop/log.js";
import { superviseHome } from "../supervised-home.js";
import type { VisorTools } from "../tools.js";

export function registerRun(program: Cobra): void {
  program
    .command("run")
    .argument("[args...]", "all of them go to the program, flags too")
    .summary("Run the program, and go on with the next one at an upgrade")
    .description(
      "Runs <home>/cosmovisor/current/bin/<name> with these arguments, and takes it through upgrades. Flags of the sidecar are\n" +
        "before the word `run`; all after it go to the program, but --cosmovisor-config FILE and --chainvisor-config FILE.\n" +
        "SIGTERM, SIGINT and SIGQUIT are passed on; the sidecar ends when the program has, with 0 or its status. SIGHUP is passed on, and\n" +
        "the run goes on: a program that it stops is started again.",
    )
    .example("run start", "--home /var/lib/chain --name chaind run start --min-retain-blocks 500");
}

/**
 * @returns the exit status of docs/errors.md
 * @throws UpgradeError UPG_STORE_LOCKED: another supervisor has this home; UPG_INVALID_ARGUMENT: the program is given another home
 */
export async function runApp({ reporter, env, readSettings }: VisorTools, args: readonly string[]): Promise<number> {
  const read = readSettings();
  requireSettings(read);
  const settings = withLogFormat(read, args, env);
  const openLog = () => {
    const log = openSidecarLog(reporter, settings);
    for (const warning of read.warnings) log("warn", warning);
    return log;
  };
  return superviseHome({ settings, env, args, openLog });
}
