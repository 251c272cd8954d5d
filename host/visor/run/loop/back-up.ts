/** The backup as a step: of a switch, and before a handler's plan is made by the program that is started again for it. */
import { messageOf } from "../../../base/errors/errors.js";
import type { Program } from "../../../node/programs/layout.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import type { Shared } from "./options.js";
import { StepFailure } from "./scripts.js";

/** @throws Error in words */
export async function backUp(
  { settings, machine, board, log, signal }: Shared,
  current: Program,
  plan: Plan,
): Promise<void> {
  const { makeBackup } = await import("../../backup/backup.js");
  const { files, clock } = machine;
  const begin = clock.now();
  log("info", `backs up ${settings.home}/data into ${settings.backupDir}`);
  const { folder, manifest } = await makeBackup({
    ...{ files, clock, settings, plan, program: current.folder, signal, log },
    onProgress: (done, total) =>
      board.update({ progress: { what: "bytes", done: String(done), total: String(total) } }),
  });
  board.count("backupBytes", manifest.bytes);
  board.update({ progress: null });
  log(
    "info",
    `the backup is ${folder}: ${manifest.files.length} files, by ${manifest.how}, in ${((clock.now() - begin) / 1_000).toFixed(1)} s`,
  );
}

/** The state changes as much as at a switch, and the node has ended. @throws StepFailure with Cosmovisor's text */
export async function backUpBeforeRestart(shared: Shared, current: Program, plan: Plan): Promise<void> {
  if (shared.settings.isBackupSkipped) return;
  shared.board.update({ phase: "backing up" });
  try {
    await backUp(shared, current, plan);
  } catch (cause) {
    if (shared.signal.aborted) throw new StepFailure("stopped by a signal before the upgrade was made", 0);
    throw new StepFailure(`error while taking data backup: ${messageOf(cause)}`);
  }
}
