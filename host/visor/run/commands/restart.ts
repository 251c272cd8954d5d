/** `chainvisor restart`. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { placesOf } from "../../decide/decision/paths.js";
import { requestRestart } from "../../decide/restart-request.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";
import { askSidecar } from "../without-sidecar/status-of.js";

export function registerRestart(program: Cobra, tools: VisorTools): void {
  program
    .command("restart")
    .summary("Start the application again, under the sidecar that runs")
    .description(
      "The sidecar sends SIGTERM to the application, which finishes its\n" +
        "block, and starts it again at once with the same arguments. Needed\n" +
        "after `add-upgrade --upgrade-height`: the application gets\n" +
        "--halt-height at its start, so that the next version makes that block.",
    )
    .example("restart")
    .action(async () => {
      await restartNow(tools);
      tools.output.say("the sidecar starts the application again");
    });
}

/** @throws UpgradeError UPG_REMOTE_UNAVAILABLE: no sidecar runs */
export async function requireSidecar(tools: VisorTools): Promise<void> {
  const settings = tools.settings();
  if (await askSidecar(settings, realMachine)) return;
  const what = `no sidecar runs on ${settings.home}: there is no application to start again`;
  throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", what);
}

/** @throws UpgradeError UPG_REMOTE_UNAVAILABLE: no sidecar runs; UPG_STORE_IO */
export async function restartNow(tools: VisorTools): Promise<void> {
  await requireSidecar(tools);
  const settings = tools.settings();
  requestRestart(tools.files, placesOf(settings).restartFile);
}
