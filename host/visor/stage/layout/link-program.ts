/** `current` links to the program of a plan from now on, by one rename; `previous` to the one before. */

import { dirname, join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { linkWhole, writeWhole } from "../../../base/files/whole-file.js";
import { utf8 } from "../../../base/text/bytes.js";
import { formatTime, ZERO_TIME } from "../../../base/time/time.js";
import type { Program } from "../../../node/programs/layout.js";
import { type Plan, planIn } from "../../decide/decision/plan-file.js";
import { isSamePlan } from "../../decide/decision/queue.js";

const FILE_MODE = 0o600;

/** As x/upgrade writes it. */
export function planBytes({ name, height, info }: Plan): Uint8Array {
  return utf8(JSON.stringify({ name, time: formatTime(ZERO_TIME), height: Number(height), info }));
}

/**
 * The plan's file first: a link without it would be a program of no height. Each step may be the last one that is made, and all are
 * made again by the next decision.
 * @throws what the system says
 */
export function linkProgram(files: Files, root: string, from: Program, to: Program, plan: Plan): void {
  if (to.folder === undefined) throw new Error(`${to.file} is in no folder below ${root}`);
  const planFile = join(root, to.folder, "upgrade-info.json");
  // The plan that a state names comes without its info, which the file has.
  if (plan.info !== "" || !isOfPlan(files, planFile, plan)) writeWhole(files, planFile, planBytes(plan), FILE_MODE);
  syncNames(files, root, to);
  if (from.folder !== undefined && from.folder !== to.folder) linkUnsynced(files, from.folder, join(root, "previous"));
  // Makes both names durable: they are in one folder.
  linkWhole(files, to.folder, join(root, "current"));
}

function isOfPlan(files: Files, planFile: string, plan: Plan): boolean {
  const found = planIn(files, planFile, true);
  return found !== undefined && isSamePlan(found, plan);
}

/**
 * Makes the names durable that lead to a program: a link must not outlive what it leads to. @throws what the system says
 */
export function syncNames(files: Files, root: string, { file, folder }: Program): void {
  if (folder === undefined) return;
  for (let at = dirname(file); at.startsWith(root); at = dirname(at)) files.syncFolder(at);
}

function linkUnsynced(files: Files, target: string, path: string): void {
  const temporary = `${path}.tmp`;
  files.remove(temporary);
  files.symlink(target, temporary);
  files.rename(temporary, path);
}

/** The present program is the one before again. @throws what the system says */
export function linkPrevious(files: Files, current: string): string {
  const previous = join(dirname(current), "previous");
  const target = files.readLink(previous);
  linkWhole(files, target, current);
  files.remove(previous);
  return target;
}
