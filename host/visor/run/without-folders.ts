/** Settings of commands that come before there are folders: home and name must be right, all else is read as ever. */

import { homePathProblem, nameProblems } from "../decide/settings/checks.js";
import { type ReadSettings, requireSettings } from "../decide/settings/read.js";
import type { VisorTools } from "./tools.js";

/** @throws UpgradeError UPG_INVALID_CONFIG with all that is wrong */
export function settingsWithoutFolders({ readSettings }: VisorTools): ReadSettings {
  const read = readSettings({ areFoldersChecked: false });
  const home = homePathProblem(read.settings.home);
  const problems = [...read.problems, ...nameProblems(read.settings), ...(home === undefined ? [] : [home])];
  requireSettings({ ...read, problems });
  return read;
}
