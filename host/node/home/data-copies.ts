/** Data of a home beside its data folder: of before a rollback, of backups, and what a rollback has not put in place yet. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { isMountPoint } from "../../base/files/mount-point.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { chainvisorFor } from "./supervised-start.js";

/** A restored copy, beside the data folder until it takes its place. */
export const RESTORED_PART = "data.restoring";
/** Below the sidecar's root, from the moment the copy is whole until data and program belong together again. */
export const ROLLBACK_NOTE = "rollback.json";

/** The newest folder with such a database; a rollback of the sidecar, or an operator, has moved it there. Empty: there is none. */
export function keptData(databaseFile: string): { readonly kept_data?: string } {
  const data = dirname(databaseFile);
  const timeOf = (folder: string) => statSync(join(folder, basename(databaseFile)), { throwIfNoEntry: false })?.mtimeMs;
  const kept = foldersBeside(data)
    .filter((folder) => !folder.endsWith(RESTORED_PART))
    .map((folder) => ({ kept_data: folder, time: timeOf(folder) ?? 0 }))
    .sort((a, b) => b.time - a.time)[0];
  return kept && kept.time > 0 ? { kept_data: kept.kept_data } : {};
}

/** Folders beside a data folder whose names begin with its own. Empty where the folder above cannot be listed. */
export function foldersBeside(data: string): readonly string[] {
  const parent = dirname(data);
  const [kept, restored] = [`${basename(data)}-`, `${basename(data)}.restoring`];
  try {
    const found = readdirSync(parent, { withFileTypes: true }).filter((each) => each.isDirectory());
    const names = found.map(({ name }) => name).filter((name) => name.startsWith(kept) || name === restored);
    return names.map((name) => join(parent, name));
  } catch {
    return [];
  }
}

interface RollbackOf {
  readonly home: string;
  readonly root: string;
  readonly name: string;
}

/** For people; undefined: no rollback was interrupted. `next` completes the rollback, or cancels one that cannot be completed. */
export function interruptedRollback(
  files: Pick<Files, "facts" | "linkFacts">,
  { home, root, name }: RollbackOf,
): { readonly detail: string; readonly next: string } | undefined {
  const note = join(root, ROLLBACK_NOTE);
  if (!files.linkFacts(note)) return undefined;
  const data = join(home, "data");
  const next = `${chainvisorFor({ home, name })} rollback`;
  const begin = `a rollback was interrupted (${note})`;
  if (files.facts(data)?.kind !== "folder")
    return { detail: `${begin}: ${data} is missing until it is completed. \`chainvisor run\` completes it, too`, next };
  if (!isMountPoint(data) || !files.linkFacts(join(home, RESTORED_PART)))
    return { detail: `${begin}. \`chainvisor run\` completes it, too`, next };
  const why = `${data} is a mount point, which cannot be moved aside`;
  return { detail: `${begin} and cannot be completed: ${why}. Nothing starts until it is canceled`, next };
}

/**
 * Refuses a home whose rollback was interrupted: its data may be missing, or belong to another program than the linked one.
 * @throws UpgradeError UPG_INVALID_CONFIG with the commands that complete the rollback
 */
export function requireNoRollback(home: string): void {
  const note = join(home, "cosmovisor", ROLLBACK_NOTE);
  if (!existsSync(note)) return;
  const chainvisor = chainvisorFor({ home, name: process.env["DAEMON_NAME"] || PROGRAM });
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `a rollback of ${home} was interrupted (${note}), so its data and program may not belong together. Nothing was changed. ` +
      `Complete the rollback with \`${chainvisor} rollback\`, or start the node with \`${chainvisor} run start\`, which completes it first`,
  );
}
