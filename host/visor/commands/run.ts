/** `chainvisor run`: all after the word are the application's arguments. */
import { UpgradeError } from "../../errors.js";
import type { Cobra } from "../../shell/cobra.js";
import type { VisorTools } from "../tools.js";

export function registerRun(program: Cobra): void {
  program
    .command("run")
    .argument("[args...]", "all of them go to the program, flags too")
    .summary("Run the program, and go on with the next one at an upgrade")
    .description(
      "Runs <home>/cosmovisor/current/bin/<name> with these arguments, and takes it through upgrades. Flags of the sidecar are\n" +
        "before the word `run`; all after it go to the program, but --cosmovisor-config FILE and --chainvisor-config FILE.\n" +
        "SIGTERM, SIGINT, SIGQUIT and SIGHUP are passed on; the sidecar ends when the program has.",
    )
    .example("run start", "--home /var/lib/chain --name chaind run start --min-retain-blocks 500");
}

/** @returns the exit status of docs/errors.md */
export async function runApp(tools: VisorTools, args: readonly string[]): Promise<number> {
  tools.settings();
  throw new UpgradeError("UPG_NOT_FOUND_METHOD", `this build cannot run ${args.join(" ")}`);
}
