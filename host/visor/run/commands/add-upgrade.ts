/** `chainvisor add-upgrade`. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { parseHeight } from "../../../base/terminal/options.js";
import { usage } from "../../../base/terminal/usage.js";
import { chainvisorFor } from "../../../node/home/supervised-start.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { nodeFacts } from "../../decide/heights/node-facts.js";
import type { Settings } from "../../decide/settings.js";
import { addUpgrades } from "../../stage/layout/add-upgrade.js";
import { planInState } from "../../stage/plan-in-state.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";
import { askSidecar, statusOf } from "../without-sidecar/status-of.js";
import { requireSidecar, restartNow } from "./restart.js";

interface Flags {
  readonly upgradeHeight?: bigint;
  readonly force?: boolean;
  readonly restart?: boolean;
}

export function registerAddUpgrade(program: Cobra, tools: VisorTools): void {
  program
    .command("add-upgrade")
    .argument("<plan>", "the name of the plan")
    .argument("<executable>", "the new version's program, copied to <home>/cosmovisor/upgrades/<plan>/bin/<name>")
    .summary("Put the program of an upgrade into its folder, and set its height")
    .description(
      "Copies the new version's program to where the sidecar looks for it at the plan's height. With --upgrade-height the operator\n" +
        "sets the height, for an upgrade that no proposal schedules: it is kept in <home>/cosmovisor/queue.json, and the switch is\n" +
        "made when the node is known to be there. (Cosmovisor writes data/upgrade-info.json at once, which a node that is\n" +
        "restarted meanwhile takes for a height that is reached.)",
    )
    .option(
      "--upgrade-height <height>",
      "the first block that the new version makes (0: the chain says when, and a height that is queued is taken back)",
      parseHeight,
    )
    .option("--restart", "start the application again at once, so that it stops before --upgrade-height")
    .option("--force", "replace the program, and the height, that are there")
    .example("add-upgrade v2 ./build/chaind", "add-upgrade v2.0.1 ./build/chaind --upgrade-height 1200000 --restart")
    .action(async (name: string, executable: string, { upgradeHeight: height, force = false, restart }: Flags) => {
      if (restart && !height) throw usage("--restart is for --upgrade-height: without it nothing has changed");
      // Before anything is written.
      if (restart) await requireSidecar(tools);
      const settings = tools.settings();
      const chain = height ? await chainPlan(settings) : undefined;
      const [added] = await addUpgrades([{ name, executable, height }], {
        ...{ files: tools.files, settings, chain, isForced: force },
        last: height ? await lastBlock(settings) : undefined,
        log: tools.output.say,
      });
      if (restart) await restartNow(tools);
      else if (height) await sayRestart(tools);
      if (tools.output.isJson) await tools.output.print({ ...added, height: added?.height ?? null });
    });
}

/** By the home's state, else by the sidecar that runs. */
export async function chainPlan(settings: Settings): Promise<Plan | undefined> {
  const inState = await planInState(realMachine.files, settings);
  if (inState) return inState.plan;
  const { scheduled } = await statusOf(settings, realMachine);
  return scheduled?.origin === "chain" ? scheduled.plan : undefined;
}

/** By the home's files, else by the sidecar that runs, which asks the node of a chain whose files say nothing. */
async function lastBlock(settings: Settings): Promise<bigint | undefined> {
  const { files } = realMachine;
  const { reached } = await nodeFacts({ files, settings, sidecar: undefined });
  if (reached) return reached.height;
  const height = (await askSidecar(settings, realMachine))?.status.height;
  return height ? BigInt(height.value) : undefined;
}

/** The application that runs does not know the height. */
async function sayRestart(tools: VisorTools): Promise<void> {
  const settings = tools.settings();
  if (!(await askSidecar(settings, realMachine))) return;
  const next = `${chainvisorFor(settings)} restart`;
  tools.output.say(`not ready: the application that runs would make that block itself. Next: ${next}`);
}
