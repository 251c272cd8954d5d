/** `chaind pre-upgrade`: what sidecars run before they start a new binary. Its exit statuses are theirs. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { settingFlags } from "../../../base/terminal/known-settings.js";
import { HANDLER_DISK_MAX_HELP, parseCount } from "../../../base/terminal/options.js";
import { startUnderRunningSidecar } from "../../../node/home/supervised-start.js";
import type { Context } from "../../flags/context.js";
import { settledStart } from "../../flags/start-settings.js";
import type { PreUpgradeFlags } from "../pre-upgrade.js";

export function registerPreUpgrade(program: Cobra, context: Context): void {
  program
    .command("pre-upgrade")
    .summary("Check whether this binary can take over a home, for sidecars")
    .description(
      "Makes every check that `start` would make at the next plan's height, as far ahead as that is, and writes nothing;\n" +
        "a node may run in the home. Settings count as `start` reads them: from the environment, app.toml and the flags of\n" +
        "the `run start` of a chainvisor that runs on this home. A halt-height, an app-version or an unsafe-skip-upgrades with which the\n" +
        "plan's block is not made are refused.\n" +
        "Exit 0: this binary can go on, or take over at the height. 30: it cannot, and trying again does not help.\n" +
        "31: it can, but a plan is due and another process still has the home open: try again.\n" +
        "Supervisors read that status and the lines on stderr, which are the same with -o json.\n" +
        "Without --home and its environment the home is DAEMON_HOME, where Cosmovisor runs this command.",
    )
    .option("--handlers <string>", "folder of handlers, beside <home>/handlers (default: the program's own)")
    .option("--handlers-staged <string>", "one more folder of handlers that wait for their height")
    .option("--handler-disk-max <bytes>", HANDLER_DISK_MAX_HELP, parseCount)
    .example("pre-upgrade --home node")
    .action(async (flags: PreUpgradeFlags, command: Cobra) => {
      const settings = [...settingFlags(program, "app").keys()];
      const { preUpgrade } = await import("../pre-upgrade.js");
      const home = String(command.optsWithGlobals()["home"]);
      const { chain, io } = context;
      const start = () => settledStart(program, io.env, startUnderRunningSidecar(chain.name, home, io.env));
      context.setExitStatus(preUpgrade(chain, home, { ...flags, settings, start }, context.say));
    });
}
