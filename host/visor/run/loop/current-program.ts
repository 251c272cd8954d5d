/** The program that `current` links to, and what makes the home whole before that program is started. */
import { messageOf } from "../../../base/errors/errors.js";
import { interruptedRollback } from "../../../node/home/data-copies.js";
import type { Program } from "../../../node/programs/layout.js";
import { endRestore } from "../../backup/restoring.js";
import { syncNames } from "../../stage/layout/link-program.js";
import { nextForCurrent } from "../../stage/next-for-current.js";
import type { Shared } from "./options.js";
import { StepFailure } from "./scripts.js";

/** @throws StepFailure: the link leads to no program; the status has the command that repairs it */
export function currentProgram({ layout, machine, settings, board }: Shared): Program {
  if (machine.files.facts(settings.root)?.kind !== "folder")
    throw new StepFailure(`current binary is invalid: there is no folder ${settings.root}`);
  try {
    return layout.current();
  } catch (cause) {
    const next = nextForCurrent(machine.files, settings);
    board.update({ next: [next] });
    throw new StepFailure(`current binary is invalid: ${messageOf(cause)}. Next: ${next}`);
  }
}

/** Completes a rollback that was interrupted: data and program fit each other again. @throws what the system says */
export function completeRollback({ machine, settings, log, board }: Shared): void {
  const next = interruptedRollback(machine.files, settings)?.next;
  if (next !== undefined) board.update({ next: [next] });
  const ended = endRestore({ files: machine.files, home: settings.home, root: settings.root });
  if (next !== undefined) board.update({ next: [] });
  if (ended) log("warn", `the rollback to ${ended.note.folder}, which was cut off, is ended`);
}

/** Makes the link durable that a killed sidecar has made, before its program makes a block. Best effort. */
export function syncCurrent(shared: Shared): void {
  const { machine, settings, log } = shared;
  try {
    syncNames(machine.files, settings.root, currentProgram(shared));
  } catch (error) {
    log("debug", `names below ${settings.root} are not synced: ${messageOf(error)}`);
  }
}
