/** The one place that starts a program of a chain. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { diskFiles } from "./disk-files.js";
import { contentProblem, fileProblem } from "./executable.js";
import { commandOf } from "./layout.js";

/**
 * Starts `file` with `args`. Without a shell: a file that this machine cannot run is not started.
 * @throws Error the reason, as a message
 */
export function spawnProgram(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  requireRunnable(file);
  const [command, ...before] = commandOf({ file });
  return spawn(command, [...before, ...args], { ...options, shell: false });
}

/** Of a file whose path has a folder: permissions are the system's to judge. @throws Error the reason, as a message */
export function requireRunnable(file: string): void {
  const problem = fileProblem(diskFiles, file) ?? contentProblem(diskFiles, file);
  if (problem !== undefined) throw new Error(problem);
}
