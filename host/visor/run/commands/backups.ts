/** `chainvisor backups`. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { type ListedBackup, listBackups } from "../../backup/list.js";
import type { VisorTools } from "../tools.js";

export function registerBackups(program: Cobra, tools: VisorTools): void {
  program
    .command("backups")
    .summary("List the backups of this home")
    .description(
      "Lists the backups in DAEMON_DATA_BACKUP_DIR, the latest first. One with a manifest can be checked and restored by\n" +
        "`chainvisor rollback --backup NAME`; one that Cosmovisor made has none.",
    )
    .example("backups", "backups -o json")
    .action(async () => {
      const found = listBackups(tools.files, tools.settings().backupDir);
      await tools.output.print({ backups: found.map(rowOf) }, found.map(lineOf).join("\n") || "No backups.");
    });
}

function rowOf({ name, folder, manifest }: ListedBackup) {
  if (!manifest) return { name, folder, verifiable: false };
  const { plan, time, how, bytes, program } = manifest;
  return { name, folder, verifiable: true, plan, time, how, bytes: String(bytes), program };
}

function lineOf({ name, manifest }: ListedBackup): string {
  if (!manifest) return `${name}  without a manifest: it cannot be checked`;
  const { plan, time, how, bytes, files } = manifest;
  return `${name}  ${time}  before "${plan.name}" at height ${plan.height}  ${bytes} bytes in ${files.length} files, by ${how}`;
}
