/** `chainvisor add-batch-upgrade`. */
import { resolve } from "node:path";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { usage } from "../../../base/terminal/usage.js";
import { decodeLossy } from "../../../base/text/text.js";
import { addUpgrades, type UpgradeToAdd } from "../../stage/layout/add-upgrade.js";
import { upgradesInCsv, upgradesInList } from "../../stage/layout/batch.js";
import type { VisorTools } from "../tools.js";
import { chainPlan } from "./add-upgrade.js";

const BYTES_MAX = 1_048_576;

interface Flags {
  readonly upgradeFile?: string;
  readonly upgradeList?: string;
}

export function registerAddBatchUpgrade(program: Cobra, tools: VisorTools): void {
  program
    .command("add-batch-upgrade")
    .summary("Put the programs of several upgrades into their folders, with their heights")
    .description(
      "As add-upgrade with --upgrade-height and --force, for several upgrades: all of them are checked before one is written.\n" +
        "For a node that follows a chain from its beginning through upgrades that are long past.",
    )
    .option("--upgrade-file <file>", "lines of name,path,height")
    .option("--upgrade-list <list>", "name:path:height, with commas between them")
    .example("add-batch-upgrade --upgrade-list v2:/opt/v2/chaind:1000,v3:/opt/v3/chaind:2500")
    .action(async (flags: Flags) => {
      const upgrades = given(tools, flags);
      const settings = tools.settings();
      const added = await addUpgrades(upgrades, {
        ...{ files: tools.files, settings, isForced: true, chain: await chainPlan(settings) },
        log: tools.output.say,
      });
      if (tools.output.isJson) await tools.output.print({ upgrades: added });
    });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function given({ files }: VisorTools, { upgradeFile, upgradeList }: Flags): UpgradeToAdd[] {
  if (upgradeFile !== undefined && upgradeList !== undefined)
    throw usage("--upgrade-file and --upgrade-list exclude each other: give one of them");
  if (upgradeList !== undefined) return upgradesInList(upgradeList);
  if (upgradeFile === undefined) throw usage("either --upgrade-file or --upgrade-list must be provided");
  const bytes = files.read(resolve(upgradeFile), BYTES_MAX);
  if (!bytes) throw usage(`no file of upgrades at ${resolve(upgradeFile)}`);
  return upgradesInCsv(decodeLossy(bytes));
}
