/** What Cosmovisor asks of settings that are read: in its order, with its words. */
import { isAbsolute, join } from "node:path";
import { messageOf } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { fileProblem } from "../../../node/programs/executable.js";
import { goQuote } from "../../../upgrade/plan-info/go-quote.js";
import type { Settings } from "../settings.js";

const NAME_UNSET = "DAEMON_NAME is not set";
const HOME_UNSET = "DAEMON_HOME is not set";
const BACKUP_DIR_EMPTY = "DAEMON_DATA_BACKUP_DIR must not be empty";

/** For each problem, the setting that solves it. */
export const REMEDIES: ReadonlyMap<string, string> = new Map([
  [NAME_UNSET, "DAEMON_NAME=<the file name of the node's program, such as chaind>"],
  [HOME_UNSET, "DAEMON_HOME=<the node's home, an absolute path>"],
  [BACKUP_DIR_EMPTY, "nothing more: its default is DAEMON_HOME"],
]);

export function settingsProblems(settings: Settings, files: Files): string[] {
  const problems = [...nameProblems(settings), ...homeProblems(settings, files)];
  if (!settings.isBackupSkipped) problems.push(...backupDirProblems(settings.backupDir, files));
  if (settings.onRefusal === "return" && settings.returnHeight === undefined) {
    problems.push(
      "CHAINVISOR_ON_REFUSAL is return, and CHAINVISOR_RETURN_HEIGHT is not set: it must be the height that the validators agreed on",
    );
  }
  return problems;
}

/** The sidecar runs with these settings, and an upgrade, or a part of it, will not work with them. */
export function settingsWarnings(settings: Settings, files: Files): string[] {
  const { customPreUpgrade, root, isHotSwitch, isBackupSkipped } = settings;
  const script = customPreUpgrade === "" ? undefined : scriptWarning(files, join(root, customPreUpgrade));
  const hot =
    isHotSwitch && !isBackupSkipped
      ? "CHAINVISOR_HOT_SWITCH is true, and UNSAFE_SKIP_BACKUP is not: a backup needs the data at rest, so the switch stops CometBFT too"
      : undefined;
  return [script, hot].filter((each) => each !== undefined);
}

function scriptWarning(files: Files, file: string): string | undefined {
  try {
    const problem = fileProblem(files, file);
    return problem && `COSMOVISOR_CUSTOM_PREUPGRADE: ${problem}`;
  } catch (error) {
    return `COSMOVISOR_CUSTOM_PREUPGRADE: ${messageOf(error)}`;
  }
}

export function nameProblems({ name }: Pick<Settings, "name">): string[] {
  if (name === "") return [NAME_UNSET];
  // It is a file in each bin, never a way out of it.
  if (name === "." || name === ".." || /[/\0]/.test(name))
    return [`DAEMON_NAME must be the name of a file, got ${goQuote(name)}`];
  return [];
}

function homeProblems({ home, root }: Settings, files: Files): string[] {
  const problem = homePathProblem(home);
  if (problem !== undefined) return [problem];
  const found = kindAt(files, root);
  if ("why" in found) return [`cannot stat home dir: ${found.why}; \`chainvisor init\` makes it`];
  return found.kind === "folder" ? [] : [`${root} is not a directory`];
}

/** Also where there are no folders yet. */
export function homePathProblem(home: string): string | undefined {
  if (home === "") return HOME_UNSET;
  return isAbsolute(home) ? undefined : "DAEMON_HOME must be an absolute path";
}

function backupDirProblems(folder: string, files: Files): string[] {
  if (folder === "") return [BACKUP_DIR_EMPTY];
  if (!isAbsolute(folder)) return [`${folder} must be an absolute path`];
  const found = kindAt(files, folder);
  if ("why" in found) return [`${goQuote(folder)} must be a valid directory: ${found.why}`];
  return found.kind === "folder" ? [] : [`${goQuote(folder)} must be a valid directory`];
}

function kindAt(files: Files, path: string): { kind: string } | { why: string } {
  try {
    return files.facts(path) ?? { why: `stat ${path}: no such file or directory` };
  } catch (error) {
    return { why: messageOf(error) };
  }
}
