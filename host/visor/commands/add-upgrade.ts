/** `chainvisor add-upgrade`. */
import type { Cobra } from "../../shell/cobra.js";
import { parseHeight } from "../../shell/options.js";
import { addUpgrades } from "../layout/add-upgrade.js";
import type { VisorTools } from "../tools.js";

interface Flags {
  readonly upgradeHeight?: bigint;
  readonly force?: boolean;
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
      "the first block that the new version makes (0: the chain says when)",
      parseHeight,
    )
    .option("--force", "replace the program, and the height, that are there")
    .example("add-upgrade v2 ./build/chaind", "add-upgrade v2.0.1 ./build/chaind --upgrade-height 1200000")
    .action(async (name: string, executable: string, { upgradeHeight = 0n, force = false }: Flags) => {
      const upgrade = { name, executable, height: upgradeHeight > 0n ? upgradeHeight : undefined };
      const [added] = await addUpgrades([upgrade], {
        ...{ files: tools.files, settings: tools.settings(), isForced: force },
        log: tools.output.say,
      });
      if (tools.output.isJson) tools.output.print({ ...added, height: added?.height ?? null });
    });
}
