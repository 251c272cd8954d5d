/** The one place that starts a program of a chain. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { diskFiles } from "../../base/files/disk-files.js";
import { contentProblem, fileProblem } from "./executable.js";
import { commandOf } from "./layout.js";

/**
 * Starts `file` with `args`; a name without a folder is looked up on the PATH of `options.env`. Without a shell: a file that this
 * machine cannot run is not started.
 * @throws Error the reason, as a message
 */
export function spawnProgram(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const path = basename(file) === file ? onPath((options.env ?? process.env)["PATH"] ?? "", file) : file;
  if (path === undefined) throw new Error(`${file} is not on PATH`);
  requireRunnable(path);
  const [command, ...before] = commandOf({ file: path });
  return spawn(command, [...before, ...args], { ...options, shell: false });
}

/** Of a file whose path has a folder: permissions are the system's to judge. @throws Error the reason, as a message */
export function requireRunnable(file: string): void {
  const problem = fileProblem(diskFiles, file) ?? contentProblem(diskFiles, file);
  if (problem !== undefined) throw new Error(problem);
}

/** Returns the first executable file `name` in the folders of a PATH. */
export function onPath(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
